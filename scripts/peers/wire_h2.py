#!/usr/bin/env python3
"""Plays the HTTP/2 cases of the vectors: wire_h2.py CASES URL CA -- DRIVER ARGS...

The driver speaks the protocol of the vectors' wirerun.py. What a case expects is read from its sentence: success or error, the
status, the quoted body or its size, fields that are present or absent. Exits 1 when a case fails, whatever its level."""
import base64, json, re, subprocess, sys

cases_path, url, ca = sys.argv[1:4]
command = sys.argv[sys.argv.index("--") + 1:]
cases = json.load(open(cases_path))["cases"]


def play(case):
    """One case, with a driver of its own: a crash or a hang ends no other."""
    request = {
        "id": case["id"],
        "requests": [{
            "method": "GET", "url": url + case["path"], "headers": [],
            "options": {"timeout_ms": 5000, "total_timeout_ms": 8000, "follow_redirects": False, "ca_file": ca},
        }],
    }
    try:
        run = subprocess.run(command, input=json.dumps(request) + "\n", capture_output=True, text=True, timeout=40)
    except subprocess.TimeoutExpired:
        return "hang", "no answer in 40 s"
    lines = run.stdout.strip().splitlines()
    if not lines:
        return "crash", f"exit status {run.returncode}"
    problem = judge(case["expect"], json.loads(lines[-1])["results"][0])
    return ("fail", problem) if problem else ("pass", "")


def judge(expected, result):
    """What is wrong with a result; None when nothing is."""
    if result["outcome"] != re.match(r"\w+", expected)[0]:
        return f"{result['outcome']}: {result.get('message', result.get('status'))}"
    if result["outcome"] == "error":
        return None
    body = base64.b64decode(result.get("body_b64", ""))
    names = {name.lower() for name, _ in result["headers"]}
    if (status := re.search(r"^success (\d{3})\b", expected)) and result["status"] != int(status[1]):
        return f"status {result['status']}"
    if (text := re.search(r"'([^']*)'", expected)) and body != text[1].encode():
        return f"body {body[:40]!r}"
    if (size := re.search(r"([\d,]+) bytes", expected)) and len(body) != int(size[1].replace(",", "")):
        return f"{len(body)} bytes"
    if "empty" in expected.split("; ")[0] and body:
        return f"body {body[:40]!r}"
    for name in re.findall(r"(x-[a-z]+) (?:not in|absent)", expected):
        if name in names:
            return f"{name} is there"
    for name in re.findall(r"(x-[a-z]+) present", expected):
        if name not in names:
            return f"{name} is missing"
    return None


counts, failed = {}, False
for case in cases:
    verdict, why = play(case)
    counts[verdict] = counts.get(verdict, 0) + 1
    if verdict != "pass":
        print(f"{verdict:6}{case['level']:8}{case['id']}: {why}")
        failed = True
print(", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items())))
sys.exit(failed)
