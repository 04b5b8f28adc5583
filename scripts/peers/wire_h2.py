#!/usr/bin/env python3
"""Plays the HTTP/2 cases of the vectors: wire_h2.py CASES URL CA -- DRIVER ARGS...

The driver speaks the protocol of the vectors' wirerun.py. What a case expects is read from its sentence: success or the kind of
the error, the status, the quoted body or its size, fields that are present or absent, a request that follows, how often the
server is asked. Exits 1 when a case fails, whatever its level."""
import base64, json, re, subprocess, sys

cases_path, url, ca = sys.argv[1:4]
command = sys.argv[sys.argv.index("--") + 1:]
cases = json.load(open(cases_path))["cases"]


# What an error may be called, by the word of the sentence. As for HTTP/1.1, a broken connection breaks the protocol too.
KINDS = {"truncated": {"truncated", "closed", "protocol"}, "protocol": {"protocol"}}


class NoAnswer(Exception):
    """The verdict, and why."""


def ask(path, count=1):
    """What `count` requests of one client, one after the other, result in. The driver is new: a crash or a hang ends no other case."""
    options = {"timeout_ms": 5000, "total_timeout_ms": 8000, "follow_redirects": False, "ca_file": ca}
    request = {"method": "GET", "url": url + path, "headers": [], "options": options}
    message = json.dumps({"id": path, "requests": [request] * count})
    try:
        run = subprocess.run(command, input=message + "\n", capture_output=True, text=True, timeout=40)
    except subprocess.TimeoutExpired:
        raise NoAnswer("hang", "no answer in 40 s") from None
    lines = run.stdout.strip().splitlines()
    if not lines:
        raise NoAnswer("crash", f"exit status {run.returncode}")
    return json.loads(lines[-1])["results"]


def play(case):
    expected, path = case["expect"], case["path"]
    try:
        results = ask(path, 2 if "next request" in expected else 1)
        problems = [judge(expected, result) for result in results] + [judge_log(expected, path)]
    except NoAnswer as none:
        return none.args
    problem = next(filter(None, problems), None)
    return ("fail", problem) if problem else ("pass", "")


def judge_log(expected, path):
    """What is wrong with what the server saw; None when nothing is."""
    if not re.search("bounded|new connection", expected):
        return None
    log = json.loads(base64.b64decode(ask("/log")[0]["body_b64"]))
    connections = [entry["conn"] for entry in log if entry.get("path") == path]
    if "bounded" in expected and not 0 < len(connections) < 10:
        return f"{len(connections)} tries"
    if "new connection" in expected and len(set(connections)) < 2:
        return "the next request used the same connection"
    return None


def judge(expected, result):
    """What is wrong with a result; None when nothing is."""
    if result["outcome"] != re.match(r"\w+", expected)[0]:
        return f"{result['outcome']}: {result.get('message', result.get('status'))}"
    if result["outcome"] == "error":
        kind, word = result["kind"], re.match(r"error (\w+)", expected)[1]
        is_right = kind in KINDS[word] if word in KINDS else kind not in ("timeout", "other")
        return None if is_right else f"kind {kind}: {result.get('message')}"
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
