// SPDX-License-Identifier: Apache-2.0
// Memory for libcurl, as `curl_global_init_mem` takes it.
//
// A request makes and frees some forty small blocks and one large buffer, and many requests do so at once: more than malloc
// keeps at hand for a thread, so that it would search, split and join them each time. A store keeps what was freed for the
// next block of that size. Every block is malloc's own: any thread may free it, with or without a store, and so may `free`.
#ifndef STRATA_STORE_H
#define STRATA_STORE_H

#include <stddef.h>

typedef struct strata_store strata_store;

/// NULL without memory, and under the address sanitizer, which has to see each block freed.
strata_store *strata_store_make(void);

/// Frees the store and what it keeps.
void strata_store_free(strata_store *store);

/// What this thread allocates and frees here goes through the store from now on; NULL: through malloc and free alone. One
/// thread at a time may use a store.
void strata_store_use(strata_store *store);

/// A block that stays as it is though it is freed. In zeroed memory, one for each such block.
typedef struct strata_kept {
    struct strata_kept *next;
    void *block;
    int is_freed;
} strata_kept;

/// What `strata_calloc` gave last, or `strata_realloc` for a block that there was.
void *strata_store_latest(const strata_store *store);

/// Who frees `block` from now on may still read it, and `strata_realloc` it to get a copy.
void strata_store_keep(strata_store *store, strata_kept *kept, void *block);

/// Ends that, and frees the block if it has been freed meanwhile.
void strata_store_give_up(strata_store *store, strata_kept *kept);

void *strata_malloc(size_t size);
void *strata_calloc(size_t count, size_t size);
void *strata_realloc(void *memory, size_t size);
char *strata_strdup(const char *text);
void strata_free(void *memory);

#endif
