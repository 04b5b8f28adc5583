// SPDX-License-Identifier: Apache-2.0

#include "strata_socket.h"

#include <netinet/in.h>
#if defined(__APPLE__)
#include <netinet/tcp.h>
#endif
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

int64_t strata_bytes_taken(int socket) {
#if defined(__linux__)
    // `struct tcp_info` as the kernel has it: that of the C library ends before `tcpi_bytes_received` (Linux 4.1).
    enum { tcp_info = 11, offset = 128 };
    unsigned char info[offset + 8];
    socklen_t size = sizeof(info);
    int waiting = 0;
    if (getsockopt(socket, IPPROTO_TCP, tcp_info, info, &size) != 0 || size < sizeof(info)) return -1;
    if (ioctl(socket, FIONREAD, &waiting) != 0) return -1;
    uint64_t received;
    memcpy(&received, info + offset, sizeof(received));
    return (int64_t)received - waiting;
#elif defined(__APPLE__)
    struct tcp_connection_info info;
    socklen_t size = sizeof(info);
    int waiting = 0;
    if (getsockopt(socket, IPPROTO_TCP, TCP_CONNECTION_INFO, &info, &size) != 0) return -1;
    if (ioctl(socket, FIONREAD, &waiting) != 0) return -1;
    return (int64_t)info.tcpi_rxbytes - waiting;
#else
    (void)socket;
    return -1;
#endif
}
