"""Exceptions: their classes, their facts, and what causes none worse."""

import io
import pickle
import random
from pathlib import Path

import polywire
import pytest
from polywire import _polywire

ROOT = Path(__file__).resolve().parents[2]


def test_the_facts_of_an_error():
    with pytest.raises(polywire.DataError) as raised:
        list(polywire.read(b'{"id":1}\n{"a":{"b":[1,}}\n', "jsonl"))
    error = raised.value
    assert (error.kind, error.fault, error.format, error.message, error.line) == ("syntax", "data", "jsonl", 2, 2)
    assert error.offset == 22 and error.column == 14 and error.path == "a.b" and error.expected and error.seen
    assert "byte 22" in str(error)


def test_an_error_can_be_pickled():
    with pytest.raises(polywire.Error) as raised:
        polywire.decode(b"{", "json")
    back = pickle.loads(pickle.dumps(raised.value))
    assert type(back) is type(raised.value) and str(back) == str(raised.value) and back.offset == raised.value.offset


@pytest.mark.parametrize(
    "call, kind",
    [
        (lambda: polywire.decode(b"{}", "no-such-format"), polywire.UsageError),
        (lambda: polywire.decode(b"{}", "json", "message M { }"), polywire.UsageError),
        (lambda: polywire.decode(b"{}", "protobuf", "message {"), polywire.SchemaError),
        (lambda: polywire.decode(b"{} {}", "json"), polywire.DataError),
        (lambda: polywire.decode(b"", "json"), polywire.DataError),
        (lambda: polywire.read("/no/such/file"), FileNotFoundError),
        (lambda: polywire.write([1], "/no/such/folder/a.json"), FileNotFoundError),
        (lambda: polywire.read(7), TypeError),
        (lambda: polywire.decode("text", "json"), TypeError),
        (lambda: polywire.write({"a": 1}, io.BytesIO(), "json"), TypeError),
        (lambda: polywire.read(b"{}", "json", select="a..b"), polywire.UsageError),
        (lambda: polywire.read(b"{}", "json", bad="maybe"), ValueError),
        (lambda: polywire.read(b"{}", "json", limits={"width": 1}), ValueError),
        (lambda: polywire.encode(1, "json", settings={"no": "such"}), ValueError),
        (lambda: polywire.encode({"a": 1}, "protobuf"), polywire.UsageError),
    ],
)
def test_classes(call, kind):
    with pytest.raises(kind):
        call()


def test_a_panic_is_an_exception(capfd):
    with pytest.raises(polywire.InternalError) as raised:
        _polywire.panic_for_a_test()
    assert "a test" in str(raised.value)


def test_hostile_bytes_are_exceptions():
    """Damages the corpus in many ways. Each call returns or raises an error of ours."""
    chance = random.Random(22)
    outcomes = [0, 0]
    for folder in sorted((ROOT / "testdata/corpus").iterdir()):
        if folder.name not in [format["name"] for format in polywire.formats()]:
            continue
        for file in sorted(folder.iterdir())[:3]:
            whole = file.read_bytes()[:4096]
            for _ in range(12):
                damaged = bytearray(whole)
                for _ in range(chance.randint(1, 4)):
                    damaged[chance.randrange(len(damaged)) :] = damaged[chance.randrange(len(damaged)) :]
                    if damaged:
                        damaged[chance.randrange(len(damaged))] = chance.randrange(256)
                    else:
                        damaged = bytearray(whole)
                try:
                    list(polywire.read(bytes(damaged), folder.name))
                    outcomes[0] += 1
                except polywire.Error as error:
                    assert not isinstance(error, polywire.InternalError), (folder.name, bytes(damaged))
                    outcomes[1] += 1
                # An inspection takes anything.
                polywire.inspect(bytes(damaged), folder.name)
    assert outcomes[0] > 20 and outcomes[1] > 100, outcomes
