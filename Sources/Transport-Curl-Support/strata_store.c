// SPDX-License-Identifier: Apache-2.0

#include "strata_store.h"

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
    kept_lists = 1024,
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
    void *latest;
    int kept_count;
    /// By address.
    strata_kept *kept[kept_lists];
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

static strata_kept **kept_list(strata_store *store, const void *block) {
    return &store->kept[((uintptr_t)block >> 4) % kept_lists];
}

static strata_kept *find_kept(const void *block) {
    if (!current || current->kept_count == 0) return NULL;
    strata_kept *kept = *kept_list(current, block);
    while (kept && kept->block != block) kept = kept->next;
    return kept;
}

void *strata_store_latest(const strata_store *store) { return store->latest; }

void strata_store_keep(strata_store *store, strata_kept *kept, void *block) {
    strata_kept **list = kept_list(store, block);
    *kept = (strata_kept){*list, block, 0};
    *list = kept;
    store->kept_count++;
}

void strata_store_give_up(strata_store *store, strata_kept *kept) {
    if (!kept->block) return;
    strata_kept **link = kept_list(store, kept->block);
    while (*link != kept) link = &(*link)->next;
    *link = kept->next;
    store->kept_count--;
    if (kept->is_freed) keep_or_free(store, kept->block);
    kept->block = NULL;
}

void strata_free(void *memory) {
    // Most of what libcurl frees is nothing.
    if (!memory) return;
    if (!current) return free(memory);
    strata_kept *kept = find_kept(memory);
    if (kept) {
        kept->is_freed = 1;
    } else {
        keep_or_free(current, memory);
    }
}

static void *note(void *memory) {
    if (current) current->latest = memory;
    return memory;
}

void *strata_calloc(size_t count, size_t size) {
    if (size && count > SIZE_MAX / size) return NULL;
    // What is fresh from the system is clear already.
    if (size && count > largest_block / size) return note(calloc(count, size));
    void *memory = strata_malloc(count * size);
    return memory ? note(memset(memory, 0, count * size)) : NULL;
}

void *strata_realloc(void *memory, size_t size) {
    if (!memory) return strata_malloc(size);
    size_t usable = usable_size(memory);
    int is_kept = find_kept(memory) != NULL;
    if (!is_kept && usable >= block_size(most_steps + 1)) return note(realloc(memory, size));
    if (!is_kept && usable >= size) return note(memory);
    void *larger = strata_malloc(size);
    if (!larger) return NULL;
    memcpy(larger, memory, usable < size ? usable : size);
    strata_free(memory);
    return note(larger);
}

char *strata_strdup(const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = strata_malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}
