// SPDX-License-Identifier: Apache-2.0
#ifndef STRATA_NGHTTP2_H
#define STRATA_NGHTTP2_H

#include <nghttp2/nghttp2.h>

// Not all versions have it, and their numbers do not tell: distributions have taken it over into older ones.
#ifdef __APPLE__
extern void nghttp2_option_set_max_continuations(nghttp2_option *option, size_t count) __attribute__((weak_import));
#else
extern void nghttp2_option_set_max_continuations(nghttp2_option *option, size_t count) __attribute__((weak));
#endif

/// That a head goes on in too many frames. Older headers do not name it.
#define STRATA_NGHTTP2_ERR_TOO_MANY_CONTINUATIONS -905

/// How many frames a head goes on in is limited by its bytes, and so not here: nghttp2 counts each read of a part of one.
static inline void strata_nghttp2_leave_continuations(nghttp2_option *option) {
    if (nghttp2_option_set_max_continuations) nghttp2_option_set_max_continuations(option, 1 << 20);
}

#endif
