"""Messages as columns, in the libraries that take Arrow's, and back."""

import io
from pathlib import Path

import polywire
import pytest

ROOT = Path(__file__).resolve().parents[2]
pyarrow = pytest.importorskip("pyarrow")
LINES = b"".join(b'{"id":%d,"name":"n%d","tags":["a"],"at":{"x":%d.5}}\n' % (n, n % 3, n) for n in range(1000))


def test_pyarrow_takes_messages():
    table = pyarrow.table(polywire.read(LINES, "jsonl"))
    assert table.num_rows == 1000 and table.column_names[:4] == ["id", "name", "tags", "at"]
    assert table.slice(7, 1).select(["id", "tags"]).to_pylist() == [{"id": 7, "tags": ["a"]}]


def test_batches_and_threads():
    for threads in [1, 2, None]:
        columns = polywire.read(LINES, "jsonl").columns(rows=100, threads=threads)
        assert "id" in repr(columns)
        assert pyarrow.schema(columns).names[0] == "id"
        reader = pyarrow.RecordBatchReader.from_stream(columns)
        ids = [id.as_py() for batch in reader for id in batch["id"]]
        assert ids == list(range(1000))
        with pytest.raises(ValueError):
            pyarrow.table(columns)


def test_file_objects_feed_threads():
    for threads in [1, 2]:
        table = pyarrow.table(polywire.read(io.BytesIO(LINES), "jsonl").columns(threads=threads))
        assert table.num_rows == 1000


def test_polars_pandas_and_duckdb_take_them():
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(polywire.read(LINES, "jsonl"))
    assert frame.height == 1000 and frame["id"].sum() == 499_500
    pandas = pytest.importorskip("pandas")
    assert len(pandas.DataFrame.from_arrow(polywire.read(LINES, "jsonl"))) == 1000
    duckdb = pytest.importorskip("duckdb")
    # It asks for the schema before it asks for rows, which only columns have.
    messages = polywire.read(LINES, "jsonl").columns()
    assert duckdb.sql("select sum(id) from messages").fetchall() == [(499_500,)]


def test_columns_come_back_as_messages(tmp_path):
    table = pyarrow.table(polywire.read(LINES, "jsonl"))
    file = io.BytesIO()
    assert polywire.write(table, file, "jsonl") == 1000
    assert file.getvalue() == LINES
    assert polywire.write(table.to_batches()[0], tmp_path / "a.msgpack") == table.to_batches()[0].num_rows
    polars = pytest.importorskip("polars")
    assert polywire.write(polars.DataFrame({"a": [1, 2]}), tmp_path / "b.cbor") == 2
    assert list(polywire.read(tmp_path / "b.cbor")) == [{"a": 1}, {"a": 2}]


def test_bad_messages_are_rows():
    lines = b'{"id":1}\n{"id":}\n{"id":3}\n'
    with pytest.raises(Exception, match="byte 15"):
        pyarrow.table(polywire.read(lines, "jsonl"))
    assert pyarrow.table(polywire.read(lines, "jsonl", bad="skip"))["id"].to_pylist() == [1, 3]
    table = pyarrow.table(polywire.read(lines, "jsonl", bad="keep"))
    assert table["id"].to_pylist() == [1, None, 3] and table["_error"].to_pylist()[1]["offset"] == 15


def test_a_schema_of_its_own():
    proto = 'syntax = "proto3"; message Order { int32 id = 1; repeated string tags = 2; }'
    packed = polywire.convert(b'{"id":7,"tags":["a","b"]}', "json", "protobuf", schema=proto)
    table = pyarrow.table(polywire.read(packed, "protobuf", schema=proto))
    assert table.to_pylist()[0]["id"] == 7 and table.to_pylist()[0]["tags"] == ["a", "b"]
    schema = polywire.infer_schema(LINES, "jsonl")
    assert pyarrow.schema(schema).names[:4] == ["id", "name", "tags", "at"]
    assert pyarrow.table(polywire.read(LINES, "jsonl").columns(schema)).num_rows == 1000


def test_parts_are_selected():
    table = pyarrow.table(polywire.read(LINES, "jsonl", select=["id", "at.x"]))
    assert [name for name in table.column_names if not name.startswith("_")] == ["id", "at"]


def test_wrong_choices():
    for choice in [{"sums": "no"}, {"rest": "no"}, {"decimals": "no"}, {"rows": 0}, {"decimals": (99, 1)}]:
        with pytest.raises(ValueError):
            polywire.read(LINES, "jsonl").columns(**choice)
    with pytest.raises(TypeError):
        polywire.read(LINES, "jsonl").columns(no="such")
    messages = polywire.read(LINES, "jsonl")
    next(messages)
    with pytest.raises(polywire.UsageError):
        messages.columns()
    with pytest.raises(polywire.DataError):
        polywire.read(b"{", "jsonl").columns()


def test_other_capsules_are_refused():
    class Wrong:
        def __arrow_c_stream__(self, requested_schema=None):
            return pyarrow.schema([]).__arrow_c_schema__()

    with pytest.raises(ValueError):
        polywire.write(Wrong(), io.BytesIO(), "json")
    with pytest.raises(ValueError, match="structs"):
        polywire.write(pyarrow.array([1, 2]), io.BytesIO(), "jsonl")
