"""Hostile inputs of every kind: each is an exception, and the process lives on."""

import gc
import io
import os
import signal
import subprocess
import sys
import threading
import time

import polywire
import pytest

LINES = b"".join(b'{"id":%d}\n' % number for number in range(1000))


@pytest.mark.parametrize(
    "format, message",
    [
        ("json", '{"id": 1}'.encode("utf-16")),
        ("csv", "a,b\n1,2\n".encode("utf-16-le")),
        ("xml", "<a>1</a>".encode("utf-16-be")),
        # Counts of values and bytes that do not follow.
        ("msgpack", b"\xdd\xff\xff\xff\xff"),
        ("msgpack", b"\xc6\xff\xff\xff\xff"),
        ("cbor", b"\x9b\xff\xff\xff\xff\xff\xff\xff\xff"),
        ("cbor", b"\x5b\x7f\xff\xff\xff\xff\xff\xff\xff"),
        ("bson", b"\xff\xff\xff\x7f"),
        ("protobuf-delimited", b"\xff\xff\xff\xff\x0f"),
        # Deeper than a stack.
        ("json", b"[" * 1_000_000),
        ("msgpack", b"\x91" * 1_000_000),
        ("cbor", b"\x81" * 1_000_000),
        ("xml", b"<a>" * 1_000_000),
        ("yaml", b"[" * 100_000),
        ("bencode", b"l" * 1_000_000),
        ("json", b'{"a":1e99999999999}'),
        ("arrow", b"ARROW1\0\0" + b"\xff" * 100),
        ("arrow-stream", b"\xff\xff\xff\xff\xf0\xff\xff\x7f" + b"\0" * 100),
        ("parquet", b"PAR1" + b"\xff" * 100 + b"\xff\xff\xff\x7fPAR1"),
    ],
)
def test_claims_and_depths(format, message):
    for read in [lambda: list(polywire.read(message, format)), lambda: polywire.decode(message, format)]:
        try:
            read()
        except polywire.Error as error:
            assert not isinstance(error, polywire.InternalError), str(error)
        else:
            # Text in UTF-16 is text of XML, and perhaps of CSV.
            assert format in ("xml", "csv", "json")
    polywire.inspect(message[:1000], format) if format not in ("arrow", "arrow-stream", "parquet") else None


def test_objects_as_deep_as_they_like():
    value = []
    for _ in range(100_000):
        value = [value]
    with pytest.raises((polywire.Error, RecursionError, ValueError)):
        polywire.encode(value, "msgpack")
    loop = []
    loop.append(loop)
    with pytest.raises((polywire.Error, RecursionError, ValueError)):
        polywire.encode(loop, "json")
    del value[0]


@pytest.mark.parametrize("wrong", [None, 1, 1.5, [], {}, object(), int, "no/such/file", b"", lambda: 1])
def test_arguments_of_other_types(wrong):
    calls = [
        lambda: list(polywire.read(wrong, "json")),
        lambda: polywire.read(LINES, wrong if wrong is not None else 1),
        lambda: polywire.decode(wrong, "json"),
        lambda: polywire.decode(b"{}", "json", wrong if wrong is not None else 1),
        lambda: polywire.convert(wrong, "json", "cbor"),
        lambda: polywire.convert(LINES, "jsonl", wrong),
        lambda: polywire.read(LINES, "jsonl", limits=wrong or 1),
        lambda: polywire.read(LINES, "jsonl", settings=wrong or 1),
        lambda: polywire.read(LINES, "jsonl", bad=wrong),
        lambda: polywire.check(wrong, wrong),
        lambda: polywire.infer_schema(wrong, "json"),
    ]
    raised = 0
    for call in calls:
        try:
            call()
        except (TypeError, ValueError, OSError, polywire.Error) as error:
            assert not isinstance(error, polywire.InternalError), str(error)
            raised += 1
    assert raised > 4


class Said:
    """A file object that answers as it was told."""

    def __init__(self, *answers):
        self.answers = list(answers)

    def read(self, size=-1):
        answer = self.answers.pop(0) if self.answers else b""
        if isinstance(answer, BaseException):
            raise answer
        return answer


@pytest.mark.parametrize("answer, kind", [("text", TypeError), (7, TypeError), ([1], TypeError), (KeyError("k"), KeyError), (OSError(5, "no"), OSError)])
def test_file_objects_that_lie(answer, kind):
    for first in [b"", LINES]:
        answers = [first, answer] if first else [answer]
        with pytest.raises(kind):
            list(polywire.read(Said(*answers), "jsonl"))
        with pytest.raises(kind):
            polywire.convert(Said(*answers), "jsonl", "cbor")


def test_more_bytes_than_were_asked_for():
    class Much:
        done = False

        def read(self, size):
            done, self.done = self.done, True
            return b"" if done else b'{"id":1}\n' * 1_000_000

    try:
        assert len(list(polywire.read(Much(), "jsonl"))) == 1_000_000
    except (ValueError, OSError) as error:
        assert not isinstance(error, polywire.InternalError)


