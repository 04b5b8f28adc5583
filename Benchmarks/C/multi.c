// SPDX-License-Identifier: Apache-2.0
// The floor: libcurl's multi interface in C, with curl_multi_poll; bodies are discarded, or kept in a buffer of the transfer.
//
//     multi url=URL [c=64] [n=20000] [warm=2000] [h2=1] [post=BYTES] [upload=BYTES] [keep=1]
//
// Prints the same figures as the Swift programs.
#define _GNU_SOURCE
#include <curl/curl.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

typedef struct {
    CURL *easy;
    uint64_t begun;
    long long unsent;
    char *body;
    size_t length, room;
} transfer;

static long long received;

static const char *text(int argc, char **argv, const char *key, const char *fallback) {
    size_t length = strlen(key);
    for (int i = 1; i < argc; i++)
        if (!strncmp(argv[i], key, length) && argv[i][length] == '=') return argv[i] + length + 1;
    return fallback;
}

static long number(int argc, char **argv, const char *key, const char *fallback) {
    return atol(text(argc, argv, key, fallback));
}

static uint64_t monotonic(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000ull + (uint64_t)t.tv_nsec;
}

static double microseconds(struct timeval t) { return t.tv_sec * 1e6 + t.tv_usec; }

static int ascending(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static size_t discard(char *bytes, size_t size, size_t count, void *context) {
    (void)bytes;
    (void)context;
    received += (long long)(size * count);
    return size * count;
}

static size_t keep(char *bytes, size_t size, size_t count, void *context) {
    transfer *t = context;
    size_t piece = size * count;
    curl_off_t announced = 0;
    if (!t->length) curl_easy_getinfo(t->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &announced);
    if (announced > (curl_off_t)t->room) {
        t->room = (size_t)announced;
        t->body = realloc(t->body, t->room);
    }
    if (!t->body || piece > t->room - t->length) return 0;
    memcpy(t->body + t->length, bytes, piece);
    t->length += piece;
    return discard(bytes, size, count, NULL);
}

static size_t ignore(char *bytes, size_t size, size_t count, void *context) {
    (void)bytes;
    (void)context;
    return size * count;
}

static size_t supply(char *bytes, size_t size, size_t count, void *context) {
    transfer *t = context;
    size_t part = size * count;
    if ((long long)part > t->unsent) part = (size_t)t->unsent;
    memset(bytes, 0, part);
    t->unsent -= (long long)part;
    return part;
}

int main(int argc, char **argv) {
    const char *url = text(argc, argv, "url", "http://127.0.0.1:18080/1k");
    long concurrency = number(argc, argv, "c", "64");
    long counts[2] = {number(argc, argv, "warm", "2000"), number(argc, argv, "n", "20000")};
    long h2 = number(argc, argv, "h2", "0"), post = number(argc, argv, "post", "0");
    long upload = number(argc, argv, "upload", "0"), keeps = number(argc, argv, "keep", "0");
    unsigned long (*mallocs)(void) = (unsigned long (*)(void))dlsym(RTLD_DEFAULT, "bench_mallocs");

    curl_global_init(CURL_GLOBAL_ALL);
    CURLM *multi = curl_multi_init();
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, concurrency > 64 ? concurrency : 64L);
    char *payload = calloc(1, (size_t)post + 1);
    struct curl_slist *fields = curl_slist_append(NULL, "Expect:");
    transfer *transfers = calloc((size_t)concurrency, sizeof(*transfers));
    for (long i = 0; i < concurrency; i++) {
        CURL *easy = transfers[i].easy = curl_easy_init();
        curl_easy_setopt(easy, CURLOPT_URL, url);
        curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, keeps ? keep : discard);
        curl_easy_setopt(easy, CURLOPT_WRITEDATA, &transfers[i]);
        curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, ignore);
        curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
        curl_easy_setopt(easy, CURLOPT_PROXY, "");
        curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, 65536L);
        curl_easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 0L);
        curl_easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 0L);
        curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)(h2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1));
        if (h2) curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 1L);
        if (post) {
            curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, post);
            curl_easy_setopt(easy, CURLOPT_POSTFIELDS, payload);
            curl_easy_setopt(easy, CURLOPT_HTTPHEADER, fields);
        }
        if (upload) {
            curl_easy_setopt(easy, CURLOPT_UPLOAD, 1L);
            curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, "POST");
            curl_easy_setopt(easy, CURLOPT_READFUNCTION, supply);
            curl_easy_setopt(easy, CURLOPT_READDATA, &transfers[i]);
            curl_easy_setopt(easy, CURLOPT_INFILESIZE_LARGE, (curl_off_t)upload);
            curl_easy_setopt(easy, CURLOPT_UPLOAD_BUFFERSIZE, 65536L);
            curl_easy_setopt(easy, CURLOPT_HTTPHEADER, fields);
        }
        curl_easy_setopt(easy, CURLOPT_PRIVATE, (void *)(intptr_t)i);
    }
    for (int phase = 0; phase < 2; phase++) {
        long count = counts[phase], started = 0, done = 0;
        uint32_t *latencies = malloc(sizeof(*latencies) * (size_t)(count + 1));
        struct rusage before, after;
        getrusage(RUSAGE_SELF, &before);
        unsigned long allocated = mallocs ? mallocs() : 0;
        uint64_t begin = monotonic();
        received = 0;
        for (long i = 0; i < concurrency && started < count; i++, started++) {
            transfers[i].begun = monotonic();
            transfers[i].unsent = upload;
            curl_multi_add_handle(multi, transfers[i].easy);
        }
        while (done < count) {
            int running, queued, got = 0;
            CURLMsg *message;
            curl_multi_perform(multi, &running);
            while ((message = curl_multi_info_read(multi, &queued))) {
                if (message->msg != CURLMSG_DONE) continue;
                CURL *handle = message->easy_handle;
                if (message->data.result) {
                    fprintf(stderr, "%s\n", curl_easy_strerror(message->data.result));
                    return 1;
                }
                char *mark;
                curl_easy_getinfo(handle, CURLINFO_PRIVATE, &mark);
                transfer *own = &transfers[(intptr_t)mark];
                latencies[done++] = (uint32_t)(monotonic() - own->begun);
                got++;
                own->length = 0;
                curl_multi_remove_handle(multi, handle);
                if (started < count) {
                    own->begun = monotonic();
                    own->unsent = upload;
                    curl_multi_add_handle(multi, handle);
                    started++;
                }
            }
            if (done < count && !got) curl_multi_poll(multi, NULL, 0, 1000, NULL);
        }
        if (phase == 1) {
            double wall = (double)(monotonic() - begin) / 1e9, n = (double)done;
            getrusage(RUSAGE_SELF, &after);
            unsigned long now = mallocs ? mallocs() : 0;
            qsort(latencies, (size_t)done, sizeof(*latencies), ascending);
            double user = microseconds(after.ru_utime) - microseconds(before.ru_utime);
            double sys = microseconds(after.ru_stime) - microseconds(before.ru_stime);
            printf("c=%ld n=%ld rps=%.0f cpu_us=%.2f user_us=%.2f sys_us=%.2f p50_us=%.1f p99_us=%.1f rss_kb=%ld bytes=%lld",
                   concurrency, done, n / wall, (user + sys) / n, user / n, sys / n, latencies[done / 2] / 1000.0,
                   latencies[(long)(n * 0.99)] / 1000.0, after.ru_maxrss, received / done);
            if (mallocs) printf(" mallocs=%.2f", (double)(now - allocated) / n);
            printf("\n");
        }
        free(latencies);
    }
    return 0;
}
