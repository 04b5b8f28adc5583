// SPDX-License-Identifier: Apache-2.0

// Go's net/http under the same load: gobench url=URL [c=64] [n=20000] [warm=2000].
package main

import (
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"os"
	"sort"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

func argument(key, fallback string) string {
	for _, text := range os.Args[1:] {
		if value, found := strings.CutPrefix(text, key+"="); found {
			return value
		}
	}
	return fallback
}

func number(key, fallback string) int {
	value, _ := strconv.Atoi(argument(key, fallback))
	return value
}

func usage() syscall.Rusage {
	var usage syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &usage)
	return usage
}

func microseconds(before, after syscall.Timeval) float64 {
	return float64(after.Sec-before.Sec)*1e6 + float64(after.Usec-before.Usec)
}

func main() {
	url, concurrency := argument("url", "http://127.0.0.1:18080/1k"), number("c", "64")
	client := &http.Client{Transport: &http.Transport{
		MaxIdleConns: 10000, MaxIdleConnsPerHost: 10000, ForceAttemptHTTP2: true,
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
	}}
	round := func(total int) []time.Duration {
		each := max(1, total/concurrency)
		lists := make([][]time.Duration, concurrency)
		var group sync.WaitGroup
		for i := range lists {
			group.Add(1)
			go func() {
				defer group.Done()
				for range each {
					begin := time.Now()
					response, err := client.Get(url)
					if err != nil {
						panic(err)
					}
					io.ReadAll(response.Body)
					response.Body.Close()
					lists[i] = append(lists[i], time.Since(begin))
				}
			}()
		}
		group.Wait()
		var all []time.Duration
		for _, list := range lists {
			all = append(all, list...)
		}
		return all
	}
	round(number("warm", "2000"))
	before, begin := usage(), time.Now()
	latencies := round(number("n", "20000"))
	wall, after := time.Since(begin), usage()
	sort.Slice(latencies, func(i, j int) bool { return latencies[i] < latencies[j] })
	n := float64(len(latencies))
	user, system := microseconds(before.Utime, after.Utime), microseconds(before.Stime, after.Stime)
	at := func(part float64) float64 { return float64(latencies[int((n-1)*part)]) / 1000 }
	fmt.Printf("c=%d n=%.0f rps=%.0f cpu_us=%.2f user_us=%.2f sys_us=%.2f p50_us=%.1f p99_us=%.1f rss_kb=%d\n",
		concurrency, n, n/wall.Seconds(), (user+system)/n, user/n, system/n, at(0.5), at(0.99), after.Maxrss)
}
