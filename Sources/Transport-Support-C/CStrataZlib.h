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

/// Starts deflating as gzip; `level` from 1 to 9.
static inline int strata_gzip_init(z_stream *stream, int level) {
    memset(stream, 0, sizeof(*stream));
    return deflateInit2(stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
}

/// Starts deflating without a header (RFC 1951); `windowBits` from 9 to 15.
static inline int strata_raw_deflate_init(z_stream *stream, int level, int windowBits) {
    memset(stream, 0, sizeof(*stream));
    return deflateInit2(stream, level, Z_DEFLATED, -windowBits, 8, Z_DEFAULT_STRATEGY);
}
