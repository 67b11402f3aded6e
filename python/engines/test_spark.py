"""Polywire in Spark, with two workers of one core and 2 GB each."""

import gzip
import os
import signal
import sys
from datetime import datetime, timezone
from decimal import Decimal

import polywire
import pyarrow as pa
import pyspark
import pytest
from conftest import COUNT, KINDS, PROTO, order
from pyspark.errors import PythonException
from pyspark.sql import SparkSession
from pyspark.sql import types as t

import polywire.spark


@pytest.fixture(scope="session")
def spark():
    os.environ["SPARK_HOME"] = os.path.dirname(pyspark.__file__)
    os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    session = (
        SparkSession.builder.master("local-cluster[2,1,2048]")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.executor.memory", "1g")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.sql.session.timeZone", "America/New_York")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("ERROR")
    yield session
    session.stop()


def frame(spark, cells, **more):
    """Makes a data frame of cells with their numbers, in several partitions."""
    columns = {"n": pa.array(range(len(cells)), pa.int64()), "payload": pa.array(cells, pa.binary()), **more}
    return spark.createDataFrame(pa.table(columns))


@pytest.fixture(scope="session")
def orders(spark, messages, tmp_path_factory):
    """100,000 orders in Protobuf with their numbers, as Parquet."""
    import pyarrow.parquet as parquet

    place = tmp_path_factory.mktemp("orders")
    for part in range(8):
        numbers = range(part * COUNT // 8, (part + 1) * COUNT // 8)
        table = pa.table({"n": pa.array(numbers, pa.int64()), "payload": pa.array([messages[number] for number in numbers], pa.binary())})
        parquet.write_table(table, place / f"part-{part}.parquet", row_group_size=2_000, compression="none")
    return spark.read.parquet(str(place))


def test_messages_become_columns(spark, orders):
    decoded = polywire.spark.decode(orders, "payload", "protobuf", PROTO)
    wanted = polywire.spark.schema_for("protobuf", PROTO)
    assert decoded.schema == t.StructType([t.StructField("n", t.LongType()), *wanted.fields])
    assert dict(decoded.dtypes)["id"] == "bigint" and dict(decoded.dtypes)["serial"] == "decimal(20,0)"
    table = decoded.toArrow()
    numbers = table["n"].to_pylist()
    assert sorted(numbers) == list(range(COUNT))
    # In each partition, the rows are in their order.
    assert sum(two != one + 1 for one, two in zip(numbers, numbers[1:])) < 50
    for row in table.slice(0, 1_500).to_pylist():
        made = order(row["n"] % KINDS)
        assert (row["id"], row["serial"], row["name"]) == (made["id"], Decimal(made["serial"]), made["name"])
        # A repeated field without values is absent.
        assert (row["items"] or []) == made["items"] and dict(row["stock"]) == made["stock"]
        assert (row["state"], row["raw"], row["ratio"]) == (made["state"], made["raw"], made["ratio"])


def test_columns_become_the_messages_that_they_were(spark, orders):
    decoded = polywire.spark.decode(orders, "payload", "protobuf", PROTO)
    again = polywire.spark.encode(decoded, [name for name in decoded.columns if name != "n"], "protobuf", PROTO, into="payload")
    assert again.columns == ["n", "payload"] and dict(again.dtypes)["payload"] == "binary"
    assert again.exceptAll(orders).count() == 0 and again.count() == COUNT


def test_a_struct_holds_all_columns(spark, encoded):
    df = frame(spark, [encoded[1], None, encoded[2]])
    decoded = polywire.spark.decode(df, "payload", "protobuf", PROTO, into="order")
    assert decoded.schema["order"].dataType == polywire.spark.schema_for("protobuf", PROTO)
    rows = decoded.orderBy("n").collect()
    assert [row.order and row.order.id for row in rows] == [1, None, 2]
    again = polywire.spark.encode(decoded, "order", "protobuf", PROTO).orderBy("n").collect()
    assert [row.order and bytes(row.order) for row in again] == [encoded[1], None, encoded[2]]


BROKEN = [b'{"id":1}', b'{"id":', None, b'{"id":2}', b"", b'{"id":3} {}', b'{"id":"x"}']


def test_bad_messages_are_rows_with_a_reason(spark):
    schema = polywire.infer_schema(b'{"id":1}', "json")
    df = frame(spark, BROKEN)
    decoded = polywire.spark.decode(df, "payload", "json", schema, bad="keep").orderBy("n").collect()
    assert [row.id for row in decoded] == [1, None, None, 2, None, None, None]
    reasons = [row._error and (int(row._error.offset), row._error.path, row._error.expected) for row in decoded]
    assert reasons[1] == (6, "id", "a value") and reasons[2] is None
    assert reasons[5] == (9, None, "exactly one in a cell") and reasons[6][1] == "id"
    skipped = polywire.spark.decode(df, "payload", "json", schema, bad="skip").orderBy("n").collect()
    assert [(row.n, row.id) for row in skipped] == [(0, 1), (2, None), (3, 2)]


def test_the_first_bad_message_ends_the_job_and_is_named(spark):
    schema = polywire.infer_schema(b'{"id":1}', "json")
    decoded = polywire.spark.decode(frame(spark, [b'{"id":1}'] * 10 + [b"["]).coalesce(1), "payload", "json", schema)
    with pytest.raises(PythonException, match="DataError.*json: .*partition 0, of which it is number 11"):
        decoded.collect()


def test_frames_without_rows_have_the_columns(spark):
    schema = polywire.infer_schema(b'{"id":1}', "json")
    empty = frame(spark, [])
    assert polywire.spark.decode(empty, "payload", "json", schema).columns == ["n", "id", "_rest"]
    assert polywire.spark.decode(empty, "payload", "json", schema).collect() == []
    assert polywire.spark.encode(empty, ["n"], "json").collect() == []
    few = frame(spark, [b'{"id":1}']).repartition(4)
    assert [row.id for row in polywire.spark.decode(few, "payload", "json", schema).collect()] == [1]
    with pytest.raises(polywire.UsageError, match="no message"):
        polywire.spark.decode(empty, "payload", "json")


def test_columns_that_will_not_do_are_named(spark):
    df = frame(spark, [b"{}"])
    schema = polywire.infer_schema(b'{"n":1}', "json")
    with pytest.raises(polywire.UsageError, match="column 'n' is of the type bigint; expected one of bytes or text"):
        polywire.spark.decode(df, "n", "json", schema)
    with pytest.raises(polywire.UsageError, match="no column 'body'; there are n, payload"):
        polywire.spark.decode(df, "body", "json", schema)
    with pytest.raises(polywire.UsageError, match="'n' would come twice; into="):
        polywire.spark.decode(df, "payload", "json", schema)
    with pytest.raises(polywire.UsageError, match="column 'payload', which the schema has not"):
        polywire.spark.encode(df, None, "json", schema)
    with pytest.raises(polywire.UsageError, match="csv"):
        polywire.spark.decode(df, "payload", "csv", schema)
    with pytest.raises(polywire.UsageError, match="no such|`nothing`"):
        polywire.spark.decode(df, "payload", "nothing", schema)


def test_text_columns_are_read_as_well(spark):
    df = spark.createDataFrame([('{"id":1}',), (None,)], "body string")
    assert [row.id for row in polywire.spark.decode(df, "body", "json").collect()] == [1, None]


DEEP = """syntax = "proto3";
message Deep {
  map<uint32, Inner> by_number = 1;
  repeated Inner inners = 2;
  uint64 big = 4;
  Nothing nothing = 5;
  message Inner { oneof way { uint32 one = 1; State two = 2; Nothing three = 3; } map<string, uint64> counts = 4; Inner next = 5; }
  message Nothing {}
  enum State { A = 0; B = 1; }
}
"""


def test_types_that_spark_lacks_have_a_stand_in_at_any_depth(spark):
    value = {
        "by_number": polywire.Pairs([(4_000_000_000, {"one": 4_000_000_000, "counts": {"x": 2**64 - 1}})]),
        "inners": [{"two": "B"}, {"three": {}}, {"next": {"one": 1}}],
        "big": 2**64 - 1,
        "nothing": {},
    }
    message = polywire.encode(value, "protobuf", DEEP)
    df = frame(spark, [message, None, b"", message])
    decoded = polywire.spark.decode(df, "payload", "protobuf", DEEP, into="deep")
    one, none, empty, _ = [row.deep for row in decoded.orderBy("n").collect()]
    assert none is None and empty.big == 0
    assert list(one.by_number) == [4_000_000_000] and one.big == Decimal(2**64 - 1)
    again = polywire.spark.encode(decoded, "deep", "protobuf", DEEP).orderBy("n").collect()
    assert [row.deep and bytes(row.deep) for row in again] == [message, None, b"", message]
    decoded.write.format("noop").mode("overwrite").save()


def test_moments_finer_than_sparks_are_refused_or_chosen_for(spark):
    message = polywire.encode({"at": polywire.Timestamp(1_000_000_000, 123_456_789)}, "msgpack")
    df = frame(spark, [message])
    with pytest.raises(PythonException, match="nanoseconds='truncate'"):
        polywire.spark.decode(df, "payload", "msgpack").collect()
    [row] = polywire.spark.decode(df, "payload", "msgpack", nanoseconds="long").collect()
    assert row.at == 1_000_000_000_123_456_789
    [row] = polywire.spark.decode(df, "payload", "msgpack", nanoseconds="truncate").collect()
    assert row.at.timestamp() == 1_000_000_000.123456
    moment = datetime(2026, 1, 2, 3, 4, 5, 678901, timezone.utc)
    [row] = polywire.spark.decode(frame(spark, [polywire.encode({"at": moment}, "msgpack")]), "payload", "msgpack").collect()
    assert row.at.astimezone(timezone.utc) == moment


def test_decimals_have_the_digits_that_are_asked_for(spark):
    df = frame(spark, [b'{"price":1.25,"far":12345678901234567890123}', b'{"price":-0.5,"far":1}'])
    text = polywire.spark.decode(df, "payload", "json").orderBy("n").collect()
    assert text[0].far == "12345678901234567890123"
    fixed = polywire.spark.decode(df, "payload", "json", decimals=(38, 9))
    assert fixed.orderBy("n").collect()[0].far == Decimal(12345678901234567890123)


def test_a_huge_cell_is_a_row(spark):
    huge = b'{"text":"' + b"x" * (40 << 20) + b'"}'
    df = frame(spark, [b'{"text":"a"}', huge, b'{"text":"b"}'])
    decoded = polywire.spark.decode(df, "payload", "json").selectExpr("n", "length(text) as size")
    assert [row["size"] for row in decoded.orderBy("n").collect()] == [1, 40 << 20, 1]


def test_the_schema_of_many_tasks_is_the_one_of_all_messages(spark, lines):
    df = frame(spark, lines).repartition(7)
    found = polywire.spark.infer_schema(df, "payload", "json", name="order")
    assert str(found) == str(polywire.infer_schema(b"\n".join(lines), "jsonl", name="order"))
    broken = frame(spark, [*lines[:10], b"{", None])
    assert "10 samples" in str(polywire.spark.infer_schema(broken, "payload", "json", bad="skip"))
    with pytest.raises(PythonException, match="DataError"):
        polywire.spark.infer_schema(broken, "payload", "json")


def test_a_schema_in_several_files_goes_to_the_executors(spark, tmp_path):
    (tmp_path / "shared").mkdir()
    (tmp_path / "shared" / "item.proto").write_text('syntax = "proto3"; package p; message Item { uint32 id = 1; }')
    main = tmp_path / "order.proto"
    main.write_text('syntax = "proto3"; import "item.proto"; package p; message Order { repeated Item items = 1; }')
    message = polywire.encode({"items": [{"id": 7}]}, "protobuf", main, type="p.Order", include=[tmp_path / "shared"])
    more = {"type": "p.Order", "include": [tmp_path / "shared"]}
    decoded = polywire.spark.decode(frame(spark, [message]), "payload", "protobuf", main, **more)
    # The executors have to do without the files.
    main.unlink()
    assert decoded.collect()[0]["items"][0].id == 7


@pytest.mark.parametrize("piece", [1 << 10, 100_000, 64 << 20])
def test_lines_are_split_anywhere(spark, tmp_path, lines, piece):
    # Small pieces of fewer lines, since each is a task.
    some = lines[: 2_000 if piece < 10_000 else COUNT]
    middle = len(some) // 2
    (tmp_path / "1.jsonl").write_bytes(b"\n".join(some[:middle]) + b"\n")
    (tmp_path / "2.jsonl").write_bytes(b"\n".join(some[middle:]))
    (tmp_path / "3.jsonl").write_bytes(b"")
    rows = polywire.spark.read(spark, tmp_path, "jsonl", piece=piece).select("id", "name").toArrow()
    assert rows["id"].to_pylist() == list(range(len(some))) and rows["name"][5].as_py() == "order 5"


@pytest.mark.parametrize("format", ["msgpack", "cbor"])
def test_other_formats_are_split_between_messages(spark, tmp_path, lines, format):
    path = tmp_path / f"all.{format}"
    path.write_bytes(polywire.convert(b"\n".join(lines), "jsonl", format))
    read = polywire.spark.read(spark, path, piece=500_000)
    assert read.rdd.getNumPartitions() > 5
    assert read.select("id").toArrow()["id"].to_pylist() == list(range(COUNT))


def test_files_that_cannot_be_split_are_one_piece(spark, tmp_path, lines):
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(b"\n".join(lines[:5_000])))
    assert polywire.spark.read(spark, str(tmp_path / "*.gz"), "jsonl", piece=1_000).count() == 5_000
    (tmp_path / "b.csv").write_bytes(b"id,name\n" + b"".join(b"%d,n%d\n" % (n, n) for n in range(5_000)))
    table = polywire.spark.read(spark, tmp_path / "b.csv", piece=1_000)
    assert (table.count(), table.columns) == (5_000, ["id", "name", "_rest"])
    document = b'{"all":[' + b",".join(lines[:3_000]) + b"]}"
    (tmp_path / "c.json").write_bytes(document)
    assert polywire.spark.read(spark, tmp_path / "c.json", "json", each="all", piece=1_000).count() == 3_000


