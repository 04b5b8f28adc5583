// SPDX-License-Identifier: Apache-2.0
//
// zlib's initialisers are macros, which Swift does not see.
#pragma once

#include <string.h>
#include <zlib.h>

/// Starts inflating; `windowBits` as zlib has it: 15 for zlib, 15 + 16 for gzip, -15 for raw deflate.
static inline int strata_inflate_init(z_stream *stream, int windowBits) {
    memset(stream, 0, sizeof(*stream));
    return inflateInit2(stream, windowBits);
}
