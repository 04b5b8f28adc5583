// SPDX-License-Identifier: Apache-2.0
//! Rust's hyper under the same load, all in one thread: `hyperbench url=URL [c=64] [n=20000] [warm=2000]`. Prints the same figures as the
//! Swift programs. Bodies are read and counted.
use hyper::{body::HttpBody, client::HttpConnector, Body, Client, Uri};
use std::time::Instant;

#[repr(C)]
#[derive(Default)]
struct Time {
    seconds: i64,
    microseconds: i64,
}

#[repr(C)]
#[derive(Default)]
struct Usage {
    user: Time,
    system: Time,
    largest: i64,
    rest: [i64; 13],
}

extern "C" {
    fn getrusage(who: i32, usage: *mut Usage) -> i32;
}

fn usage() -> (f64, f64, i64) {
    let mut usage = Usage::default();
    unsafe { getrusage(0, &mut usage) };
    let all = |time: &Time| time.seconds as f64 * 1e6 + time.microseconds as f64;
    (all(&usage.user), all(&usage.system), usage.largest)
}

fn argument(key: &str, fallback: &str) -> String {
    let start = format!("{}=", key);
    std::env::args().find_map(|argument| argument.strip_prefix(&start).map(String::from)).unwrap_or_else(|| fallback.into())
}

fn number(key: &str, fallback: &str) -> usize {
    argument(key, fallback).parse().expect("a number")
}

/// So many requests, `concurrency` at once: the latency of each in nanoseconds, and the bytes of all bodies.
async fn round(client: &Client<HttpConnector, Body>, url: &Uri, concurrency: usize, total: usize) -> (Vec<u64>, usize) {
    let each = std::cmp::max(1, total / concurrency);
    let tasks: Vec<_> = (0..concurrency)
        .map(|_| {
            let (client, url) = (client.clone(), url.clone());
            tokio::spawn(async move {
                let (mut latencies, mut bytes) = (Vec::with_capacity(each), 0);
                for _ in 0..each {
                    let begun = Instant::now();
                    let mut response = client.get(url.clone()).await.expect("a response");
                    while let Some(piece) = response.body_mut().data().await {
                        bytes += piece.expect("a whole body").len();
                    }
                    latencies.push(begun.elapsed().as_nanos() as u64);
                }
                (latencies, bytes)
            })
        })
        .collect();
    let (mut all, mut sum) = (Vec::with_capacity(each * concurrency), 0);
    for task in tasks {
        let (latencies, bytes) = task.await.expect("a task that ends");
        all.extend(latencies);
        sum += bytes;
    }
    (all, sum)
}

fn main() {
    let (concurrency, count, warm) = (number("c", "64"), number("n", "20000"), number("warm", "2000"));
    let url: Uri = argument("url", "http://127.0.0.1:18080/1k").parse().expect("a URL");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async move {
        let client = Client::builder().pool_max_idle_per_host(concurrency).build_http::<Body>();
        if warm > 0 {
            round(&client, &url, concurrency, warm).await;
        }
        let (before, begun) = (usage(), Instant::now());
        let (mut latencies, bytes) = round(&client, &url, concurrency, count).await;
        let (wall, after, n) = (begun.elapsed().as_secs_f64(), usage(), latencies.len() as f64);
        latencies.sort();
        let part = |part: f64| latencies[std::cmp::min(latencies.len() - 1, (n * part) as usize)] as f64 / 1000.0;
        let (user, system) = ((after.0 - before.0) / n, (after.1 - before.1) / n);
        println!(
            "c={} n={} rps={:.0} cpu_us={:.2} user_us={:.2} sys_us={:.2} p50_us={:.1} p99_us={:.1} rss_kb={} bytes={:.0}",
            concurrency, n, n / wall, user + system, user, system, part(0.5), part(0.99), after.2, bytes as f64 / n
        );
    });
}
