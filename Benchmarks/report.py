"""Tables, goals and the chart."""
import statistics
from html import escape

from plan import (BARE, FLOOR, HYPER, KEEPING, NATIVE, NATIVE_HTTP1, NATIVE_STACK, ON_LOOP, ON_LOOPS, OVER_SESSION, PEER, SESSION,
                  STACK, TUNNELED)


def median(row, key):
    values = [figures[key] for _, figures in row.results if key in figures]
    return statistics.median(values) if values else None


def ratios(row, base, key="cpu_us"):
    """One ratio for each round in which both ran."""
    others = dict(base.results)
    return [figures[key] / others[number][key] for number, figures in row.results
            if number in others and others[number].get(key)]


def by_group(rows):
    groups = {}
    for row in rows:
        groups.setdefault(row.group, {})[row.name] = row
    return groups


# Tables

COLUMNS = [("rps", "requests/s", 0), ("messages_s", "messages/s, 64 under way", 0), ("read_s", "messages/s read", 0), ("mib_per_s", "MiB/s", 0), ("p50_us", "p50 us", 0), ("p99_us", "p99 us", 0),
           ("growth_kb", "growth MiB", 1), ("rss_kb", "peak MiB", 1), ("stream_kb", "KiB a stream", 1),
           ("rest_percent", "% of a core at rest", 2), ("beside_ratio", "CPU of a GET beside / alone", 2),
           ("p50_ratio", "p50 beside / alone", 2), ("opened_ms", "all open after ms", 0), ("ended_ms", "all ended after ms", 1),
           ("cancelled", "ended as cancelled", 0), ("left", "descriptors left", 0)]


def table(group, rows):
    rows = list(rows.values())
    base = rows[0]
    columns = [column for column in COLUMNS if any(median(row, column[0]) is not None for row in rows)]
    counts = any(row.mallocs is not None for row in rows)
    head = ["client", "CPU us", "ratio (min to max)"] + [title for _, title, _ in columns] + (
        ["mallocs", "not libcurl's"] if counts else [])
    lines = [f"\n## {group}\n", "| " + " | ".join(head) + " |", "| --- |" + " ---: |" * (len(head) - 1)]
    for row in rows:
        if not row.results:
            lines.append(f"| {row.name} | failed |" + " |" * (len(head) - 2))
            continue
        against = ratios(row, base)
        cells = [row.name, f"{median(row, 'cpu_us'):.1f}"]
        cells.append(f"{statistics.median(against):.2f} ({min(against):.2f} to {max(against):.2f})" if against else "-")
        for key, _, digits in columns:
            value = median(row, key)
            cells.append("-" if value is None else f"{value / 1024 if key in ('growth_kb', 'rss_kb') else value:.{digits}f}")
        if counts:
            cells.append("-" if row.mallocs is None else f"{row.mallocs:.1f}")
            cells.append("-" if row.own_mallocs is None or row.name == PEER else f"{row.own_mallocs:.1f}")
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def micro_table(micro):
    lines = ["\n## Without a network\n", "| operation | CPU ns | mallocs | MB/s | things/s | ms blocked |", "| --- | ---: | ---: | ---: | ---: | ---: |"]
    for name, figures in micro.items():
        def shown(key, digits=0):
            return f"{figures[key]:,.{digits}f}" if figures.get(key) is not None else "-"
        lines.append(f"| {name} | {shown('cpu_ns')} | {shown('mallocs', 1)} | {shown('mb_per_s')} | {shown('per_s')} | {shown('blocked_ms', 2)} |")
    return "\n".join(lines)


# Goals

