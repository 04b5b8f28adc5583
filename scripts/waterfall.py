"""Draws the spans of one call, each at its time, as SVG.

    waterfall.py TELEMETRY.jsonl >WATERFALL.svg
"""

import html
import sys

import otlp

ROW, LEFT, WIDTH, RIGHT = 26, 250, 620, 90


def label(span):
    """What is worth reading beside a bar: the status, or why it failed."""
    found = otlp.attributes(span)
    return str(found.get("http.response.status_code", found.get("error.type", ("", "")))[1])


def main():
    spans, _ = otlp.read(sys.argv[1])

    def attempts(call):
        return sorted((span for span in spans if span.parent_span_id == call.span_id), key=lambda span: span.start_time_unix_nano)

    # The call with the most spans in it.
    call = max((span for span in spans if not span.parent_span_id), key=lambda span: len(attempts(span)))
    rows = [call] + attempts(call)
    start, length = call.start_time_unix_nano, max(call.end_time_unix_nano - call.start_time_unix_nano, 1)
    height = ROW * (len(rows) + 2)
    print(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + RIGHT}" height="{height}" '
        f'font-family="ui-sans-serif, system-ui, sans-serif" font-size="12">'
        f"<title>One call with its attempts</title>"
        f'<rect width="100%" height="100%" fill="#fff"/>')
    for step in range(5):
        x = LEFT + WIDTH * step / 4
        milliseconds = length * step / 4 / 1e6
        print(
            f'<line x1="{x:.1f}" y1="{ROW}" x2="{x:.1f}" y2="{height - ROW / 2}" stroke="#ddd"/>'
            f'<text x="{x:.1f}" y="{ROW - 8}" text-anchor="middle" fill="#666">{milliseconds:.0f} ms</text>')
    for number, span in enumerate(rows):
        y = ROW * (number + 1) + 4
        x = LEFT + WIDTH * (span.start_time_unix_nano - start) / length
        width = max(WIDTH * (span.end_time_unix_nano - span.start_time_unix_nano) / length, 2)
        attempt = otlp.attributes(span).get("http.request.resend_count", ("int", 0))[1] + 1
        name = span.name if span is call else f"attempt {attempt}: {span.name}"
        fill = "#3b6fb6" if span is call else "#c0504d" if span.status.code == span.status.STATUS_CODE_ERROR else "#6a9f58"
        print(
            f'<text x="8" y="{y + 13}" fill="#222">{html.escape(name)}</text>'
            f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{ROW - 8}" rx="2" fill="{fill}"/>'
            f'<text x="{x + width + 5:.1f}" y="{y + 13}" fill="#444">{html.escape(label(span))}</text>')
    print("</svg>")


main()
