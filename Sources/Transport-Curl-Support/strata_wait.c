// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE

#include "strata_wait.h"

#include <poll.h>
#include <stddef.h>
#include <time.h>

bool strata_wait_for_input(int descriptor, uint64_t nanoseconds) {
    struct pollfd entry = {.fd = descriptor, .events = POLLIN};
#if defined(__linux__)
    struct timespec limit = {
        .tv_sec = (time_t)(nanoseconds / 1000000000), .tv_nsec = (long)(nanoseconds % 1000000000)};
    return ppoll(&entry, 1, &limit, NULL) > 0;
#else
    return poll(&entry, 1, (int)(nanoseconds / 1000000)) > 0;
#endif
}
