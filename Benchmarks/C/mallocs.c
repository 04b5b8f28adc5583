// SPDX-License-Identifier: Apache-2.0
// Counts allocations: LD_PRELOAD=mallocs.so PROGRAM. The programs ask for the counts by name when they are there: all of
// them, and those that neither libcurl nor what it calls has made. Not counted are libdispatch's: how many it makes to hand a task to
// another thread is a matter of chance.
#define _GNU_SOURCE
#include <errno.h>
#include <link.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

static const char *const libraries[] = {"libdispatch", "libcurl", "libc.so", "libssl", "libcrypto", "libnghttp2"};
static struct {
    uintptr_t start, end;
    int is_chance;
} code[16];
static int codes;
static atomic_ulong all, own;

static int find(struct dl_phdr_info *library, size_t size, void *context) {
    (void)size;
    (void)context;
    for (size_t i = 0; i < sizeof(libraries) / sizeof(*libraries); i++) {
        if (!strstr(library->dlpi_name, libraries[i])) continue;
        for (int j = 0; j < library->dlpi_phnum && codes < 16; j++) {
            const ElfW(Phdr) *part = &library->dlpi_phdr[j];
            if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
            code[codes].start = library->dlpi_addr + part->p_vaddr;
            code[codes].end = code[codes].start + part->p_memsz;
            code[codes].is_chance = i == 0;
            codes++;
        }
    }
    return 0;
}

__attribute__((constructor)) static void prepare(void) { dl_iterate_phdr(find, NULL); }

static void note(void *caller) {
    for (int i = 0; i < codes; i++) {
        if ((uintptr_t)caller < code[i].start || (uintptr_t)caller >= code[i].end) continue;
        if (!code[i].is_chance) atomic_fetch_add_explicit(&all, 1, memory_order_relaxed);
        return;
    }
    atomic_fetch_add_explicit(&all, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&own, 1, memory_order_relaxed);
}

unsigned long bench_mallocs(void) { return atomic_load_explicit(&all, memory_order_relaxed); }
unsigned long bench_own_mallocs(void) { return atomic_load_explicit(&own, memory_order_relaxed); }

void *malloc(size_t size) {
    note(__builtin_return_address(0));
    return __libc_malloc(size);
}

void *calloc(size_t members, size_t size) {
    note(__builtin_return_address(0));
    return __libc_calloc(members, size);
}

void *realloc(void *memory, size_t size) {
    note(__builtin_return_address(0));
    return __libc_realloc(memory, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    note(__builtin_return_address(0));
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **memory, size_t alignment, size_t size) {
    note(__builtin_return_address(0));
    *memory = __libc_memalign(alignment, size);
    return *memory ? 0 : ENOMEM;
}
