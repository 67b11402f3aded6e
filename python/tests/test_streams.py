"""Inputs and outputs: paths, bytes, file objects, compression, callbacks, signals."""

import bz2
import gzip
import io
import lzma
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import polywire
import pytest

ROOT = Path(__file__).resolve().parents[2]
LINES = b"".join(b'{"id":%d}\n' % number for number in range(1000))
IDS = [{"id": number} for number in range(1000)]


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_bytes(LINES)
    return path


def test_files_that_another_library_opens():
    import fsspec

    with fsspec.open("memory://place/a.jsonl.gz", "wb") as out:
        out.write(gzip.compress(LINES))
    with fsspec.open("memory://place/a.jsonl.gz", "rb") as file:
        assert list(polywire.read(file)) == IDS
    with fsspec.open("memory://place/b.msgpack", "wb") as out:
        polywire.write(IDS, out, "msgpack")
    with fsspec.open("memory://place/b.msgpack", "rb") as file:
        assert list(polywire.read(file)) == IDS
    with pytest.raises(OSError):
        polywire.read("s3://bucket/a.jsonl")


def test_inputs_of_all_kinds(file):
    for source in [file, str(file), LINES, bytearray(LINES), memoryview(LINES), io.BytesIO(LINES)]:
        assert list(polywire.read(source)) == IDS
    with open(file, "rb") as opened:
        assert list(polywire.read(opened)) == IDS
    with open(file, "rb", buffering=0) as opened:
        assert list(polywire.read(opened)) == IDS
    with pytest.raises(TypeError, match="binary mode"), open(file) as opened:
        polywire.read(opened)


