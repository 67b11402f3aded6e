"""Objects of Python, and the values that they stand for."""

import math
import pickle
from datetime import datetime, timedelta, timezone
from decimal import Decimal

import polywire
import pytest
from polywire import Octets, Pairs, Record, Tagged, Timestamp, Variant


def there_and_back(value, format, **more):
    return polywire.decode(polywire.encode(value, format, **more), format, **more)


@pytest.mark.parametrize("format", ["json", "msgpack", "cbor", "yaml", "bson"])
def test_plain_values_come_back(format):
    value = {"null": None, "yes": True, "no": False, "zero": 0, "less": -(2**63), "half": 0.5, "text": "ünï ☃ \0", "list": [1, [2, {}]], "": ""}
    assert there_and_back(value, format) == value


@pytest.mark.parametrize("number", [2**63 - 1, 2**64 - 1, 2**64, -(2**64), 10**300, -(10**4000)], ids=lambda number: f"{number.bit_length()} bits")
def test_whole_numbers_of_any_size(number):
    assert there_and_back([number], "cbor") == [number]
    assert there_and_back([number], "json") == [number]


def test_true_is_not_one():
    assert there_and_back([True, 1, 1.0], "msgpack") == [True, 1, 1.0]
    assert [type(value) for value in there_and_back([True, 1, 1.5], "msgpack")] == [bool, int, float]


def test_floats():
    back = there_and_back([1.5, -0.0, math.inf, math.nan, 5e-324], "cbor")
    assert back[0] == 1.5 and math.copysign(1, back[1]) == -1 and back[2] == math.inf and math.isnan(back[3]) and back[4] == 5e-324


@pytest.mark.parametrize("text", ["1.50", "0.10000000000000000001", "-0.001", "1E+3", "123456789012345678901234567890.5", "7", "-7"])
def test_decimals_keep_their_digits(text):
    back = there_and_back({"price": Decimal(text)}, "bson")["price"]
    assert isinstance(back, Decimal)
    assert str(back) == str(Decimal(text))


def test_a_decimal_in_json_is_its_digits():
    assert polywire.encode(Decimal("1.50"), "json") == b"1.50"
    # A float would change it.
    assert polywire.decode(b"0.10000000000000000001", "json") == Decimal("0.10000000000000000001")


def test_moments():
    moment = datetime(2026, 11, 27, 7, 8, 9, 123456, tzinfo=timezone(timedelta(hours=2)))
    back = there_and_back([moment], "msgpack")[0]
    assert back == moment and back.tzinfo is timezone.utc
    for odd in [Timestamp(7, 1), Timestamp(-(10**13), 0)]:
        assert there_and_back([odd], "msgpack") == [odd]


def test_bytes_and_octets():
    for value in [b"\xff\0", bytearray(b"a"), memoryview(b"ab")]:
        assert there_and_back([value], "msgpack") == [bytes(value)]
    octets = there_and_back([Octets(b"\xff")], "msgpack")[0]
    assert isinstance(octets, bytes) and octets == b"\xff"


def test_tags_and_maps_of_any_key():
    value = {1: "a", "b": Tagged("cbor", 100, [1]), None: 2.5, 1.5: b"x"}
    back = there_and_back(value, "cbor")
    assert back[1] == "a" and back["b"] == Tagged("cbor", 100, [1]) and back[None] == 2.5
    pairs = there_and_back(Pairs([([1], "list"), (True, 1), (1, 2), ("a", "b")]), "cbor")
    assert isinstance(pairs, Pairs) and list(pairs) == [([1], "list"), (True, 1), (1, 2), ("a", "b")]


def test_sum_types():
    protocol = "type shape = Circle float | Nothing\nmessage m = { s : shape; n : int }"
    value = {"s": Variant("Circle", (1.5,), 0), "n": 7}
    back = there_and_back(value, "extprot", schema=protocol)
    assert back["s"].name == "Circle" and back["s"].values == (1.5,) and back["n"] == 7


def test_classes_of_others_are_numbers():
    class Whole:
        def __index__(self):
            return 2**70

    assert polywire.encode([Whole()], "json") == b"[1180591620717411303424]"


@pytest.mark.parametrize(
    "value, what",
    [
        ({"a": [{1, 2}]}, "a[0]"),
        ({"a": {"b": datetime(2026, 1, 1)}}, "a.b"),
        ({"a": Decimal("NaN")}, "a"),
        ([object()], "[0]"),
    ],
)
def test_what_is_no_value_is_named_with_its_path(value, what):
    with pytest.raises(polywire.UsageError) as raised:
        polywire.encode(value, "msgpack")
    assert raised.value.path == what and raised.value.expected


def test_a_loss_is_an_error():
    with pytest.raises(polywire.LossError) as raised:
        polywire.encode({"key": b"\1"}, "json")
    assert raised.value.kind == "loss" and raised.value.message is None
    losses = []
    assert polywire.encode({"key": (1, b"\1")}, "json", losses=losses) == b'{"key":[1,"AQ=="]}'
    assert len(losses) == 2


def test_lone_surrogates_are_refused():
    for value in ["\ud800", {"\ud800": 1}]:
        with pytest.raises(polywire.UsageError):
            polywire.encode(value, "json")


def test_an_object_within_itself_ends():
    loop = []
    loop.append(loop)
    with pytest.raises(polywire.Error) as raised:
        polywire.encode(loop, "msgpack")
    assert raised.value.kind == "limit"


def test_deep_messages():
    with pytest.raises(polywire.DataError) as raised:
        polywire.decode(b"[" * 100_000, "json")
    assert raised.value.kind == "limit"
    deep = polywire.decode(b"[" * 2000 + b"]" * 2000, "json", limits={"depth": 2048})
    assert polywire.encode(deep, "json") == b"[" * 2000 + b"]" * 2000


def test_classes_can_be_pickled():
    for value in [Tagged("cbor", 1, 2), Variant("A", (1,), 0), Timestamp(1, 2), Octets(b"a"), Record("r", {"a": 1}), Pairs([(1, 2)])]:
        back = pickle.loads(pickle.dumps(value))
        assert back == value and type(back) is type(value)
