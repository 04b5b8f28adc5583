"""Compares the names in a report of spans and metrics with the package opentelemetry-semantic-conventions.

    semantic_conventions.py TELEMETRY.jsonl
"""

import importlib
import inspect
import pkgutil
import re
import sys

import opentelemetry.semconv as semconv

import otlp

# The package has no types. By the registry these are numbers, and the rest that is used here is text.
INTEGERS = {"http.request.resend_count", "http.response.status_code", "server.port"}


def modules(folder):
    """Every module in a folder of the package, the stable ones and those still in development."""
    for prefix in ("opentelemetry.semconv", "opentelemetry.semconv._incubating"):
        package = importlib.import_module(f"{prefix}.{folder}")
        for module in pkgutil.iter_modules(package.__path__):
            yield importlib.import_module(f"{package.__name__}.{module.name}")


def constants(folder):
    """The names that a folder defines, without those that are called deprecated."""
    names = set()
    for module in modules(folder):
        source = inspect.getsource(module)
        for name, text in re.findall(r'^[A-Z0-9_]+: Final = "([^"]+)"\n"""(.*?)"""', source, re.M | re.S):
            if not re.match(r"\s*Deprecated: ", text):
                names.add(name)
    return names


def instruments():
    """The instrument and the unit of each metric."""
    found = {}
    pattern = r'^[A-Z0-9_]+: Final = "([^"]+)"\n"""(?:(?!""").)*?Instrument: (\w+)\nUnit: (\S+)'
    for module in modules("metrics"):
        for name, instrument, unit in re.findall(pattern, inspect.getsource(module), re.M | re.S):
            found[name] = (instrument, unit)
    return found


def main():
    spans, measured = otlp.read(sys.argv[1])
    attributes, metrics = constants("attributes"), instruments()
    complaints, seen = set(), set()

    def check(name, type_of_value):
        seen.add(name)
        if name.startswith("strata."):
            return
        if name not in attributes:
            complaints.add(f"the attribute {name} is not in the registry")
        wanted = "int" if name in INTEGERS else "string"
        if type_of_value not in (None, wanted):
            complaints.add(f"the attribute {name} is a {type_of_value}, and should be a {wanted}")

    for span in spans:
        for name, (kind, _) in otlp.attributes(span).items():
            check(name, kind)
    for metric in measured:
        name = metric.name
        seen.add(name)
        instrument, points = otlp.instrument(metric)
        # The labels of swift-metrics are text, whatever their type is.
        for point in points:
            for label in otlp.attributes(point):
                check(label, None)
        if name.startswith("strata."):
            continue
        if name not in metrics:
            complaints.add(f"the metric {name} is not in the registry")
            continue
        wanted, unit = metrics[name]
        if instrument != wanted:
            complaints.add(f"the metric {name} is a {instrument}, and should be a {wanted}")
        if unit == "s" and metric.unit != "s":
            complaints.add(f"the metric {name} is not in seconds")

    # What a span of a client has to have.
    required = {"http.request.method", "server.address", "server.port", "url.full"}
    for span in spans:
        missing = required - otlp.attributes(span).keys()
        if missing:
            complaints.add(f"the span {span.name} lacks {', '.join(sorted(missing))}")
    if len(seen) < 20:
        complaints.add(f"the report has {len(seen)} names only")
    for complaint in sorted(complaints):
        print(complaint, file=sys.stderr)
    own = sum(name.startswith("strata.") for name in seen)
    print(
        f"semantic-conventions: {len(spans)} spans and {len(measured)} metrics, {len(seen) - own} names of the registry, "
        f"{own} of our own, by {semconv.__name__}")
    sys.exit(bool(complaints))


main()
