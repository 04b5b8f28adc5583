// SPDX-License-Identifier: Apache-2.0
//
// Typed wrappers over libcurl's variadic calls, which Swift cannot make, and nothing else. What an older libcurl does not have answers
// CURLE_UNKNOWN_OPTION, as a library built without it would.
#pragma once

#include <curl/curl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <sys/socket.h>

#if defined(__linux__)
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#endif

typedef size_t (*strata_data_callback)(char *data, size_t size, size_t count, void *context);
typedef int (*strata_seek_callback)(void *context, curl_off_t offset, int origin);
typedef int (*strata_prereq_callback)(void *context, char *remote, char *local, int remotePort, int localPort);
typedef int (*strata_progress_callback)(
    void *context, curl_off_t toReceive, curl_off_t received, curl_off_t toSend, curl_off_t sent);
typedef int (*strata_socket_callback)(CURL *easy, curl_socket_t socket, int what, void *context, void *socketContext);
typedef int (*strata_timer_callback)(CURLM *multi, long milliseconds, void *context);
typedef int (*strata_open_callback)(void *context, curl_socket_t socket, curlsocktype purpose);
typedef int (*strata_close_callback)(void *context, curl_socket_t socket);

// MARK: easy handles

/// CURL_HTTP_VERSION_3ONLY, since 7.88.0.
static const int strata_http3_only = 31;

static inline CURLcode strata_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode strata_set_size(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode strata_set_string(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}
static inline CURLcode strata_set_pointer(CURL *easy, CURLoption option, const void *value) {
    return curl_easy_setopt(easy, option, value);
}
/// libcurl copies the bytes.
static inline CURLcode strata_set_blob(CURL *easy, CURLoption option, const void *bytes, size_t count) {
    struct curl_blob blob;
    blob.data = (void *)bytes;
    blob.len = count;
    blob.flags = CURL_BLOB_COPY;
    return curl_easy_setopt(easy, option, &blob);
}
static inline CURLcode strata_set_receiving(
    CURL *easy, strata_data_callback head, strata_data_callback body, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, head);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_HEADERDATA, context);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, body);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_WRITEDATA, context);
    return code;
}
static inline CURLcode strata_set_sending(
    CURL *easy, strata_data_callback read, strata_seek_callback seek, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_READFUNCTION, read);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_READDATA, context);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, seek);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_SEEKDATA, context);
    return code;
}
/// Calls `open` for each new socket of a connection, before it connects.
static inline CURLcode strata_set_opening(CURL *easy, strata_open_callback open, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_SOCKOPTFUNCTION, open);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_SOCKOPTDATA, context);
    return code;
}
/// Calls `close` in place of closing a socket of a connection, which may outlive the handle: so must `context`.
static inline CURLcode strata_set_closing(CURL *easy, strata_close_callback close, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, close);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, context);
    return code;
}
/// Calls `log` with what libcurl says, when `CURLOPT_VERBOSE` is on.
static inline CURLcode strata_set_log(CURL *easy, curl_debug_callback log, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, log);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_DEBUGDATA, context);
    return code;
}
/// Calls `prereq` each time a request is about to be written to a connection.
static inline CURLcode strata_set_prereq(CURL *easy, strata_prereq_callback prereq, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, prereq);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_PREREQDATA, context);
    return code;
}
/// Calls `made` with the TLS library's context of each new connection.
static inline CURLcode strata_set_tls_context(CURL *easy, curl_ssl_ctx_callback made, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, made);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_SSL_CTX_DATA, context);
    return code;
}
/// Calls `start` before each lookup of a name that libcurl has not in its cache; other than 0 fails the transfer.
static inline CURLcode strata_set_lookup(CURL *easy, curl_resolver_start_callback start, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_RESOLVER_START_FUNCTION, start);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_RESOLVER_START_DATA, context);
    return code;
}
/// Calls `progress` whenever libcurl has done something for the handle, and a last time before it lets go of the connection, while
/// CURLOPT_NOPROGRESS is 0.
static inline CURLcode strata_set_progress(CURL *easy, strata_progress_callback progress, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, progress);
    if (code == CURLE_OK) code = curl_easy_setopt(easy, CURLOPT_XFERINFODATA, context);
    return code;
}
/// Limits the protocols to http and https; the string option replaced the bit mask in 7.85.0.
static inline CURLcode strata_set_http_only(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075500
    return curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
#else
    return curl_easy_setopt(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}
/// Does not wait for a name lookup that is under way when its transfer ends (it would stall the whole loop). Since 7.87.0.
static inline CURLcode strata_set_quick_exit(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075700
    return curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
#else
    (void)easy;
    return CURLE_UNKNOWN_OPTION;
#endif
}

static inline CURLcode strata_get_long(CURL *easy, CURLINFO info, long *value) {
    return curl_easy_getinfo(easy, info, value);
}
static inline CURLcode strata_get_size(CURL *easy, CURLINFO info, curl_off_t *value) {
    return curl_easy_getinfo(easy, info, value);
}
/// The string belongs to the handle and lives until its next use.
static inline CURLcode strata_get_string(CURL *easy, CURLINFO info, const char **value) {
    char *text = NULL;
    CURLcode code = curl_easy_getinfo(easy, info, &text);
    *value = text;
    return code;
}
/// The context given with `CURLOPT_PRIVATE`.
static inline void *strata_get_private(CURL *easy) {
    char *context = NULL;
    (void)curl_easy_getinfo(easy, CURLINFO_PRIVATE, &context);
    return context;
}
/// Whether the peer's leaf certificate names hosts the modern way. 1: yes; 0: no; -1: no certificate was seen on this handle.
static inline int strata_leaf_has_alternative_names(CURL *easy) {
    struct curl_certinfo *chain = NULL;
    if (curl_easy_getinfo(easy, CURLINFO_CERTINFO, &chain) != CURLE_OK || !chain || chain->num_of_certs < 1) return -1;
    for (struct curl_slist *line = chain->certinfo[0]; line; line = line->next) {
        const char *text = line->data, *name = "X509v3 Subject Alternative Name:";
        while (*name && *text == *name) text++, name++;
        if (!*name) return 1;
    }
    return 0;
}
/// What ALPN has chosen for the connection. 2: HTTP/2 or 3; 1: another protocol; 0: none, or there is no TLS; -1: not known.
///
/// - selected: `SSL_get0_alpn_selected`.
static inline int strata_tls_protocol(
    CURL *easy, void (*selected)(const void *, const unsigned char **, unsigned int *)) {
    struct curl_tlssessioninfo *session = NULL;
    if (curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK || !session) return -1;
    if (!session->internals) return 0;
    if (!selected || session->backend != CURLSSLBACKEND_OPENSSL) return -1;
    const unsigned char *name = NULL;
    unsigned int length = 0;
    selected(session->internals, &name, &length);
    return length == 0 ? 0 : length == 2 && name[0] == 'h' && (name[1] == '2' || name[1] == '3') ? 2 : 1;
}
/// How many bytes of the connection TLS has decrypted that libcurl has not read; 0 also where that is not OpenSSL, and -1
/// without TLS.
///
/// - pending: `SSL_pending`.
static inline int strata_tls_pending(CURL *easy, int (*pending)(const void *)) {
    struct curl_tlssessioninfo *session = NULL;
    if (curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK || !session) return 0;
    if (!session->internals) return -1;
    return pending && session->backend == CURLSSLBACKEND_OPENSSL ? pending(session->internals) : 0;
}

/// OpenSSL's object of the connection that the handle has; NULL without TLS and with other libraries.
static inline void *strata_openssl_session(CURL *easy) {
    struct curl_tlssessioninfo *session = NULL;
    if (curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &session) != CURLE_OK || !session) return NULL;
    return session->backend == CURLSSLBACKEND_OPENSSL ? session->internals : NULL;
}

