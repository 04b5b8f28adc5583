#!/usr/bin/env python3
"""Runs the plan interleaved (A B C A B C), then counts allocations, and prints medians, ratios and the goals.

    bench.py --bin FOLDER --work FOLDER [--rounds 5] [--scale 1] [--only WORDS] [--micro]

Writes results.json, results.md and results.svg into the work folder. CPU time per request is the figure that decides: it is
steady where wall-clock figures are not. The first name of a group is what its ratios are against.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

import report
from plan import make_plan


def run(command, preload=None):
    """The figures that the command prints, or None."""
    environment = dict(os.environ, **({"LD_PRELOAD": preload} if preload else {}))
    try:
        done = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=300, env=environment)
    except subprocess.TimeoutExpired:
        print(f"took too long: {command}", file=sys.stderr)
        return None
    figures = {key: float(value) for key, value in re.findall(r"\b(\w+)=(-?[0-9.]+)(?=\s|$)", done.stdout)}
    if "cpu_us" not in figures:
        print(f"failed: {command}\n{done.stderr[-400:]}", file=sys.stderr)
        return None
    return figures


def measure(rows, rounds, preload):
    for number in range(rounds):
        print(f"round {number + 1} of {rounds}", file=sys.stderr)
        for row in rows:
            if number >= row.rounds:
                continue
            figures = run(row.command)
            if figures:
                figures["cpu_us"] /= row.parts
                row.results.append((number, figures))
    print("counting allocations", file=sys.stderr)
    for row in rows:
        if row.counted:
            counts = run(row.counted, preload) or {}
            row.mallocs, row.own_mallocs = counts.get("mallocs"), counts.get("own_mallocs")


def micro(binary, preload):
    """Name, figures: times from one run, allocations from another."""
    results = {}
    for environment in (None, preload):
        full = dict(os.environ, **({"LD_PRELOAD": environment} if environment else {}))
        done = subprocess.run([f"{binary}/StrataBench", "what=micro"], capture_output=True, text=True, env=full)
        if done.returncode:
            sys.exit(f"the micro-benchmarks failed: {done.stderr[-400:]}")
        for line in done.stdout.splitlines():
            name, text = line.rsplit("|", 1)
            figures = {key: float(value) for key, value in re.findall(r"(\w+)=(-?[0-9.]+)", text)}
            if environment is None:
                results[name] = figures
            else:
                results[name]["mallocs"] = figures.get("mallocs")
    return results


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--bin", required=True)
    options.add_argument("--work", required=True)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--scale", type=int, default=1)
    options.add_argument("--only", default="")
    options.add_argument("--micro", action="store_true")
    options = options.parse_args()
    # The loader separates what it preloads by spaces, and knows no escape.
    folder = tempfile.TemporaryDirectory()
    preload = shutil.copy(f"{options.work}/mallocs.so", folder.name)
    rows = []
    if not options.micro:
        rows = [row for row in make_plan(options.bin, options.work, options.scale) if options.only in row.group]
        measure(rows, options.rounds, preload)
    small = micro(options.bin, preload) if not options.only else {}
    text = report.markdown(rows, small)
    print(text)
    with open(f"{options.work}/results.md", "w") as out:
        out.write(text + "\n")
    with open(f"{options.work}/results.json", "w") as out:
        json.dump({"requests": [row.as_json() for row in rows], "micro": small}, out, indent=1)
    if rows:
        with open(f"{options.work}/results.svg", "w") as out:
            out.write(report.chart(rows))
    failed = [f"{row.group}: {row.name}" for row in rows if not row.results]
    if failed:
        sys.exit("without a result: " + "; ".join(failed))


main()
