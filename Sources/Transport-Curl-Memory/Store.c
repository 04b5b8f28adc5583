// SPDX-License-Identifier: Apache-2.0

#include "CStrataMemory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#if defined(__APPLE__)
#include <malloc/malloc.h>
#define usable_size malloc_size
#else
#include <malloc.h>
#define usable_size malloc_usable_size
#endif

enum {
    /// Sizes of blocks: some steps and the surplus, as glibc makes them, so that none has room to spare.
    step = 16,
    surplus = 8,
    most_steps = 128,
    /// Blocks up to this size are kept by size.
    largest_block = most_steps * step + surplus,
    /// Larger ones up to this are buffers, of which most have the same size.
    largest_buffer = 128 * 1024,
    most_block_bytes = 1024 * 1024,
    most_buffers = 16,
};

/// The beginning of memory that is kept.
typedef struct piece {
    struct piece *next;
} piece;

struct strata_store {
    /// By steps.
    piece *blocks[most_steps + 1];
    piece *buffers;
    size_t block_bytes;
    int buffer_count;
};

static _Thread_local strata_store *current;

strata_store *strata_store_make(void) {
#if defined(__SANITIZE_ADDRESS__)
    return NULL;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
    return NULL;
#endif
#endif
    return calloc(1, sizeof(strata_store));
}

static void free_all(piece *first) {
    while (first) {
        piece *next = first->next;
        free(first);
        first = next;
    }
}

void strata_store_free(strata_store *store) {
    if (!store) return;
    for (int i = 0; i <= most_steps; i++) free_all(store->blocks[i]);
    free_all(store->buffers);
    free(store);
}

void strata_store_use(strata_store *store) { current = store; }

static void *pop(piece **list) {
    piece *first = *list;
    *list = first->next;
    return first;
}

static void push(piece **list, void *memory) {
    piece *first = memory;
    first->next = *list;
    *list = first;
}

static void *make_buffer(size_t size) {
    strata_store *store = current;
    // What is too small would lie on those that are not.
    while (store && store->buffers && usable_size(store->buffers) < size) {
        store->buffer_count--;
        free(pop(&store->buffers));
    }
    if (!store || !store->buffers || usable_size(store->buffers) / 2 > size) return malloc(size);
    store->buffer_count--;
    return pop(&store->buffers);
}

static size_t block_size(size_t steps) { return steps * step + surplus; }

void *strata_malloc(size_t size) {
    if (size > largest_block) return make_buffer(size);
    size_t steps = size <= surplus ? 1 : (size - surplus + step - 1) / step;
    piece **list = current ? &current->blocks[steps] : NULL;
    if (!list || !*list) return malloc(block_size(steps));
    current->block_bytes -= block_size(steps);
    return pop(list);
}

static void keep_or_free(strata_store *store, void *memory) {
    // A block may have a little more than it was made with.
    size_t usable = usable_size(memory);
    size_t steps = usable <= surplus ? 0 : (usable - surplus) / step;
    if (steps <= most_steps) {
        if (steps > 0 && store->block_bytes < most_block_bytes) {
            store->block_bytes += block_size(steps);
            return push(&store->blocks[steps], memory);
        }
    } else if (usable <= largest_buffer && store->buffer_count < most_buffers) {
        store->buffer_count++;
        return push(&store->buffers, memory);
    }
    free(memory);
}

void strata_free(void *memory) {
    // Most of what libcurl frees is nothing.
    if (!memory) return;
    if (!current) return free(memory);
    keep_or_free(current, memory);
}

void *strata_calloc(size_t count, size_t size) {
    if (size && count > SIZE_MAX / size) return NULL;
    // What is fresh from the system is clear already.
    if (size && count > largest_block / size) return calloc(count, size);
    void *memory = strata_malloc(count * size);
    return memory ? memset(memory, 0, count * size) : NULL;
}

void *strata_realloc(void *memory, size_t size) {
    if (!memory) return strata_malloc(size);
    size_t usable = usable_size(memory);
    if (usable >= block_size(most_steps + 1)) return realloc(memory, size);
    if (usable >= size) return memory;
    void *larger = strata_malloc(size);
    if (!larger) return NULL;
    memcpy(larger, memory, usable);
    strata_free(memory);
    return larger;
}

char *strata_strdup(const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = strata_malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}
