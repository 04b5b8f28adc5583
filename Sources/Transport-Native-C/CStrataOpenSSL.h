// SPDX-License-Identifier: Apache-2.0
// OpenSSL, functions for what of it are macros, and its way to a socket.
#ifndef STRATA_OPENSSL_H
#define STRATA_OPENSSL_H

#include <errno.h>
#include <openssl/bio.h>
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>
#include <stdint.h>
#include <sys/socket.h>

#if OPENSSL_VERSION_NUMBER < 0x30000000L
#error "StrataNative needs OpenSSL 3.0 or newer"
#endif

/// 0 for a limit that there is not.
static inline void strata_ssl_set_versions(SSL_CTX *context, int lowest, int highest) {
    SSL_CTX_set_min_proto_version(context, lowest);
    SSL_CTX_set_max_proto_version(context, highest);
}
static inline void strata_ssl_forbid_renegotiation_and_compression(SSL_CTX *context) {
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
}
static inline void strata_ssl_set_mode(SSL_CTX *context, long mode) { SSL_CTX_set_mode(context, mode); }
static inline void strata_ssl_set_read_ahead(SSL_CTX *context) { SSL_CTX_set_read_ahead(context, 1); }
static inline void strata_ssl_keep_sessions_outside(SSL_CTX *context) {
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
}
/// Takes the certificate over on success.
static inline int strata_ssl_add_chain(SSL_CTX *context, X509 *certificate) {
    return (int)SSL_CTX_add0_chain_cert(context, certificate);
}
static inline int strata_ssl_set_server_name(SSL *session, const char *name) {
    return (int)SSL_set_tlsext_host_name(session, name);
}
static inline int strata_err_library(unsigned long code) { return ERR_GET_LIB(code); }
static inline int strata_err_reason(unsigned long code) { return ERR_GET_REASON(code); }
static inline int strata_ssl_library(void) { return ERR_LIB_SSL; }

// MARK: - A socket that raises no SIGPIPE, which OpenSSL's own does

static int strata_socket_write(BIO *bio, const char *bytes, int count) {
#ifdef MSG_NOSIGNAL
    const int flags = MSG_NOSIGNAL;
#else
    const int flags = 0; // SO_NOSIGPIPE is the socket owner's to set.
#endif
    ssize_t sent;
    BIO_clear_retry_flags(bio);
    do sent = send((int)(intptr_t)BIO_get_data(bio), bytes, (size_t)count, flags);
    while (sent < 0 && errno == EINTR);
    if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == ENOBUFS)) BIO_set_retry_write(bio);
    return (int)sent;
}

static int strata_socket_read(BIO *bio, char *bytes, int count) {
    ssize_t received;
    BIO_clear_retry_flags(bio);
    do received = recv((int)(intptr_t)BIO_get_data(bio), bytes, (size_t)count, 0);
    while (received < 0 && errno == EINTR);
    if (received == 0) BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
    if (received < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) BIO_set_retry_read(bio);
    return (int)received;
}

static long strata_socket_control(BIO *bio, int command, long number, void *pointer) {
    (void)number;
    (void)pointer;
    if (command == BIO_CTRL_EOF) return BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0;
    return command == BIO_CTRL_FLUSH || command == BIO_CTRL_DUP;
}

/// Made once, and kept.
static inline const BIO_METHOD *strata_socket_method(void) {
    BIO_METHOD *method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "strata socket");
    if (!method) return NULL;
    BIO_meth_set_write(method, strata_socket_write);
    BIO_meth_set_read(method, strata_socket_read);
    BIO_meth_set_ctrl(method, strata_socket_control);
    return method;
}

/// The descriptor stays its owner's.
static inline BIO *strata_socket_bio(const BIO_METHOD *method, int descriptor) {
    BIO *bio = BIO_new(method);
    if (!bio) return NULL;
    BIO_set_data(bio, (void *)(intptr_t)descriptor);
    BIO_set_init(bio, 1);
    return bio;
}

// MARK: - TLS within TLS: the way through a tunnel of a proxy that is itself reached over TLS

static void strata_tls_note(BIO *bio, SSL *outer) {
    if (SSL_want_read(outer) && BIO_should_read(SSL_get_rbio(outer))) BIO_set_retry_read(bio);
    else if (SSL_want_write(outer) && BIO_should_write(SSL_get_wbio(outer))) BIO_set_retry_write(bio);
}

static int strata_tls_write(BIO *bio, const char *bytes, int count) {
    SSL *outer = (SSL *)BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    int sent = SSL_write(outer, bytes, count);
    if (sent <= 0) strata_tls_note(bio, outer);
    return sent;
}

static int strata_tls_read(BIO *bio, char *bytes, int count) {
    SSL *outer = (SSL *)BIO_get_data(bio);
    BIO_clear_retry_flags(bio);
    int received = SSL_read(outer, bytes, count);
    if (received > 0) return received;
    if (SSL_get_shutdown(outer) & SSL_RECEIVED_SHUTDOWN) {
        BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
        return 0;
    }
    strata_tls_note(bio, outer);
    return received;
}

/// Made once, and kept.
static inline const BIO_METHOD *strata_tls_method(void) {
    BIO_METHOD *method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "strata TLS");
    if (!method) return NULL;
    BIO_meth_set_write(method, strata_tls_write);
    BIO_meth_set_read(method, strata_tls_read);
    BIO_meth_set_ctrl(method, strata_socket_control);
    return method;
}

/// The outer session stays its owner's.
static inline BIO *strata_tls_bio(const BIO_METHOD *method, SSL *outer) {
    BIO *bio = BIO_new(method);
    if (!bio) return NULL;
    BIO_set_data(bio, outer);
    BIO_set_init(bio, 1);
    return bio;
}

#endif