def goals(rows, micro):
    """What is to hold, what was measured: text, goal, value."""
    groups = by_group(rows)
    one, many, most, large, h2 = (groups.get(name, {}) for name in (
        "1 KB GET, one at a time, one CPU", "1 KB GET, 64 at once", "1 KB GET, 512 at once", "100 KB GET, 64 at once",
        "1 KB GET, HTTP/2 over TLS, 64 at once"))
    found = []

    def add(text, goal, value, at_least=False):
        if value is not None:
            found.append((text, goal, value, value >= goal if at_least else value <= goal))

    def ratio(group, name, base, key="cpu_us"):
        if name not in group or base not in group:
            return None
        values = ratios(group[name], group[base], key)
        return statistics.median(values) if values else None

    def figure(group, key, name=BARE):
        row = groups.get(group, {}).get(name)
        return median(row, key) if row else None

    add("64 at once, against C", 1.4, ratio(many, BARE, FLOOR))
    add("64 at once, against AsyncHTTPClient", 0.5, ratio(many, BARE, PEER))
    add("64 at once, against URLSession", 0.08, ratio(many, BARE, SESSION))
    add("one at a time, against C", 1.2, ratio(one, BARE, FLOOR))
    add("one at a time, against AsyncHTTPClient", 0.3, ratio(one, BARE, PEER))
    add("one at a time, p50 against C", 1.1, ratio(one, BARE, FLOOR, "p50_us"))
    add("512 at once, against C", 1.3, ratio(most, BARE, FLOOR))
    add("requests/s at 64, against AsyncHTTPClient (at least)", 1.8, ratio(many, BARE, PEER, "rps"), True)
    add("requests/s at 64, against URLSession (at least)", 13, ratio(many, BARE, SESSION, "rps"), True)
    add("100 KB GET, against C, which discards it", 1.15, ratio(large, BARE, FLOOR))
    add("100 KB GET, against AsyncHTTPClient", 0.5, ratio(large, BARE, PEER))
    add("HTTP/2 over TLS, against AsyncHTTPClient", 0.4, ratio(h2, BARE, PEER))
    add("HTTP/2 over TLS, against C", 1.2, ratio(h2, BARE, FLOOR))
    add("five middleware and JSON, against bare AsyncHTTPClient", 0.85, ratio(many, STACK, PEER))
    if many and many[BARE].mallocs and many[FLOOR].mallocs:
        add("mallocs a request beside libcurl's own", 8, many[BARE].own_mallocs)
        add("all mallocs a request, libcurl's too, less those of the C program (negative: fewer)", 8, many[BARE].mallocs - many[FLOOR].mallocs)
    for way in ("100 MB down, per MiB", "100 MB up, per MiB"):
        growth = figure(way, "growth_kb")
        add(f"{way[:-9]}: memory growth in MB", 2.5, growth and growth / 1000)
        add(f"{way[:-9]}: CPU against AsyncHTTPClient", 1.0, ratio(groups.get(way, {}), BARE, PEER))
    slow = figure("100 MB down, per MiB", "growth_kb", "Strata, slow reader")
    add("100 MB down, slow reader: memory growth in MB", 2.5, slow and slow / 1000)
    for group in ("1 GB down, per MiB", "1 GB up, per MiB", "1 GB file as a part of a form, per MiB"):
        growth = figure(group, "growth_kb")
        add(f"{group[:-9]}: memory growth in MB", 16, growth and growth / 1000)
    add("idle event streams: KB each", 19, figure("idle event streams", "stream_kb"))
    add("idle event streams: % of a core at rest", 0.1, figure("idle event streams", "rest_percent"))
    add("idle event streams: CPU of a GET beside them, against alone", 1.1, figure("idle event streams", "beside_ratio"))
    add("500 calls cancelled: ms until all ended", 30, figure("500 calls cancelled, per call", "ended_ms"))

    native_goals(add, ratio, figure, groups)

    def cost(name, key="cpu_ns"):
        return micro.get(name, {}).get(key)

    if micro:
        none, twenty = "execute, 0 pass-through middleware", "execute, 20 pass-through middleware"
        add("a pass-through middleware: ns", 25, (cost(twenty) - cost(none)) / 20)
        if cost(none, "mallocs") is not None:
            add("a pass-through middleware: mallocs", 0, round((cost(twenty, "mallocs") - cost(none, "mallocs")) / 20, 1))
        items = "a request with five query items"
        add("five query items, against URLComponents", 0.2,
            (cost(items) - cost("a request without query items")) / cost("URLComponents with five query items"))
        add("a whole request with five query items, against URLComponents alone", 1,
            cost(items) / cost("URLComponents with five query items"))
        add("event streams, events of 1 MiB: MB/s (at least)", 1000, cost("events of 1 MiB", "mb_per_s"), True)
        add("event streams, small events: per second (at least)", 5e6, cost("small events (data: message)", "per_s"), True)
        add("20,000 objects: ms in which a busy main actor is held up", 5,
            cost("20,000 objects for the main actor, Sendable", "blocked_ms"))
    return found


