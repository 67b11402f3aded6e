"""Polywire in Ray, with two workers and an object store of 2 GB."""

import os
import signal
from decimal import Decimal

import polywire
import pyarrow as pa
import pytest
import ray
import ray.data
from conftest import COUNT, KINDS, PROTO, order

import polywire.ray


@pytest.fixture(scope="session", autouse=True)
def cluster():
    here = os.path.dirname(__file__)
    ray.init(
        num_cpus=2,
        object_store_memory=2 << 30,
        include_dashboard=False,
        log_to_driver=False,
        runtime_env={"env_vars": {"PYTHONPATH": os.pathsep.join([here, os.environ.get("PYTHONPATH", "")])}},
    )
    ray.data.DataContext.get_current().execution_options.preserve_order = True
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield
    ray.shutdown()


def frame(cells, blocks=1, **more):
    """Makes a data set of cells with their numbers."""
    table = pa.table({"n": pa.array(range(len(cells)), pa.int64()), "payload": pa.array(cells, pa.binary()), **more})
    size = -(-len(cells) // blocks)
    return ray.data.from_arrow([table[start : start + size] for start in range(0, max(len(cells), 1), max(size, 1))])


def whole(ds):
    """Returns a data set as one table, in its order."""
    return pa.concat_tables(table for table in ray.get(ds.to_arrow_refs()) if table.num_columns)


def test_messages_become_columns(messages):
    decoded = polywire.ray.decode(frame(messages, 8), "payload", "protobuf", PROTO)
    table = whole(decoded)
    assert table.schema.remove(0).equals(polywire.ray.schema_for("protobuf", PROTO))
    assert table.schema.field("serial").type == pa.uint64()
    assert table["n"].to_pylist() == list(range(COUNT))
    assert table["id"].to_pylist() == [number % KINDS for number in range(COUNT)]
    for row in table.slice(50_000, 1_500).to_pylist():
        made = order(row["n"] % KINDS)
        assert (row["serial"], row["name"], row["items"]) == (made["serial"], made["name"], made["items"] or row["items"])
        assert dict(row["stock"]) == made["stock"] and row["state"] == made["state"]


def test_columns_become_the_messages_that_they_were(messages):
    decoded = polywire.ray.decode(frame(messages, 4), "payload", "protobuf", PROTO, into="order")
    again = whole(polywire.ray.encode(decoded, "order", "protobuf", PROTO))
    assert again["order"].to_pylist() == messages


BROKEN = [b'{"id":1}', b'{"id":', None, b'{"id":2}', b"", b'{"id":3} {}', b'{"id":"x"}']


def test_bad_messages_are_rows_with_a_reason():
    schema = polywire.infer_schema(b'{"id":1}', "json")
    table = whole(polywire.ray.decode(frame(BROKEN), "payload", "json", schema, bad="keep"))
    assert table["id"].to_pylist() == [1, None, None, 2, None, None, None]
    reasons = table["_error"].to_pylist()
    assert (reasons[1]["offset"], reasons[1]["path"]) == (6, "id") and reasons[2] is None
    skipped = whole(polywire.ray.decode(frame(BROKEN), "payload", "json", schema, bad="skip"))
    assert skipped["n"].to_pylist() == [0, 2, 3]
    with pytest.raises(Exception, match="json: .*row 2 of a batch of 7 rows"):
        polywire.ray.decode(frame(BROKEN), "payload", "json", schema).materialize()


def test_sets_without_rows_and_columns_that_will_not_do():
    schema = polywire.infer_schema(b'{"id":1}', "json")
    assert polywire.ray.decode(frame([]), "payload", "json", schema).count() == 0
    with pytest.raises(Exception, match="column 'n' is of the type int64; expected one of bytes or text"):
        polywire.ray.decode(frame([b"{}"]), "n", "json", schema).materialize()
    with pytest.raises(Exception, match="no column 'body'; there are n, payload"):
        polywire.ray.decode(frame([b"{}"]), "body", "json", schema).materialize()


def test_the_schema_of_many_tasks_is_the_one_of_all_messages(lines):
    found = polywire.ray.infer_schema(frame(lines, 7), "payload", "json", name="order")
    assert str(found) == str(polywire.infer_schema(b"\n".join(lines), "jsonl", name="order"))
    table = whole(polywire.ray.decode(frame([b'{"n":1,"far":12345678901234567890123}']), "payload", "json", into="m", decimals=(38, 0)))
    assert table["m"].to_pylist()[0]["far"] == Decimal(12345678901234567890123)


def test_files_are_split_between_messages(tmp_path, lines):
    (tmp_path / "1.jsonl").write_bytes(b"\n".join(lines[:60_000]) + b"\n")
    (tmp_path / "2.jsonl").write_bytes(b"\n".join(lines[60_000:]))
    read = polywire.ray.read(tmp_path, "jsonl", piece=500_000)
    assert whole(read)["id"].to_pylist() == list(range(COUNT))
    path = tmp_path / "all.msgpack"
    path.write_bytes(polywire.convert(b"\n".join(lines), "jsonl", "msgpack"))
    source = polywire.ray.MessageSource(path, piece=500_000)
    assert len(source.get_read_tasks(2)) > 5
    assert whole(ray.data.read_datasource(source))["id"].to_pylist() == list(range(COUNT))


def test_a_worker_that_is_killed_loses_nothing(messages, tmp_path):
    mark = str(tmp_path / "killed")

    def kill(table):
        if table["n"][0].as_py() > COUNT // 2:
            try:
                os.close(os.open(mark, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                return table
            os.kill(os.getpid(), signal.SIGKILL)
        return table

    killed = frame(messages, 8).map_batches(kill, batch_format="pyarrow", batch_size=2_000)
    table = whole(polywire.ray.decode(killed, "payload", "protobuf", PROTO))
    assert os.path.exists(mark)
    assert table["n"].to_pylist() == list(range(COUNT))
    assert table["id"].to_pylist() == [number % KINDS for number in range(COUNT)]


def test_what_all_messages_cost_is_estimated_from_some(lines):
    found = polywire.ray.compare(frame(lines, 8), "payload", "json", formats=["json", "protobuf"], sample=20_000, block=200, time=0.001)
    assert found.messages == COUNT and 10_000 < found.measured < 30_000
    [json] = [row for row in found.cost() if row["format"] == "json"]
    assert abs(json["bytes"] / sum(map(len, lines)) - 1) < 0.01
    assert found.rows[0]["format"] == "protobuf" and found.rows[0]["times"]["decode"] > 0