def test_bad_messages_of_files_are_kept_or_named(spark, tmp_path, lines):
    path = tmp_path / "bad.jsonl"
    path.write_bytes(b"\n".join([*lines[:100], b'{"id":', *lines[100:200]]))
    schema = polywire.infer_schema(b"\n".join(lines[:200]), "jsonl")
    kept = polywire.spark.read(spark, path, "jsonl", schema, bad="keep", piece=1_000)
    assert kept.count() == 201 and kept.where("_error is not null").count() == 1
    assert polywire.spark.read(spark, path, "jsonl", schema, bad="skip", piece=1_000).count() == 200
    with pytest.raises(PythonException, match="bad.jsonl, in the piece from byte"):
        polywire.spark.read(spark, path, "jsonl", schema, piece=1_000).count()
    with pytest.raises(FileNotFoundError):
        polywire.spark.read(spark, tmp_path / "none.jsonl", "jsonl")


def test_an_executor_that_is_killed_loses_nothing(spark, orders, tmp_path):
    mark = str(tmp_path / "killed")

    def executor():
        pid = os.getpid()
        while True:
            with open(f"/proc/{pid}/stat") as file:
                pid = int(file.read().rpartition(")")[2].split()[1])
            with open(f"/proc/{pid}/cmdline") as file:
                if "CoarseGrainedExecutorBackend" in file.read():
                    return pid

    def kill(batches):
        for number, batch in enumerate(batches):
            # In the middle of a partition, once.
            if number == 1 and not os.path.exists(mark):
                open(mark, "w").close()
                os.kill(executor(), signal.SIGKILL)
            yield batch

    spark.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", 2_000)
    try:
        decoded = polywire.spark.decode(orders, "payload", "protobuf", PROTO)
        again = polywire.spark.encode(decoded.mapInArrow(kill, decoded.schema), decoded.columns[1:], "protobuf", PROTO, into="payload")
        rows = again.toArrow()
    finally:
        spark.conf.unset("spark.sql.execution.arrow.maxRecordsPerBatch")
    assert os.path.exists(mark)
    assert sorted(rows["n"].to_pylist()) == list(range(COUNT))