def test_closed_streams():
    file = io.BytesIO(LINES)
    messages = polywire.read(file, "jsonl")
    file.close()
    try:
        list(messages)
    except ValueError:
        pass
    messages = polywire.read(LINES, "jsonl")
    messages.close()
    for use in [lambda: next(messages), lambda: messages.columns()]:
        with pytest.raises(ValueError):
            use()
    messages.close()


def test_reading_after_an_error():
    messages = polywire.read(b"\x01\xc1\x02", "msgpack")
    assert next(messages) == 1
    for _ in range(3):
        try:
            next(messages)
        except (polywire.DataError, StopIteration):
            pass
    columns = polywire.read(b'{"id":1}\n{"id":}\n', "jsonl")
    pyarrow = pytest.importorskip("pyarrow")
    with pytest.raises(Exception):
        pyarrow.table(columns)
    gc.collect()


def test_streams_of_columns_that_lie():
    pyarrow = pytest.importorskip("pyarrow")

    class Capsule:
        def __init__(self, made):
            self.made = made

        def __arrow_c_stream__(self, requested_schema=None):
            if isinstance(self.made, BaseException):
                raise self.made
            return self.made

    for made in [None, 7, b"", "arrow_array_stream", object(), pyarrow.schema([]).__arrow_c_schema__()]:
        with pytest.raises((TypeError, ValueError, polywire.Error)):
            polywire.write(Capsule(made), io.BytesIO(), "jsonl")
    with pytest.raises(KeyError):
        polywire.write(Capsule(KeyError("mine")), io.BytesIO(), "jsonl")
    with pytest.raises((TypeError, ValueError, polywire.Error)):
        polywire.write(type("Missing", (), {"__arrow_c_stream__": None})(), io.BytesIO(), "jsonl")

    # A stream is taken once, and one that fails in the middle says so.
    schema = pyarrow.schema([("id", pyarrow.int64())])
    once = pyarrow.RecordBatchReader.from_batches(schema, [pyarrow.record_batch({"id": [1]}, schema)])
    capsule = Capsule(once.__arrow_c_stream__())
    assert polywire.write(capsule, io.BytesIO(), "jsonl") == 1
    with pytest.raises((ValueError, polywire.Error)):
        polywire.write(capsule, io.BytesIO(), "jsonl")

    def batches():
        yield pyarrow.record_batch({"id": [1]}, schema)
        raise RuntimeError("in the middle")

    with pytest.raises(Exception, match="in the middle"):
        polywire.write(pyarrow.RecordBatchReader.from_batches(schema, batches()), io.BytesIO(), "jsonl")


def test_threads_share_streams_and_columns():
    pyarrow = pytest.importorskip("pyarrow")
    for _ in range(20):
        messages = polywire.read(LINES, "jsonl")
        outcomes = []

        def use(messages=messages, outcomes=outcomes):
            try:
                outcomes.append(pyarrow.table(messages).num_rows)
            except Exception as error:
                outcomes.append(type(error))

        threads = [threading.Thread(target=use) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(outcomes) == 4 and outcomes.count(1000) <= 1


@pytest.mark.skipif(os.name == "nt", reason="signals are Unix's")
@pytest.mark.parametrize("use", ["sum(1 for _ in messages)", "[0 for batch in __import__('pyarrow').RecordBatchReader.from_stream(messages)]"])
def test_ctrl_c_interrupts_reading(use):
    """The input never ends, so that only the signal can end the run."""
    if "pyarrow" in use:
        pytest.importorskip("pyarrow")
    script = f"""
import polywire, sys
class Endless:
    def read(self, size):
        return b'{{"id":1}}\\n' * (size // 9)
messages = polywire.read(Endless(), 'jsonl')
sys.stderr.write('ready'); sys.stderr.flush()
{use}
"""
    run = subprocess.Popen([sys.executable, "-c", script], stderr=subprocess.PIPE)
    assert run.stderr.read(5) == b"ready"
    time.sleep(0.5)
    run.send_signal(signal.SIGINT)
    try:
        text = run.communicate(timeout=20)[1]
    except subprocess.TimeoutExpired:
        run.kill()
        raise
    assert run.returncode != 0 and b"KeyboardInterrupt" in text


@pytest.mark.parametrize("name", ["panics.arrows", "panics.parquet"])
def test_a_panic_of_another_library_prints_nothing(name):
    path = os.path.join(os.path.dirname(__file__), "..", "..", "testdata", "columns", name)
    command = [sys.executable, "-m", "polywire", "convert", path, "--to", "jsonl"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (run.returncode, run.stdout, len(run.stderr.splitlines())) == (3, "", 1), run.stderr
