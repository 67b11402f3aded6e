"""Results: comparisons, inspections, verdicts, schemas, and the examples of the docstrings."""

import doctest
import importlib
import json
from pathlib import Path

import polywire
import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("module", ["polywire", "polywire._api", "polywire._errors", "polywire._types", "polywire._results"])
def test_examples_of_the_docstrings(module):
    failed, _ = doctest.testmod(importlib.import_module(module))
    assert failed == 0


def test_every_public_name_is_documented():
    for name in polywire.__all__:
        assert name == "__version__" or getattr(polywire, name).__doc__, name


@pytest.fixture(scope="module")
def compared():
    return polywire.compare(ROOT / "examples/tickets.jsonl", formats=["json", "msgpack", "cbor"], time=0.001)


def test_a_comparison(compared):
    report = json.loads(compared.to_json())
    assert compared.rows == report["rows"] and {row["format"] for row in compared.rows} == {"json", "msgpack", "cbor"}
    assert "msgpack" in str(compared) and "messages in 3 formats" in repr(compared)
    assert compared.to_html().lstrip().startswith("<!")


def test_a_notebook_shows_the_page(compared):
    shown = compared._repr_html_()
    assert shown.startswith('<iframe srcdoc="&lt;!') and "allow-scripts" in shown
    # Nothing ends the attribute before its end.
    assert shown.count('"') == 6


def test_a_comparison_by_a_schema(tmp_path):
    proto = tmp_path / "m.proto"
    proto.write_text('syntax = "proto3"; message M { int64 id = 1; string name = 2; }')
    lines = b'{"id":7,"name":"lamp"}\n' * 50
    rows = polywire.compare(lines, "jsonl", formats=["json", "protobuf"], schema=proto, time=0.001).rows
    assert {row["format"]: row["sizes"]["raw"] for row in rows} == {"protobuf": 8.0, "json": 22.0}


def test_an_inspection():
    rows = polywire.inspect(b"\x81\xa2id\xcd\x01", "msgpack")
    assert rows.error.kind == "truncated" and rows.messages == 0 and len(rows.rows) > 2
    assert str(rows).startswith("0000  81") and json.loads(rows.to_json().splitlines()[0])["what"] == "message"
    assert polywire.inspect(b"\x01\x02", "msgpack").messages == 2


def test_a_verdict():
    old = 'syntax = "proto3"; message M { int32 id = 1; }'
    new = 'syntax = "proto3"; message M { int32 id = 1; string name = 2; }'
    verdict = polywire.check(old, new, "proto")
    assert verdict and verdict.holds and "backward yes" in str(verdict)
    broken = polywire.check(new, 'syntax = "proto3"; message M { int32 id = 1; int32 name = 2; }', "proto", direction="backward")
    assert not broken and broken.findings and json.loads(broken.to_json())
    with pytest.raises(polywire.UsageError):
        polywire.check(old, new)
    with pytest.raises(polywire.UsageError):
        polywire.check(old, new, "proto", direction="sideways")
    with pytest.raises(polywire.SchemaError):
        polywire.check(old, "message {", "proto")


def test_formats():
    by_name = {format["name"]: format for format in polywire.formats()}
    assert by_name["protobuf"]["schema"] and by_name["json"]["extensions"] == ["json", "geojson"] and by_name["json"]["writes"]


def test_a_schema():
    schema = polywire.infer_schema(ROOT / "examples/tickets.jsonl")
    losses = []
    assert "message" in schema.text("proto", losses) and str(schema) in repr(schema)
    with pytest.raises(polywire.UsageError):
        schema.text("no-such")
    with pytest.raises(polywire.Error):
        polywire.infer_schema(b"", "jsonl")