def test_what_all_messages_cost_is_estimated_from_some(spark, lines):
    df = frame(spark, lines).repartitionByRange(8, "n")
    formats = ["json", "msgpack", "protobuf"]
    found = polywire.spark.compare(df, "payload", "json", formats=formats, sample=20_000, block=200, time=0.001)
    assert found.messages == COUNT and 10_000 < found.measured < 30_000
    assert [row["format"] for row in found.rows] == ["protobuf", "msgpack", "json"]
    for row in found.rows:
        size = row["sizes"]["raw"]
        assert size["low"] < size["mean"] < size["high"]
        assert row["unfit"] == 0 and row["times"]["encode"] > 0
    truth = sum(map(len, lines))
    [own] = [row for row in found.cost() if row["format"] == "json"]
    assert abs(own["bytes"] / truth - 1) < 0.01
    ten = {row["format"]: row for row in found.cost(bytes=10e12, price=20)}
    assert round(ten["json"]["bytes"]) == 10e12 and ten["json"]["price"] == pytest.approx(200)
    assert ten["protobuf"]["high"] < 8e12
    assert "±" in str(found) and "<table>" in found._repr_html_()


def test_a_sample_of_all_messages_has_no_doubt(spark, lines):
    some = lines[:1_000]
    found = polywire.spark.compare(frame(spark, some), "payload", "json", formats=["json"], time=0.001)
    size = found.rows[0]["sizes"]["raw"]
    assert size["low"] == size["mean"] == size["high"] == sum(map(len, some)) / 1_000