// MARK: multi handles

static inline CURLMcode strata_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}
static inline CURLMcode strata_multi_set_events(
    CURLM *multi, strata_socket_callback socket, strata_timer_callback timer, void *context) {
    CURLMcode code = curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, socket);
    if (code == CURLM_OK) code = curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
    if (code == CURLM_OK) code = curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, timer);
    if (code == CURLM_OK) code = curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
    return code;
}
/// Does not wait for name lookups when the handle ends, which is the multi handle's business since 8.20.
static inline CURLMcode strata_multi_set_quick_exit(CURLM *multi) {
#if LIBCURL_VERSION_NUM >= 0x081400
    return curl_multi_setopt(multi, CURLMOPT_QUICK_EXIT, 1L);
#else
    (void)multi;
    return CURLM_UNKNOWN_OPTION;
#endif
}
/// Takes the next finished transfer; 0 when there is none.
static inline int strata_multi_next_done(CURLM *multi, CURL **easy, CURLcode *result) {
    int left;
    for (CURLMsg *message; (message = curl_multi_info_read(multi, &left));) {
        if (message->msg != CURLMSG_DONE) continue;
        *easy = message->easy_handle;
        *result = message->data.result;
        return 1;
    }
    return 0;
}

// MARK: sockets

/// How long ago the peer of a TCP connection sent something, in milliseconds; -1 where the system does not tell.
static inline int64_t strata_silence(int socket) {
#if defined(__linux__)
    struct tcp_info info;
    socklen_t size = sizeof(info);
    if (getsockopt(socket, IPPROTO_TCP, TCP_INFO, &info, &size) == 0) return info.tcpi_last_data_recv;
#else
    (void)socket;
#endif
    return -1;
}
/// Tells the peer of a TCP connection at once what has come from it, and not with the next bytes that go there.
static inline void strata_acknowledge(int socket) {
#if defined(TCP_QUICKACK)
    int on = 1;
    setsockopt(socket, IPPROTO_TCP, TCP_QUICKACK, &on, sizeof(on));
#else
    (void)socket;
#endif
}
/// Has the system ask the peer of a connection for a sign of life, when it has sent nothing for so many seconds and then at that
/// interval, and end the connection when nine are not answered. Does nothing to a socket that is not TCP's.
static inline void strata_keep_alive(int socket, int seconds) {
    int on = 1, count = 9;
    setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, sizeof(on));
#if defined(TCP_KEEPIDLE)
    setsockopt(socket, IPPROTO_TCP, TCP_KEEPIDLE, &seconds, sizeof(seconds));
#elif defined(TCP_KEEPALIVE)
    setsockopt(socket, IPPROTO_TCP, TCP_KEEPALIVE, &seconds, sizeof(seconds));
#endif
    setsockopt(socket, IPPROTO_TCP, TCP_KEEPINTVL, &seconds, sizeof(seconds));
    setsockopt(socket, IPPROTO_TCP, TCP_KEEPCNT, &count, sizeof(count));
}

// MARK: the library

static inline const curl_version_info_data *strata_version_info(void) { return curl_version_info(CURLVERSION_NOW); }

// MARK: constants that Swift does not import, or not with a usable type

static const size_t strata_read_abort = CURL_READFUNC_ABORT;
static const size_t strata_read_pause = CURL_READFUNC_PAUSE;
static const long strata_global_all = CURL_GLOBAL_ALL;
