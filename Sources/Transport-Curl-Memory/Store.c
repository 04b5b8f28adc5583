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
    step = 16,
    /// Blocks up to this size are kept by size, in steps.
    largest_block = 2048,
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
    piece *blocks[largest_block / step + 1];
    piece *buffers;
    size_t block_bytes;
    int buffer_count;
};

static _Thread_local strata_store *current;

strata_store *strata_store_make(void) {
// The address sanitizer has to see each block freed.
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
    for (size_t i = 0; i <= largest_block / step; i++) free_all(store->blocks[i]);
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

/// A whole number of steps, at least one.
static size_t rounded(size_t size) { return size ? (size + step - 1) / step * step : step; }

void *strata_malloc(size_t size) {
    strata_store *store = current;
    if (!store) return malloc(size);
    if (size <= largest_block) {
        size = rounded(size);
        piece **list = &store->blocks[size / step];
        if (!*list) return malloc(size);
        store->block_bytes -= size;
        return pop(list);
    }
    if (store->buffers) {
        size_t usable = usable_size(store->buffers);
        if (usable >= size && usable / 2 <= size) {
            store->buffer_count--;
            return pop(&store->buffers);
        }
    }
    return malloc(size);
}

static void keep_or_free(strata_store *store, void *memory) {
    // A block may have a little more than it was made with.
    size_t usable = usable_size(memory) / step * step;
    if (usable <= largest_block) {
        if (usable > 0 && store->block_bytes < most_block_bytes) {
            store->block_bytes += usable;
            return push(&store->blocks[usable / step], memory);
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
    if (!current || (size && count > largest_block / size)) return calloc(count, size);
    void *memory = strata_malloc(count * size);
    return memory ? memset(memory, 0, count * size) : NULL;
}

void *strata_realloc(void *memory, size_t size) {
    if (!memory) return strata_malloc(size);
    size_t usable = current ? usable_size(memory) : SIZE_MAX;
    if (usable > largest_block) return realloc(memory, size);
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
