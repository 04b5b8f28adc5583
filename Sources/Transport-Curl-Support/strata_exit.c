// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE

#include "strata_exit.h"

#include <dlfcn.h>
#include <stdint.h>

typedef int initialiser(uint64_t options, const void *settings);

#if defined(__linux__)
// Weak, for a program in which OpenSSL is linked statically: there is nothing to look up at run time.
extern initialiser OPENSSL_init_crypto __attribute__((weak));
static initialiser *linked(void) { return OPENSSL_init_crypto; }
#else
static initialiser *linked(void) { return 0; }
#endif

void strata_keep_openssl_at_exit(void) {
    const uint64_t no_atexit = 0x00080000; // OPENSSL_INIT_NO_ATEXIT, since 1.1.1
    initialiser *initialise = linked();
    if (!initialise) initialise = (initialiser *)dlsym(RTLD_DEFAULT, "OPENSSL_init_crypto");
    if (initialise) initialise(no_atexit, 0);
}