@pytest.mark.parametrize("name, packed", [("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress)])
def test_compression_is_taken_off(tmp_path, name, packed):
    path = tmp_path / f"a.jsonl.{name}"
    path.write_bytes(packed(LINES))
    assert list(polywire.read(path)) == IDS
    assert list(polywire.read(io.BytesIO(packed(LINES)), "jsonl")) == IDS
    with pytest.raises(polywire.Error):
        list(polywire.read(packed(LINES)[:-20], "jsonl"))
    # One that is left alone ends its thread.
    del path
    next(polywire.read(packed(LINES * 100), "jsonl"))


def test_a_file_object_is_read_piece_by_piece():
    class Endless(io.RawIOBase):
        asked = 0

        def read(self, size=-1):
            assert 0 < size <= 1 << 20
            self.asked += 1
            return b'{"id":1}\n' * 1000

    endless = Endless()
    messages = polywire.read(endless, "jsonl")
    assert [next(messages) for _ in range(5000)] == [{"id": 1}] * 5000
    assert endless.asked < 200


def test_exceptions_of_a_file_object_come_through():
    class Broken:
        def read(self, size):
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        list(polywire.read(Broken(), "jsonl"))

    class Full:
        def write(self, data):
            raise BlockingIOError("full")

    with pytest.raises(BlockingIOError, match="full"):
        polywire.write(IDS, Full(), "jsonl")


def test_parts_are_selected():
    messages = b'{"id":1,"body":{"from":"a","text":"b"}}\n{"id":2}\n'
    assert list(polywire.read(messages, "jsonl", select="body.from")) == [{"body": {"from": "a"}}, {}]
    assert list(polywire.read(messages, "jsonl", select=["id"])) == [{"id": 1}, {"id": 2}]
    assert list(polywire.read(b'{"rows":[{"id":1},{"id":2}]}', "json", each="rows")) == [{"id": 1}, {"id": 2}]


def test_settings_and_duplicate_keys():
    assert list(polywire.read(b"id;n\n1;a\n", "csv", settings={"separator": ";"})) == [{"id": 1, "n": "a"}]
    twice = b'{"a":1,"a":2}'
    with pytest.raises(polywire.Error) as raised:
        polywire.decode(twice, "json")
    assert raised.value.kind == "duplicate_key"
    assert polywire.decode(twice, "json", duplicate_keys="first") == {"a": 1}
    assert polywire.decode(twice, "json", duplicate_keys="last") == {"a": 2}
    assert polywire.decode(twice, "json", duplicate_keys="keep") == polywire.Pairs([("a", 1), ("a", 2)])


def test_bad_messages():
    lines = b'{"id":1}\n{"id":}\n{"id":3}\n'
    messages = polywire.read(lines, "jsonl")
    assert next(messages) == {"id": 1}
    with pytest.raises(polywire.DataError) as raised:
        next(messages)
    assert raised.value.message == 2
    # Reading goes on behind it.
    assert next(messages) == {"id": 3} and messages.bad == 1 and messages.count == 3
    assert list(polywire.read(lines, "jsonl", bad="skip")) == [{"id": 1}, {"id": 3}]
    first, second, third = polywire.read(lines, "jsonl", bad="keep")
    assert isinstance(second, polywire.DataError) and second.offset == 15 and (first, third) == ({"id": 1}, {"id": 3})
    # Nothing says where the next message of MessagePack starts.
    with pytest.raises(polywire.DataError):
        list(polywire.read(b"\x01\xc1\x02", "msgpack", bad="skip"))


def test_state_of_a_stream(file):
    with polywire.read(file) as messages:
        next(messages)
        assert (messages.format, messages.count, messages.offset) == ("jsonl", 1, 8)
        assert "a.jsonl" in repr(messages)
    with pytest.raises(ValueError):
        next(messages)


def test_messages_are_written(tmp_path):
    for format in ["jsonl", "msgpack", "cbor", "yaml", "csv"]:
        path = tmp_path / f"a.{format}"
        assert polywire.write(IDS, path) == 1000
        assert list(polywire.read(path)) == IDS
        assert polywire.write((message for message in polywire.read(path)), path.with_suffix(".json"), "jsonl") == 1000
    # Without objects between.
    assert polywire.write(polywire.read(tmp_path / "a.cbor"), tmp_path / "b.jsonl") == 1000
    assert (tmp_path / "b.jsonl").read_bytes() == LINES
    losses = []
    assert polywire.write([{"a": b"\1"}] * 3, io.BytesIO(), "jsonl", losses=losses) == 3
    assert losses[0]["count"] == 3 and losses[0]["what"] == "bytes became base64 text"
    out = io.BytesIO()
    with pytest.raises(polywire.LossError) as raised:
        polywire.write([{"a": 1}, {"a": b"\1"}], out, "jsonl")
    assert raised.value.message == 2 and out.getvalue() == b'{"a":1}\n'
    with pytest.raises(KeyError):
        polywire.write((message["b"] for message in IDS), io.BytesIO(), "jsonl")


def test_a_schema_in_every_form(tmp_path):
    text = 'syntax = "proto3";\nmessage Order { int32 id = 1; Colour colour = 2; }\nenum Colour { RED = 0; BLUE = 1; }\n'
    path = tmp_path / "order.proto"
    path.write_text(text)
    value = polywire.decode(b"\x08\x07\x10\x01", "protobuf", text)
    assert value["id"] == 7
    for schema in [path, str(path), text, text.encode()]:
        assert polywire.encode(value, "protobuf", schema) == b"\x08\x07\x10\x01"
        assert polywire.convert(b"\x08\x07\x10\x01", "protobuf", "protojson", schema=schema) == b'{"id":7,"colour":"BLUE"}\n'
    inferred = polywire.infer_schema(LINES, "jsonl", name="item")
    assert "id = 1" in inferred.text("proto")
    packed = polywire.convert(LINES, "jsonl", "protobuf-delimited", schema=inferred)
    assert polywire.convert(packed, "protobuf-delimited", "jsonl", schema=inferred) == LINES


def test_conversions():
    assert polywire.convert(LINES, None, "msgpack") == polywire.convert(LINES, "jsonl", "msgpack", threads=2)
    with pytest.raises(polywire.LossError):
        polywire.convert(b"\xc4\x01\x01", "msgpack", "json")


def test_progress_is_told_and_may_end_the_run():
    big = LINES * 500
    seen = []
    polywire.convert(big, "jsonl", "cbor", progress=seen.append)
    assert seen[-1] == len(big) and seen == sorted(seen)

    def enough(read):
        raise InterruptedError(read)

    for run in [
        lambda: polywire.convert(big, "jsonl", "cbor", progress=enough),
        lambda: polywire.infer_schema(big, "jsonl", progress=enough),
        lambda: list(polywire.read(big, "jsonl", progress=enough)),
        lambda: polywire.inspect(LINES, "jsonl", progress=enough),
    ]:
        with pytest.raises(InterruptedError):
            run()
    steps = []
    compared = polywire.compare(LINES, formats=["json", "cbor"], time=0.001, progress=lambda *step: steps.append(step))
    assert len(steps) > 2 and [row["format"] for row in compared.rows] == ["cbor", "json"]
    with pytest.raises(InterruptedError):
        polywire.compare(LINES, formats=["json"], time=0.001, progress=lambda *step: enough(step))


def test_other_threads_run_meanwhile():
    """A thread of Python counts while another one is in Rust."""
    big, counted = LINES * 300, 0
    ended = threading.Event()

    def convert():
        polywire.convert(big, "jsonl", "cbor")
        ended.set()

    thread = threading.Thread(target=convert)
    thread.start()
    while not ended.is_set():
        counted += 1
    thread.join()
    assert counted > 100


def test_two_threads_cannot_read_one_stream(file):
    messages = polywire.read(LINES * 100, "jsonl")
    outcomes = []

    def read():
        try:
            outcomes.append(sum(1 for _ in messages))
        except RuntimeError:
            outcomes.append(0)

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(outcomes) <= 100_000 and len(outcomes) == 4


@pytest.mark.skipif(os.name == "nt", reason="signals are Unix's")
def test_ctrl_c_interrupts_a_conversion(tmp_path):
    """The input never ends, so that only the signal can end the run."""
    script = "import polywire, sys; sys.stderr.write('ready'); sys.stderr.flush(); polywire.convert(sys.stdin.buffer.raw, 'jsonl', 'cbor')"
    run = subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stderr=subprocess.PIPE)

    def feed():
        try:
            while True:
                run.stdin.write(LINES)
        except OSError:
            pass

    feeder = threading.Thread(target=feed)
    assert run.stderr.read(5) == b"ready"
    feeder.start()
    time.sleep(0.2)
    run.send_signal(signal.SIGINT)
    text = run.stderr.read()
    assert run.wait() != 0 and b"KeyboardInterrupt" in text
    feeder.join()
