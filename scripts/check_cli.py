"""Runs the command-line client through a pseudoterminal and through pipes, against the echo server, and checks what comes out.

    check_cli.py STRATA ECHO-SERVER SWIFT-FILE

Writes the Swift that `--swift` prints of several calls into SWIFT-FILE, for the compiler.
"""
import http.server
import json
import os
import pty
import re
import select
import shutil
import signal
import subprocess
import sys
import threading

import cli
from cli import check, environment, run, strata, work

echo, swift_file = sys.argv[2:4]


class Terminal:
    """The program on a pseudoterminal, whose output is read as it comes."""

    def __init__(self, *words, env=None):
        self.words, self.text = words, ""
        self.pid, self.file = pty.fork()
        if self.pid == 0:
            os.chdir(work)
            os.execve(strata, [strata, *words], {**environment, **(env or {})})

    def read(self, until=None):
        """To the end, or until the text has come."""
        while until is None or until not in self.text:
            ready, _, _ = select.select([self.file], [], [], 60)
            if not ready:
                sys.exit(f"check-cli: {self.words} is silent\n{self.text}")
            try:
                piece = os.read(self.file, 65536)
            except OSError:
                piece = b""
            if not piece:
                if until is not None:
                    sys.exit(f"check-cli: {self.words} ends without {until!r}\n{self.text}")
                break
            self.text += piece.decode(errors="replace")
        return self.text

    def end(self, status=0):
        self.read()
        code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        os.close(self.file)
        check(code == status, f"{self.words} exits with {code}, not {status}", self.text)
        return self.text.replace("\r\n", "\n")


def terminal(*words, status=0, env=None):
    return Terminal(*words, env=env).end(status)


def start_echo(*words):
    process = subprocess.Popen([echo, "--port", "0", *words], stdout=subprocess.PIPE, text=True)
    return process, process.stdout.readline().strip()


class Script(http.server.BaseHTTPRequestHandler):
    """What the echo server has not: a stream that waits for its reader, and a file whose first transfer breaks off."""

    protocol_version = "HTTP/1.1"
    more = threading.Event()
    contents = bytes(range(256)) * 4000
    ranges = []

    def log_message(self, *arguments):
        pass

    def do_GET(self):
        if self.path == "/events":
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.end_headers()
            self.close_connection = True
            self.wfile.write(b'data: {"n": 1}\n\n')
            self.wfile.flush()
            self.more.wait(60)
            self.wfile.write(b'data: {"n": 2}\n\n')
            return
        wanted = self.headers.get("Range")
        self.ranges.append(wanted)
        first = int(re.match(r"bytes=(\d+)-", wanted)[1]) if wanted else 0
        self.send_response(206 if wanted else 200)
        size = len(self.contents)
        if wanted:
            self.send_header("Content-Range", f"bytes {first}-{size - 1}/{size}")
        self.send_header("Content-Length", str(size - first))
        self.send_header("ETag", '"one"')
        self.end_headers()
        if wanted:
            self.wfile.write(self.contents[first:])
        else:
            self.wfile.write(self.contents[:300_000])
            self.wfile.flush()
            self.close_connection = True


script = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Script)
threading.Thread(target=script.serve_forever, daemon=True).start()
scripted = f"http://127.0.0.1:{script.server_port}"
plain, url = start_echo()
authority = os.path.join(work, "ca.pem")
secure, secure_url = start_echo("--tls", "--ca-file", authority)
port = url.rsplit(":", 1)[1]
try:
    # What is sent.
    reply = json.loads(run(f":{port}/post", "name=Ada", "age:=36", "tags[]=a", "tags[]=b", "q==a b", "X-A:1")[0])
    check(reply["json"] == {"name": "Ada", "age": 36, "tags": ["a", "b"]}, "a JSON body is not that of its items", reply)
    check(reply["args"] == {"q": "a b"} and reply["headers"]["X-A"] == "1", "query or field are not sent", reply)
    check(reply["headers"]["User-Agent"].startswith("Strata/"), "the agent is not named", reply)
    reply = json.loads(run("--form", f":{port}/post", "a=1 2", "b=&")[0])
    check(reply["form"] == {"a": "1 2", "b": "&"}, "a form is not sent", reply)
    with open(os.path.join(work, "note.txt"), "w") as file:
        file.write("from a file")
    reply = json.loads(run("--multipart", f":{port}/post", "a=1", "f@note.txt;type=text/x-note")[0])
    check(reply["form"] == {"a": "1"} and reply["files"] == {"f": "from a file"}, "a multipart form is not sent", reply)
    reply = json.loads(run("PUT", f":{port}/put", "@-", "Content-Type:text/plain", stdin=b"piped")[0])
    check(reply["data"] == "piped", "standard input is not the body", reply)
    for transport in ["curl", "native", "urlsession"]:
        reply = json.loads(run("--transport", transport, f":{port}/get", "q==1")[0])
        check(reply["args"] == {"q": "1"}, f"{transport} does not send", reply)

    # Who is who, and what is not shown.
    run("--check-status", "--auth", "ada:s3cret", f":{port}/basic-auth/ada/s3cret")
    run("--check-status", "--auth", "ada:s3cret", "--auth-type", "digest", f":{port}/digest-auth/auth/ada/s3cret")
    run("--check-status", "--auth", "ada:wrong", f":{port}/basic-auth/ada/s3cret", status=4)
    text = terminal("--verbose", "--explain", "--bearer", "s3cret", f":{port}/status/200", "password=s3cret")
    check("s3cret" not in text and "Bearer ***" in text, "a secret is shown, or is not masked", text)
    text = terminal("--verbose", "--show-secrets", "--bearer", "s3cret", f":{port}/status/200")
    check("Bearer s3cret" in text, "a secret that is asked for is not shown", text)
    output, notes = run("--proxy", "http://ada:s3cret@127.0.0.1:1", f":{port}/get", status=7)
    check("s3cret" not in output + notes, "the password of a proxy is shown", notes)
    run("--session", "one", "--follow", f":{port}/cookies/set/a/1")
    check(json.loads(run("--session", "one", f":{port}/cookies")[0])["cookies"] == {"a": "1"}, "a session keeps no cookie")

    # What a terminal gets, and what a pipe gets.
    text = terminal(f":{port}/post", "name=Ada")
    check(text.startswith("HTTP \x1b[1;32m200 OK\x1b[0m\n"), "the head is not on a terminal", text)
    check('    \x1b[94m"json"\x1b[0m: {\n        \x1b[94m"name"\x1b[0m: \x1b[32m"Ada"\x1b[0m\n    },' in text,
          "JSON has no format and colours on a terminal", text)
    check("\x1b" not in terminal(f":{port}/json", env={"NO_COLOR": "1"}), "NO_COLOR is not heeded")
    check("\x1b" not in run(f":{port}/json")[0], "a pipe gets colours")
    check(run("--pretty", "format", f":{port}/get")[0].startswith('{\n    "args": {}'), "--pretty format does not")
    text = terminal(f":{port}/bytes/100?seed=1")
    check("\x1b[2J" not in text and len(text) < 2000, "bytes reach the terminal", text)
    text = terminal("-b", f":{port}/response-headers", "X==\x1b]0;title\x07")
    check("\x1b]" not in text and "\x07" not in text, "a response steers the terminal", text)

    # Streams: the first event is there while the server waits.
    events = Terminal("--stream", "-b", f"{scripted}/events")
    events.read(until="1\x1b[0m}")
    Script.more.set()
    check("2\x1b[0m}" in events.end(), "the second event does not come", events.text)
    check(run("--stream", f":{port}/sse?count=2")[0].count("data: ") == 2, "a pipe gets no events")

    # A WebSocket: lines go out, messages come back.
    check(run("--ws", f":{port}/websocket", stdin=b'hello\n{"a": 1}\n')[0] == 'hello\n{"a": 1}\n', "a WebSocket does not answer")
    run("--ws", f":{port}/get", status=1)
    run("--ws", "--transport", "curl", f":{port}/websocket", status=64)
    talk = Terminal("-b", f"ws://127.0.0.1:{port}/websocket")
    os.write(talk.file, b'{"a": 1}\n')
    talk.read(until="1\x1b[0m\r\n}")
    os.write(talk.file, b"\x04")
    talk.end()

    # Files.
    run("--download", "--output", "big.bin", "--continue", f"{scripted}/file", status=9)
    check(os.path.exists(os.path.join(work, "big.bin.strata-part")), "what has come is not kept")
    text = terminal("--download", "--output", "big.bin", "--continue", f"{scripted}/file")
    with open(os.path.join(work, "big.bin"), "rb") as file:
        check(file.read() == Script.contents, "a resumed download is not the file")
    check(Script.ranges[-1] == "bytes=300000-" and "300.0 kB of it from before" in text, "a download is not resumed", text)
    text = terminal("--download", f":{port}/download/1000000")
    check("saved 1.0 MB" in text and "100% [" in text, "there is no progress", text)
    run("--download", f":{port}/status/404", status=4)
    check(not os.path.exists(os.path.join(work, "404")), "an error is saved as a file")
    first = run("--har", "out.har", f":{port}/uuid")[0]
    check(run("--replay", "out.har", f":{port}/uuid")[0] == first, "a recording is not replayed")
    run("--replay", "out.har", f":{port}/get", status=64)

    # How it went.
    text = run("--explain", "--follow", f":{port}/redirect/2")[1]
    check("#1 first: GET" in text and "#3 redirect(302)" in text, "the record is not shown", text)
    check(all(len(line) <= 80 or "://" in line for line in text.splitlines()), "the record is too wide", text)
    for code, status in [(302, 3), (404, 4), (503, 5)]:
        run("--check-status", f":{port}/status/{code}", status=status)
    check("404" in run(f":{port}/status/404")[1], "a pipe does not hear of a status")
    run("--follow", "--max-redirects", "1", f":{port}/redirect/3", status=6)
    run("--timeout", "0.2", f":{port}/delay/10", status=2)
    run("http://127.0.0.1:1/", status=7)
    run(secure_url + "/get", status=8)
    run("--verify", "no", secure_url + "/get")
    run("--verify", authority, secure_url + "/get")
    run("--transport", "native", "--verify", authority, secure_url + "/get")
    run(f"{scripted}/broken", status=9)
    run("no-item", "s3cret", status=64)
    run("--nonsense", status=64)
    waiting = Terminal("--verbose", f":{port}/hang/body/5")
    waiting.read(until="200")
    os.kill(waiting.pid, signal.SIGINT)
    waiting.end(status=130)

    # The help can be read on a terminal of 80 columns.
    help_text = run("--help", env={"COLUMNS": "80"})[0]
    check(max(map(len, help_text.splitlines())) <= 80, "the help is too wide", help_text)
    for option in ["--stream", "--download", "--from-curl", "--verify", "--check-status"]:
        check(option in help_text, f"the help does not have {option}", help_text)

    # To curl and back.
    words = [f":{port}/anything?x=1", "name=it's \"q\" \\ $HOME", "X-A:b"]
    command = run("--curl", *words)[0]
    sent = json.loads(run(*words)[0])
    check("s3cret" not in run("--curl", "--auth", "ada:s3cret", *words)[0], "--curl shows a password")
    again = json.loads(run("--from-curl", command)[0])
    check((again["json"], again["args"], again["headers"]["X-A"]) == (sent["json"], sent["args"], "b"),
          "--from-curl does not send what --curl prints", again)
    if shutil.which("curl"):
        by_curl = json.loads(subprocess.run(["sh", "-c", command.replace("curl ", "curl -s ", 1)], capture_output=True).stdout)
        check(by_curl["json"] == sent["json"], "curl does not send what --curl prints", by_curl)
    run("--from-curl", f"curl -sf {url}/status/404", status=4)
    check("s3cret" not in "".join(run("--from-curl", "curl -H s3cret http://h/", status=64)), "an error shows a value")

    # Code, for the compiler.
    commands = [
        "https://api.example/v1/users?page=2 -H 'Accept: application/json'",
        "-X POST https://api.example/users --json '{\"name\": \"A\\\"da\", \"tags\": [1, 2.5, null, true, {}], \"password\": \"x\"}'",
        "https://api.example/ -d a=1 -d token=2 -u ada:pw -L --max-redirs 3",
        "https://api.example/up -F title=x -F password=y -F 'f=@a.png;type=image/png' -F 'g=@b;filename=c' --retry 2",
        "-T body.bin https://api.example/put -m 1.5 --connect-timeout 2",
        "-I 'https://api.example/?api_key=abc&x=%20y' -H 'Authorization: Bearer t' -H 'X-Api-Key: k'",
        "-X PURGE 'https://api.example/a:b' --http1.1 -d x=1",
        "-X REPORT https://api.example/r -H 'Content-Type: application/xml' --data-raw '<a b=\"c\"/>'",
        "-X QUERY https://api.example/r --json '[1]'",
        "-k --cacert ca.pem -E c.pem:pw -x http://u:p@proxy:1 --unix-socket /s -4 --resolve h:1:127.0.0.1 https://api.example/x",
        "-X OPTIONS https://api.example -b 'sid=1; b=2' -r 0-9 -e https://r.example",
        "-G https://api.example/q --data-urlencode 'q=ä b' --noproxy '*'",
        "--digest -u ada:pw https://api.example/d",
    ]
    imports, bodies = set(), []
    for command in commands:
        code = run("--swift", "--from-curl", "curl " + command)[0]
        lines = code.splitlines()
        imports.update(line for line in lines if line.startswith("import "))
        rest = [line for line in lines if not line.startswith("import ")]
        bodies.append("do {\n" + "\n".join("    " + line for line in rest) + "\n}\n")
    with open(swift_file, "w") as file:
        file.write("\n".join(sorted(imports)) + "\n\n" + "\n".join(bodies))
finally:
    plain.terminate()
    secure.terminate()
    shutil.rmtree(work, ignore_errors=True)
print(f"check-cli: {cli.count} checks, {len(commands)} programs to compile")
