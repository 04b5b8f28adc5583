#!/usr/bin/env python3
"""Runs the programs of a plan interleaved (A B C A B C), and prints medians, spreads and ratios.

bench.py PLAN ROUNDS OUT.json OUT.svg

A line of the plan is `group|name|command`. The first name of a group is what its ratios are against.
CPU time per request is the figure that decides: it is steady where wall-clock figures are not.
"""
import json
import re
import statistics
import subprocess
import sys


def read_plan(path):
    plan = []
    for line in open(path):
        line = line.strip()
        if line and not line.startswith("#"):
            group, name, command = line.split("|", 2)
            plan.append((group, name, command))
    return plan


def run(command):
    done = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=300)
    figures = {key: float(value) for key, value in re.findall(r"\b(\w+)=([0-9.]+)\b", done.stdout)}
    if "cpu_us" not in figures:
        print(f"failed: {command}\n{done.stderr[-400:]}", file=sys.stderr)
        return None
    return figures


def median(results, key):
    values = [figures[key] for figures in results if key in figures]
    return statistics.median(values) if values else None


def table(group, names, results):
    lines = [f"\n## {group}\n", "| client | CPU us per request (min-max) | ratio | requests/s | p50 us | p99 us | peak MiB |",
             "| --- | --- | --- | --- | --- | --- | --- |"]
    base = median(results[(group, names[0])], "cpu_us")
    for name in names:
        own = results[(group, name)]
        if not own:
            lines.append(f"| {name} | failed | | | | | |")
            continue
        cpu = [figures["cpu_us"] for figures in own]

        def shown(key, scale=1.0, digits=0):
            value = median(own, key)
            return "-" if value is None else f"{value * scale:.{digits}f}"

        ratio = f"{statistics.median(cpu) / base:.2f}" if base else "-"
        lines.append(f"| {name} | {statistics.median(cpu):.1f} ({min(cpu):.1f}-{max(cpu):.1f}) | {ratio} | {shown('rps')} | "
                     f"{shown('p50_us')} | {shown('p99_us')} | {shown('rss_kb', 1 / 1024, 1)} |")
    return "\n".join(lines)


def chart(groups, results):
    """Bars of CPU time per request, relative to the first of each group."""
    rows, y = [], 30
    width, left = 760, 250
    for group, names in groups.items():
        base = median(results[(group, names[0])], "cpu_us")
        if not base:
            continue
        rows.append(f'<text x="10" y="{y}" font-weight="bold">{group}</text>')
        y += 8
        ratios = {name: (median(results[(group, name)], "cpu_us") or 0) / base for name in names}
        scale = (width - left - 70) / max(max(ratios.values()), 1)
        for name, ratio in ratios.items():
            y += 18
            rows.append(f'<text x="20" y="{y}">{name}</text><rect x="{left}" y="{y - 11}" width="{ratio * scale:.1f}" height="13" '
                        f'fill="{"#e8590c" if name.startswith("Strata") else "#adb5bd"}"/>'
                        f'<text x="{left + ratio * scale + 6:.1f}" y="{y}">{ratio:.2f}</text>')
        y += 34
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {y}" font-family="sans-serif" font-size="12">'
            + "".join(rows) + "</svg>")


def main():
    plan, rounds = read_plan(sys.argv[1]), int(sys.argv[2])
    results = {(group, name): [] for group, name, _ in plan}
    groups = {}
    for group, name, _ in plan:
        groups.setdefault(group, []).append(name)
    for number in range(rounds):
        print(f"round {number + 1} of {rounds}", file=sys.stderr)
        for group, name, command in plan:
            figures = run(command)
            if figures:
                results[(group, name)].append(figures)
    for group, names in groups.items():
        print(table(group, names, results))
    with open(sys.argv[3], "w") as out:
        json.dump({f"{group} / {name}": values for (group, name), values in results.items()}, out, indent=1)
    with open(sys.argv[4], "w") as out:
        out.write(chart(groups, results))


main()
