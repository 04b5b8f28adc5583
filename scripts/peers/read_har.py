"""Reads HAR files as haralyzer does, and checks each entry against the tables of HAR 1.2
(http://www.softwareishard.com/blog/har-12-spec). Members that begin with an underscore are the writer's own."""

import json
import sys

from haralyzer import HarParser

TEXT, NUMBER, LIST, OBJECT = str, (int, float), list, dict
PAIR = {"name": TEXT, "value": TEXT}
ENTRY = {
    "startedDateTime": TEXT,
    "time": NUMBER,
    "request": {
        "method": TEXT, "url": TEXT, "httpVersion": TEXT, "cookies": [PAIR], "headers": [PAIR], "queryString": [PAIR],
        "headersSize": NUMBER, "bodySize": NUMBER,
    },
    "response": {
        "status": NUMBER, "statusText": TEXT, "httpVersion": TEXT, "cookies": [PAIR], "headers": [PAIR],
        "content": {"size": NUMBER, "mimeType": TEXT}, "redirectURL": TEXT, "headersSize": NUMBER, "bodySize": NUMBER,
    },
    "cache": {},
    "timings": {"send": NUMBER, "wait": NUMBER, "receive": NUMBER},
}
OPTIONAL = {
    "serverIPAddress": TEXT,
    "request.postData": {"mimeType": TEXT, "text": TEXT, "params": [PAIR]},
    "response.content.text": TEXT,
    "response.content.encoding": TEXT,
}
KNOWN = {"connection", "pageref", "comment", "timings.blocked", "timings.dns", "timings.connect", "timings.ssl"}


def check(value, shape, path):
    if isinstance(shape, dict):
        assert isinstance(value, dict), f"{path} is not an object"
        for name, inner in shape.items():
            assert name in value, f"{path}.{name} is missing"
            check(value[name], inner, f"{path}.{name}")
        for name, inner in value.items():
            key = f"{path}.{name}".split(".", 1)[1]
            if name.startswith("_") or name in shape or key in KNOWN:
                continue
            assert key in OPTIONAL, f"{path}.{name} is not a member of HAR 1.2"
            check(inner, OPTIONAL[key], f"{path}.{name}")
    elif isinstance(shape, list):
        assert isinstance(value, list), f"{path} is not an array"
        for index, element in enumerate(value):
            check(element, shape[0], f"{path}[{index}]")
    else:
        assert isinstance(value, shape) and not isinstance(value, bool), f"{path} has the wrong type"


def read(file):
    with open(file, encoding="utf-8") as text:
        har = json.load(text)
    log = har["log"]
    assert log["version"] == "1.2" and log["creator"]["name"] and log["creator"]["version"]
    for entry in log["entries"]:
        check(entry, ENTRY, "entry")
    parser = HarParser(har)
    pages = parser.pages
    entries = [entry for page in pages for entry in page.entries]
    assert len(entries) == len(log["entries"]), f"haralyzer finds {len(entries)} entries"
    for entry in entries:
        assert entry.request.url and entry.request.method and entry.startTime and entry.response.status is not None
        assert isinstance(entry.response.text or "", str)
    return len(entries)


for file in sys.argv[1:]:
    print(f"{file}: {read(file)} entries")
