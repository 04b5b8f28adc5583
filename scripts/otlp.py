"""Reads what OpenTelemetry's exporters write to a file: on each line the JSON of one message of OTLP."""

import base64
import json
import pathlib

from google.protobuf import json_format
from opentelemetry.proto.metrics.v1 import metrics_pb2
from opentelemetry.proto.trace.v1 import trace_pb2


def with_bytes(value):
    """Identifiers are hexadecimal in OTLP, and base64 in the JSON of Protocol Buffers."""
    if isinstance(value, list):
        return [with_bytes(element) for element in value]
    if not isinstance(value, dict):
        return value
    return {
        key: base64.b64encode(bytes.fromhex(inner)).decode() if key in ("traceId", "spanId", "parentSpanId") else with_bytes(inner)
        for key, inner in value.items()}


def read(file):
    """The spans and the metrics; a member or a type that OTLP does not have is an error."""
    spans, metrics = [], []
    for line in pathlib.Path(file).read_text().splitlines():
        message = with_bytes(json.loads(line))
        if "resourceSpans" in message:
            data = json_format.ParseDict(message, trace_pb2.TracesData())
            spans += [span for resource in data.resource_spans for scope in resource.scope_spans for span in scope.spans]
        else:
            data = json_format.ParseDict(message, metrics_pb2.MetricsData())
            metrics += [
                metric for resource in data.resource_metrics for scope in resource.scope_metrics for metric in scope.metrics]
    for span in spans:
        assert len(span.trace_id) == 16 and len(span.span_id) == 8 and len(span.parent_span_id) in (0, 8), span.name
        assert any(span.trace_id) and any(span.span_id), f"the identifiers of {span.name} are nothing but zeros"
        assert 0 < span.start_time_unix_nano <= span.end_time_unix_nano, span.name
    for metric in metrics:
        for point in metric.histogram.data_points:
            assert len(point.bucket_counts) == len(point.explicit_bounds) + 1, metric.name
            assert sum(point.bucket_counts) == point.count, metric.name
    return spans, metrics


def attributes(holder):
    """The attributes of a span or a data point: for each name its type and its value."""
    found = {}
    for attribute in holder.attributes:
        kind = attribute.value.WhichOneof("value")
        found[attribute.key] = (kind.removesuffix("_value"), getattr(attribute.value, kind))
    return found


def instrument(metric):
    """As the conventions call it, and its data points."""
    if metric.HasField("histogram"):
        return "histogram", metric.histogram.data_points
    return "counter" if metric.sum.is_monotonic else "updowncounter", metric.sum.data_points