def native_goals(add, ratio, figure, groups):
    """Those of NativeTransport: with the tasks in Swift's thread pool, and on the loop's thread."""
    one, many, most, large, secure = (groups.get(name, {}) for name in (
        "1 KB GET, one at a time, one CPU", "1 KB GET, 64 at once", "1 KB GET, 512 at once", "100 KB GET, 64 at once",
        "1 KB GET, HTTP/1.1 over TLS, 64 at once"))
    for group, what, base, goals, key in (
        (many, "64 at once, against C", FLOOR, (0.85, 0.72), "cpu_us"),
        (many, "64 at once, against hyper", HYPER, (1.1, 0.95), "cpu_us"),
        (many, "64 at once, against AsyncHTTPClient", PEER, (0.34, 0.29), "cpu_us"),
        (most, "512 at once, against C", FLOOR, (0.65, 0.5), "cpu_us"),
        (most, "512 at once, against hyper", HYPER, (0.95, 0.75), "cpu_us"),
        (one, "one at a time, against C", FLOOR, (1.1, 0.85), "cpu_us"),
        (one, "one at a time, p50 against C", FLOOR, (1.05, 0.9), "p50_us"),
        (secure, "HTTP/1.1 over TLS, against C", FLOOR, (0.75, 0.65), "cpu_us"),
        (secure, "HTTP/1.1 over TLS, against AsyncHTTPClient", PEER, (0.25, 0.22), "cpu_us"),
        (large, "100 KB GET, against C, which keeps it", KEEPING, (0.95, 0.9), "cpu_us"),
        (large, "100 KB GET, against hyper", HYPER, (1.2, 1.1), "cpu_us"),
    ):
        for name, goal, place in zip((NATIVE, ON_LOOP), goals, ("native", "native, on the loop")):
            add(f"{place}: {what}", goal, ratio(group, name, base, key))
    for name, place in ((NATIVE, "native"), (ON_LOOP, "native, on the loop")):
        costs = [figure(f"1 KB GET, HTTP/2 over TLS, {count} at once", "cpu_us", name) for count in ("1,000", "64")]
        add(f"{place}: 1,000 streams of a connection, against 64", 1.3, costs[0] / costs[1] if all(costs) else None)
    add("native: 100 MB down over HTTP/2, CPU against HTTP/1.1", 1.2,
        ratio(groups.get("100 MB down over TLS, per MiB", {}), NATIVE, NATIVE_HTTP1))
    add("native: HTTP/1.1 over TLS through a proxy, against direct", 1.05,
        ratio(groups.get("1 KB GET, HTTP/1.1 over TLS, one at a time", {}), TUNNELED, NATIVE))
    for way, goal in (("100 MB down, per MiB", 0.65), ("100 MB up, per MiB", 0.8)):
        growth = figure(way, "growth_kb", NATIVE)
        add(f"native: {way[:-9]}: CPU against AsyncHTTPClient", goal, ratio(groups.get(way, {}), NATIVE, PEER))
        add(f"native: {way[:-9]}: memory growth in MB", 1, growth and growth / 1000)
    add("native: idle event streams: KB each", 10, figure("idle event streams", "stream_kb", NATIVE))
    add("native: idle event streams: % of a core at rest", 0.1, figure("idle event streams", "rest_percent", NATIVE))
    add("native: five middleware and JSON, against bare AsyncHTTPClient", 0.65, ratio(many, NATIVE_STACK, PEER))
    add("native: mallocs a request", 6, many[NATIVE].mallocs if NATIVE in many else None)
    add("native: requests/s of two loops, against one (at least)", 1.6,
        ratio(groups.get("1 KB GET, 64 at once, all CPUs", {}), ON_LOOPS, ON_LOOP, "rps"), True)


def goal_table(found):
    lines = ["\n## Goals\n", "| what | goal | measured | holds |", "| --- | ---: | ---: | --- |"]
    for text, goal, value, holds in found:
        digits = 0 if goal >= 100 else 2
        wanted = f"{goal:,.0f}" if goal >= 100 else f"{goal:g}"
        lines.append(f"| {text} | {wanted} | {value:,.{digits}f} | {'yes' if holds else 'no'} |")
    return "\n".join(lines)


def markdown(rows, micro):
    parts = [table(group, own) for group, own in by_group(rows).items()]
    if micro:
        parts.append(micro_table(micro))
    parts.append(goal_table(goals(rows, micro)))
    return "\n".join(parts)


# Chart

CHARTED = ["1 KB GET, one at a time, one CPU", "1 KB GET, 64 at once", "1 KB GET, 512 at once", "100 KB GET, 64 at once",
           "1 KB POST, 64 at once", "1 KB GET, HTTP/2 over TLS, 64 at once"]
# By the beginning of a client's name, the longest first; others are grey.
COLOURS = [(NATIVE, "#2f9e44"), (OVER_SESSION, "#1c7ed6"), (BARE, "#e8590c")]


def chart(rows):
    """Bars of CPU time per request, relative to libcurl in C, a colour for each of our transports; bars that would not fit are cut and
    say so."""
    width, left, longest = 800, 320, 6.0
    scale = (width - left - 90) / longest
    shapes, y = [], 46
    groups = by_group(rows)
    for group in CHARTED:
        named = groups.get(group)
        if not named:
            continue
        own = list(named.values())
        shapes.append(f'<text x="10" y="{y}" font-weight="bold">{escape(group)}</text>')
        y += 6
        for row in own:
            values = ratios(row, own[0])
            if not values:
                continue
            y += 19
            value = statistics.median(values)
            bar = min(value, longest) * scale
            colour = next((colour for start, colour in COLOURS if row.name.startswith(start)), "#868e96")
            shapes.append(f'<text x="24" y="{y}">{escape(row.name)}</text>'
                          f'<rect x="{left}" y="{y - 11}" width="{bar:.1f}" height="13" fill="{colour}"/>'
                          f'<text x="{left + bar + 6:.1f}" y="{y}">{value:.2f}{" (cut)" if value > longest else ""}</text>')
        y += 34
    title = ('<text x="10" y="22" font-size="14" font-weight="bold">Processor time per request, libcurl in C = 1 '
             '(shorter is better)</text>')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{y - 10}" viewBox="0 0 {width} {y - 10}" '
            f'font-family="sans-serif" font-size="12"><rect width="{width}" height="{y - 10}" fill="#ffffff"/>{title}{"".join(shapes)}</svg>\n')
