// SPDX-License-Identifier: Apache-2.0
// The floor: libcurl's multi interface in C, with curl_multi_poll. multi NAME URL CONCURRENCY COUNT WARM-UP [h2]
#define _GNU_SOURCE
#include <curl/curl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

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
    *(long long *)context += (long long)(size * count);
    return size * count;
}

static size_t ignore(char *bytes, size_t size, size_t count, void *context) {
    (void)bytes;
    (void)context;
    return size * count;
}

int main(int argc, char **argv) {
    if (argc < 6) return 2;
    const char *name = argv[1], *url = argv[2];
    long concurrency = atol(argv[3]), counts[2] = {atol(argv[5]), atol(argv[4])};
    int h2 = argc > 6 && strcmp(argv[6], "h2") == 0;
    curl_global_init(CURL_GLOBAL_ALL);
    CURLM *multi = curl_multi_init();
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, concurrency > 64 ? concurrency : 64L);
    long long bytes = 0;
    CURL **easy = calloc((size_t)concurrency, sizeof(*easy));
    uint64_t *begun = calloc((size_t)concurrency, sizeof(*begun));
    for (long i = 0; i < concurrency; i++) {
        easy[i] = curl_easy_init();
        curl_easy_setopt(easy[i], CURLOPT_URL, url);
        curl_easy_setopt(easy[i], CURLOPT_WRITEFUNCTION, discard);
        curl_easy_setopt(easy[i], CURLOPT_WRITEDATA, &bytes);
        curl_easy_setopt(easy[i], CURLOPT_HEADERFUNCTION, ignore);
        curl_easy_setopt(easy[i], CURLOPT_NOSIGNAL, 1L);
        curl_easy_setopt(easy[i], CURLOPT_PROXY, "");
        curl_easy_setopt(easy[i], CURLOPT_SSL_VERIFYPEER, 0L);
        curl_easy_setopt(easy[i], CURLOPT_SSL_VERIFYHOST, 0L);
        curl_easy_setopt(easy[i], CURLOPT_HTTP_VERSION, (long)(h2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1));
        if (h2) curl_easy_setopt(easy[i], CURLOPT_PIPEWAIT, 1L);
        curl_easy_setopt(easy[i], CURLOPT_PRIVATE, (void *)(intptr_t)i);
    }
    for (int phase = 0; phase < 2; phase++) {
        long count = counts[phase], started = 0, done = 0;
        uint32_t *latencies = malloc(sizeof(*latencies) * (size_t)(count + 1));
        struct rusage before, after;
        getrusage(RUSAGE_SELF, &before);
        uint64_t begin = monotonic();
        bytes = 0;
        for (long i = 0; i < concurrency && started < count; i++, started++) {
            begun[i] = monotonic();
            curl_multi_add_handle(multi, easy[i]);
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
                intptr_t i = (intptr_t)mark;
                latencies[done++] = (uint32_t)(monotonic() - begun[i]);
                got++;
                curl_multi_remove_handle(multi, handle);
                if (started < count) {
                    begun[i] = monotonic();
                    curl_multi_add_handle(multi, handle);
                    started++;
                }
            }
            if (done < count && !got) curl_multi_poll(multi, NULL, 0, 1000, NULL);
        }
        if (phase == 1) {
            double wall = (double)(monotonic() - begin) / 1e9;
            getrusage(RUSAGE_SELF, &after);
            qsort(latencies, (size_t)done, sizeof(*latencies), ascending);
            double user = microseconds(after.ru_utime) - microseconds(before.ru_utime);
            double sys = microseconds(after.ru_stime) - microseconds(before.ru_stime);
            printf("name=%s c=%ld n=%ld rps=%.0f cpu_us=%.1f user_us=%.1f sys_us=%.1f p50_us=%.1f p99_us=%.1f rss_kb=%ld bytes=%lld\n",
                   name, concurrency, done, (double)done / wall, (user + sys) / (double)done, user / (double)done, sys / (double)done,
                   latencies[done / 2] / 1000.0, latencies[(long)((double)done * 0.99)] / 1000.0, after.ru_maxrss, bytes / done);
        }
        free(latencies);
    }
    return 0;
}
