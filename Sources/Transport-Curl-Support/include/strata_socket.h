// SPDX-License-Identifier: Apache-2.0
#ifndef STRATA_SOCKET_H
#define STRATA_SOCKET_H

#include <stdint.h>

/// How many bytes have been read from a TCP socket since it was connected; -1 where the system does not tell.
int64_t strata_bytes_taken(int socket);

#endif
