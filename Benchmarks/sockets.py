#!/usr/bin/env python3
"""WebSockets beside Python's websockets, over one server of it: sockets.py BENCH [ROUNDS], where BENCH is the program StrataBench; where
PeerBench stands beside it, swift-nio's WebSocket client too.

The server echoes; `burst N SIZE` has it send N messages. One run interleaves both clients; the medians are printed.
"""
import asyncio
import os
import statistics
import subprocess
import sys
import time

import websockets.asyncio.client as client
import websockets.asyncio.server as server

COUNT, SIZE = 10_000, 100


async def echo(socket):
    async for message in socket:
        if message.startswith("burst "):
            _, count, size = message.split()
            text = "*" * int(size)
            for _ in range(int(count)):
                await socket.send(text)
        else:
            await socket.send(message)


async def serve(port):
    async with server.serve(echo, "127.0.0.1", port, compression=None, ping_interval=None, backlog=4096) as running:
        print(running.sockets[0].getsockname()[1], flush=True)
        await asyncio.get_running_loop().create_future()


async def measure(url, count):
    async with client.connect(url, compression=None, ping_interval=None) as socket:
        text, times = "*" * SIZE, []
        for _ in range(500):
            await socket.send(text)
            await socket.recv()
        cpu = time.process_time()
        for _ in range(count):
            begin = time.perf_counter()
            await socket.send(text)
            await socket.recv()
            times.append(time.perf_counter() - begin)
        cpu = time.process_time() - cpu
        times.sort()

        begin = time.perf_counter()
        for number in range(count):
            await socket.send(text)
            if number >= 64:
                await socket.recv()
        for _ in range(64):
            await socket.recv()
        passing = time.perf_counter() - begin
        begin = time.perf_counter()
        await socket.send("burst %d %d" % (count, SIZE))
        for _ in range(count):
            await socket.recv()
        reading = time.perf_counter() - begin
    print("n=%d p50_us=%.1f p99_us=%.1f cpu_us=%.1f rps=%.0f messages_s=%.0f read_s=%.0f" % (
        count, times[count // 2] * 1e6, times[count * 99 // 100] * 1e6, cpu / count * 1e6, count / sum(times),
        count / passing, count / reading))


def figures(command):
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    return {name: float(value) for name, value in (word.split("=") for word in text if "=" in word)}


def main(bench, rounds):
    process = subprocess.Popen([sys.executable, __file__, "serve", "0"], stdout=subprocess.PIPE, text=True)
    try:
        port = int(process.stdout.readline())
        commands = {
            "Strata, NativeTransport": [bench, "what=socket", f"n={COUNT}", f"size={SIZE}", f"url=http://127.0.0.1:{port}"],
            "Strata, tasks on its loop": [bench, "what=socket", "executor=loop", f"n={COUNT}", f"size={SIZE}",
                                          f"url=http://127.0.0.1:{port}"],
            "swift-nio": [os.path.join(os.path.dirname(bench), "PeerBench"), "what=socket", f"n={COUNT}", f"size={SIZE}",
                          f"url=http://127.0.0.1:{port}"],
            "websockets": [sys.executable, __file__, "measure", f"ws://127.0.0.1:{port}"],
        }
        commands = {name: command for name, command in commands.items() if os.path.exists(command[0])}
        results = {name: [] for name in commands}
        for _ in range(rounds):
            for name, command in commands.items():
                results[name].append(figures(command))
        for name, rows in results.items():
            print(name, *("%s=%.1f" % (key, statistics.median(row[key] for row in rows)) for key in rows[0]))
        idle = [bench, "what=sockets", "n=5000", f"url=http://127.0.0.1:{port}"]
        print("5000 idle sockets", *("%s=%.1f" % item for item in figures(idle).items()))
    finally:
        process.terminate()


if __name__ == "__main__":
    if sys.argv[1:2] == ["serve"]:
        asyncio.run(serve(int(sys.argv[2])))
    elif sys.argv[1:2] == ["measure"]:
        asyncio.run(measure(sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else COUNT))
    else:
        main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 3)
