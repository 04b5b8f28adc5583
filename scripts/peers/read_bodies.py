"""Reads bodies with parsers that are not ours. A JSON object a line in, one a line out.

in:  {"kind": "form" | "query" | "multipart", "content_type": "…", "body": base64}
out: {"parser": [[name, file name or null, base64 of the value], …], …}

in:  {"kind": "verify", "tool": path of verify_multipart.py, "case": {…}, "content_type": "…", "body": base64}
out: {"problems": ["…"]}
"""

import base64
import functools
import importlib.util
import io
import json
import sys
import urllib.parse

import multipart
import python_multipart
from werkzeug.formparser import parse_form_data
from werkzeug.wrappers import Request


def encoded(value):
    return base64.b64encode(value if isinstance(value, bytes) else value.encode("utf-8", "surrogateescape")).decode()


def werkzeug_body(content_type, body):
    environ = {
        "wsgi.input": io.BytesIO(body),
        "CONTENT_LENGTH": str(len(body)),
        "CONTENT_TYPE": content_type.encode("utf-8").decode("latin-1"),
        "REQUEST_METHOD": "POST",
    }
    _, form, files = parse_form_data(environ, silent=False)
    fields = [[name, None, encoded(value)] for name, values in form.lists() for value in values]
    uploads = [[name, file.filename, encoded(file.stream.read())] for name, list in files.lists() for file in list]
    return fields + uploads


def werkzeug_query(query):
    request = Request({"QUERY_STRING": query, "REQUEST_METHOD": "GET", "SERVER_NAME": "h", "SERVER_PORT": "80",
                       "wsgi.url_scheme": "http"})
    return [[name, None, encoded(value)] for name, values in request.args.lists() for value in values]


def multipart_body(content_type, body):
    _, options = multipart.parse_options_header(content_type)
    parts = multipart.MultipartParser(io.BytesIO(body), options["boundary"], content_length=len(body))
    return [[part.name, part.filename, encoded(part.raw)] for part in parts]


def python_multipart_body(content_type, body):
    found = []

    def on_field(field):
        found.append([field.field_name.decode(), None, encoded(field.value or b"")])

    def on_file(file):
        file.file_object.seek(0)
        found.append([file.field_name.decode(), (file.file_name or b"").decode(), encoded(file.file_object.read())])

    headers = {"Content-Type": content_type.encode(), "Content-Length": str(len(body)).encode()}
    parser = python_multipart.create_form_parser(headers, on_field, on_file)
    parser.write(body)
    parser.finalize()
    parser.close()
    return found


def standard_pairs(text):
    pairs = urllib.parse.parse_qsl(text, keep_blank_values=True, strict_parsing=bool(text), errors="strict")
    return [[name, None, encoded(value)] for name, value in pairs]


@functools.cache
def tool(path):
    spec = importlib.util.spec_from_file_location("verify_multipart", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def answer(message):
    body = base64.b64decode(message["body"])
    content_type = message.get("content_type", "")
    match message["kind"]:
        case "form":
            return {"werkzeug": werkzeug_body(content_type, body), "urllib": standard_pairs(body.decode())}
        case "query":
            return {"werkzeug": werkzeug_query(body.decode()), "urllib": standard_pairs(body.decode())}
        case "multipart":
            return {
                "werkzeug": werkzeug_body(content_type, body),
                "multipart": multipart_body(content_type, body),
                "python-multipart": python_multipart_body(content_type, body),
            }
        case "verify":
            problems, _ = tool(message["tool"]).check(message["case"], content_type, body)
            return {"problems": problems}


for line in sys.stdin:
    print(json.dumps(answer(json.loads(line))), flush=True)
