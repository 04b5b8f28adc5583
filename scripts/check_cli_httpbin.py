"""Runs the command-line client against a real httpbin, over each transport, and checks to the letter what arrived there and came back.

    check_cli_httpbin.py STRATA URL
"""
import base64
import hashlib
import json
import os
import shutil
import sys
import urllib.request

import cli
from cli import check, run, run_bytes, work

url = sys.argv[2]
host = url.removeprefix("http://")
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def same(found, expected, what):
    check(found == expected, what, f"found     {found!r}\nexpected  {expected!r}")


def reply(*words, **options):
    return json.loads(run(*words, **options)[0])


def members(found, *names):
    return {name: found[name] for name in names}


def check_transport(name):
    over = ["--transport", name]

    def call(*words, **options):
        return reply(*over, *words, **options)

    # Methods and bodies.
    same(members(call(f"{url}/get", "a==1", "a==2", "q==ä b&c"), "args", "url"),
         {"args": {"a": ["1", "2"], "q": "ä b&c"}, "url": f"{url}/get?a=1&a=2&q=ä%20b%26c"}, "a query is not sent")
    for method in ["POST", "PUT", "PATCH", "DELETE"]:
        found = call(method, f"{url}/{method.lower()}", "name=Ada", "age:=36", "big:=12345678901234567890", "tags[]=a", "tags[]=b")
        body = '{"name":"Ada","age":36,"big":12345678901234567890,"tags":["a","b"]}'
        same(members(found, "json", "form", "files"),
             {"json": json.loads(body), "form": {}, "files": {}}, f"{method} does not send JSON")
        same(json.loads(found["data"]), json.loads(body), f"{method} sends other data")
        same([found["headers"]["Content-Type"], found["headers"]["Content-Length"]],
             ["application/json", str(len(found["data"]))], f"{method} names the body wrongly")
    same(run(*over, "HEAD", f"{url}/get")[0], "", "HEAD has a body")
    head = run(*over, "--headers", "HEAD", f"{url}/get")[0].lower()
    check("200" in head.splitlines()[0] and "\ncontent-type: application/json\n" in head, "HEAD has no head", head)
    allowed = run(*over, "--headers", "OPTIONS", f"{url}/get")[0].lower()
    check("\nallow: " in allowed, "OPTIONS has no answer", allowed)
    same(members(call("PUT", f"{url}/anything", "@-", "Content-Type:text/plain", stdin="gr\u00fc\u00dfe\n".encode()), "method", "data"),
         {"method": "PUT", "data": "grüße\n"}, "standard input is not the body")
    same(call("--raw", '{"a": 01}', f"{url}/post", "Content-Type:application/json")["data"], '{"a": 01}', "a raw body is changed")
    found = call(f"{url}/headers", "X-One:a b", "X-Empty;", "User-Agent:")["headers"]
    same([found.get("X-One"), found.get("X-Empty"), found.get("Host")], ["a b", "", host], "fields are not sent")

    # Forms.
    found = call("--form", f"{url}/post", "a=1 2", "b=&=+", "c=ä", "a=3")
    same(members(found, "form", "files"), {"form": {"a": ["1 2", "3"], "b": "&=+", "c": "ä"}, "files": {}}, "a form is not sent")
    same(found["headers"]["Content-Type"].split(";")[0], "application/x-www-form-urlencoded", "a form has another type")
    with open(os.path.join(work, "note.txt"), "w") as file:
        file.write("from a file\r\n--")
    found = call("--multipart", f"{url}/post", "a=1", "f@note.txt;type=text/x-note")
    same(members(found, "form", "files"), {"form": {"a": "1"}, "files": {"f": "from a file\r\n--"}}, "a multipart form is not sent")

    # Who asks.
    for path in ["basic-auth", "hidden-basic-auth"]:
        same(call("--check-status", "--auth", "ada:s3:cret", f"{url}/{path}/ada/s3:cret"),
             {"authenticated": True, "user": "ada"}, f"{path} does not let in")
    for algorithm in ["MD5", "SHA-256"]:
        for quality in ["auth", "auth-int"]:
            same(call("--check-status", "--auth", "ada:s3cret", "--auth-type", "digest",
                      f"{url}/digest-auth/{quality}/ada/s3cret/{algorithm}"),
                 {"authenticated": True, "user": "ada"}, f"digest by {algorithm}, {quality} does not let in")
    same(call("--check-status", "--bearer", "t0ken", f"{url}/bearer"), {"authenticated": True, "token": "t0ken"}, "a token does not let in")
    run(*over, "--check-status", "--auth", "ada:wrong", f"{url}/basic-auth/ada/s3cret", status=4)
    run(*over, "--check-status", "--auth", "ada:wrong", "--auth-type", "digest", f"{url}/digest-auth/auth/ada/s3cret", status=4)
    run(*over, "--check-status", f"{url}/bearer", status=4)

    # Redirects.
    same(call("--follow", f"{url}/redirect/3")["url"], f"{url}/get", "redirects are not followed")
    same(call("--follow", f"{url}/absolute-redirect/2")["url"], f"{url}/get", "absolute redirects are not followed")
    run(*over, "--check-status", f"{url}/redirect/1", status=3)
    run(*over, "--follow", "--max-redirects", "2", f"{url}/redirect/3", status=6)
    for code, method in [(302, "GET"), (303, "GET"), (307, "POST"), (308, "POST")]:
        found = call("--follow", "POST", f"{url}/redirect-to", f"url=={url}/anything", f"status_code=={code}", "a=1")
        same([found["method"], found["json"]], [method, {"a": "1"} if method == "POST" else None], f"{code} is followed otherwise")
    text = run(*over, "--explain", "--follow", f"{url}/redirect/2")[1]
    same([line.split()[:2] for line in text.splitlines() if line.startswith("#")],
         [["#1", "first:"], ["#2", "redirect(302):"], ["#3", "redirect(302):"]], "the record has other attempts")
    session = f"cookies-{name}"
    run(*over, "--session", session, "--follow", f"{url}/cookies/set/a/1")
    run(*over, "--session", session, "--follow", f"{url}/cookies/set", "b==2")
    same(call("--session", session, f"{url}/cookies"), {"cookies": {"a": "1", "b": "2"}}, "a session keeps other cookies")
    run(*over, "--session", session, "--follow", f"{url}/cookies/delete", "a==")
    same(call("--session", session, f"{url}/cookies"), {"cookies": {"b": "2"}}, "a session does not forget a cookie")
    same(call(f"{url}/cookies"), {"cookies": {}}, "a call without a session has cookies")

    # Streams and codings.
    lines = run(*over, "--stream", f"{url}/stream/5", "q==1")[0].splitlines()
    same([(json.loads(line)["id"], json.loads(line)["args"]) for line in lines],
         [(number, {"q": "1"}) for number in range(5)], "a stream has other lines")
    same(run(*over, "--stream", f"{url}/drip", "numbytes==5", "duration==0", "delay==0")[0], "*****", "what drips is not shown")
    for path, mark in [("gzip", "gzipped"), ("deflate", "deflated"), ("brotli", "brotli")]:
        same(call(f"{url}/{path}")[mark], True, f"{path} is not decoded")

    # Bytes and files.
    for size in [0, 1, 100_000]:
        target = f"{url}/bytes/{size}?seed=7"
        same(run_bytes(*over, target)[0], opener.open(target).read(), f"{size} bytes are others")
    alphabet = bytes(ord("a") + number % 26 for number in range(50_000))
    run(*over, "--download", "--output", f"{name}.bin", f"{url}/range/50000")
    with open(os.path.join(work, f"{name}.bin"), "rb") as file:
        same(hashlib.sha256(file.read()).digest(), hashlib.sha256(alphabet).digest(), "a download is another file")
    same(run_bytes(*over, f"{url}/range/50000", "Range:bytes=26-51")[0], alphabet[26:52], "a range is another")
    run(*over, "--download", "--output", f"{name}.png", f"{url}/image/png")
    with open(os.path.join(work, f"{name}.png"), "rb") as file:
        same(file.read(), opener.open(f"{url}/image/png").read(), "a picture is another")
    run(*over, "--download", "--output", "none", f"{url}/status/404", status=4)
    check(not os.path.exists(os.path.join(work, "none")), "an error is saved as a file")
    uuid = run(*over, "--har", f"{name}.har", f"{url}/uuid")[0]
    same(run("--replay", f"{name}.har", f"{url}/uuid")[0], uuid, "a recording is another")

    # How it ends.
    for code, status in [(200, 0), (204, 0), (304, 3), (400, 4), (418, 4), (500, 5), (503, 5)]:
        run(*over, "--check-status", f"{url}/status/{code}", status=status)
        run(*over, f"{url}/status/{code}")
    run(*over, "--timeout", "0.2", f"{url}/delay/10", status=2)


try:
    for transport in ["curl", "native"] if sys.platform == "linux" else ["curl", "urlsession"]:
        check_transport(transport)
    # A command of curl, as it is written and as it is read back.
    words = [f"{url}/anything?x=1", "name=it's \"q\" \\ $HOME", "X-A:b"]
    command = run("--curl", *words)[0]
    names = ["method", "args", "json", "url"]
    same(members(reply("--from-curl", command), *names), members(reply(*words), *names), "--from-curl does not send what --curl prints")
    found = reply("--from-curl", f"curl -u ada:s3cret -X PATCH '{url}/anything' -d a=1 --data-urlencode 'b=x y' -H 'X-A: b'")
    same([found["method"], found["form"], found["headers"]["X-A"], found["headers"]["Authorization"]],
         ["PATCH", {"a": "1", "b": "x y"}, "b", "Basic " + base64.b64encode(b"ada:s3cret").decode()], "a command of curl is another call")
finally:
    shutil.rmtree(work, ignore_errors=True)
print(f"check-cli: {cli.count} checks against httpbin")
