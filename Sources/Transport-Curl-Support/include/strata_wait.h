// SPDX-License-Identifier: Apache-2.0
// A wait shorter than a millisecond, by `ppoll`, which Swift does not see: it is no name of POSIX.
#ifndef STRATA_WAIT_H
#define STRATA_WAIT_H

#include <stdbool.h>
#include <stdint.h>

/// Waits until something can be read from the descriptor, its end included, or the time has passed.
bool strata_wait_for_input(int descriptor, uint64_t nanoseconds);

#endif
