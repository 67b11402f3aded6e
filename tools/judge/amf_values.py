"""Compares our AMF0, AMF3 and packets with those of Py3AMF, on random values.

    amf_values.py PROGRAM [--count N] [--seed N]

PROGRAM is the example `rewrite_amf` of crates/amf. Py3AMF writes each value. We read it and write it again, in the same format: the bytes have to
be the same, or to be the same value for Py3AMF. Values that both versions of AMF have go from one to the other too.
"""

import argparse
import datetime
import math
import random
import struct
import subprocess
import sys

import pyamf
from pyamf import remoting
from pyamf.flex import ArrayCollection, ObjectProxy
from pyamf.flex.messaging import AcknowledgeMessageExt, AsyncMessageExt, CommandMessageExt

WORDS = ("", "a", "Ada", "größe", "日本", "line\nbreak", "x" * 200, "y" * 70000)
KEYS = ("a", "b", "name", "größe", "z" * 100)


class Point:
    def __init__(self, **values):
        self.__dict__.update(values)


class Bag(Point):
    class __amf__:
        dynamic = True
        static = ("size",)


pyamf.register_class(Point, "com.example.Point")
pyamf.register_class(Bag, "com.example.Bag")


def random_value(rng, depth, version, shared):
    kinds = ["null", "bool", "int", "float", "text", "date"]
    if version == 3:
        kinds += ["bytes", "undefined"]
    if depth:
        kinds += ["list", "dict", "mixed", "point", "bag"] * 2
        kinds += ["again"] * bool(shared)
        if version == 3:
            kinds += ["collection", "proxy", "message"]
    kind = rng.choice(kinds)

    def inner():
        return random_value(rng, depth - 1, version, shared)

    if kind == "null":
        return None
    if kind == "undefined":
        return pyamf.Undefined
    if kind == "bool":
        return rng.random() < 0.5
    if kind == "int":
        bits = rng.randrange(1, 31)
        return rng.choice((-1 << bits, (1 << bits) - 1, rng.randrange(-1 << bits, 1 << bits)))
    if kind == "float":
        return rng.choice((0.5, -1e300, 5e-324, rng.random(), 1.5e15, math.inf))
    if kind == "text":
        return rng.choice(WORDS)
    if kind == "date":
        return datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=rng.randrange(-(2**31), 2**32))
    if kind == "bytes":
        made = pyamf.amf3.ByteArray()
        made.write(bytes(rng.randrange(256) for _ in range(rng.randrange(200))))
        return made
    if kind == "again":
        return rng.choice(shared)
    if kind == "list":
        made = []
        shared.append(made)
        made.extend(inner() for _ in range(rng.choice((0, 1, 2, 5))))
        return made
    if kind == "dict":
        made = {}
        shared.append(made)
        made.update({key: inner() for key in rng.sample(KEYS, rng.randrange(4))})
        return made
    if kind == "mixed":
        made = pyamf.MixedArray()
        shared.append(made)
        made.update({key: inner() for key in rng.sample(KEYS, rng.randrange(1, 4))})
        return made
    if kind == "point":
        return Point(**{key: inner() for key in ("x", "y")})
    if kind == "bag":
        return Bag(size=inner(), **{key: inner() for key in rng.sample(("more", "other"), rng.randrange(3))})
    if kind == "collection":
        return ArrayCollection([inner() for _ in range(rng.randrange(4))])
    if kind == "proxy":
        return ObjectProxy(Point(x=inner(), y=None))
    message = rng.choice((AcknowledgeMessageExt, AsyncMessageExt, CommandMessageExt))
    moment = datetime.datetime(2020, 1, 1) + datetime.timedelta(seconds=rng.randrange(2**28))
    return message(body=inner(), destination=rng.choice(WORDS[1:4]), timestamp=moment)


def shape(value, seen=None):
    """Returns what a value is, for comparisons: objects that were seen before are their numbers."""
    seen = {} if seen is None else seen
    if isinstance(value, float) and math.isnan(value):
        return "nan"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return float(value)
    if value is None or isinstance(value, (bool, str, bytes, datetime.datetime)) or value is pyamf.Undefined:
        return repr(value)
    if isinstance(value, pyamf.amf3.ByteArray):
        return ("bytes", value.getvalue())
    if id(value) in seen:
        return ("again", seen[id(value)])
    seen[id(value)] = len(seen)
    if isinstance(value, (list, tuple)):
        return (type(value).__name__, [shape(each, seen) for each in value])
    members = value if isinstance(value, dict) else vars(value)
    return (type(value).__name__, [(str(key), shape(members[key], seen)) for key in sorted(members, key=str)])


def answers(program, source, target, given):
    framed = b"".join(struct.pack(">I", len(each)) + each for each in given)
    out = subprocess.run([program, source, target], input=framed, capture_output=True, check=True).stdout
    at = 0
    for _ in given:
        (head,) = struct.unpack(">I", out[at : at + 4])
        length = head & 0x7FFFFFFF
        yield bool(head >> 31), out[at + 4 : at + 4 + length]
        at += 4 + length


def decoded(version, message):
    if version == "packet":
        packet = remoting.decode(message)
        parts = [(name, shape(value)) for name, value in packet.headers.items()]
        return parts + [(name, each.target, shape(each.body)) for name, each in packet.items()]
    return shape(next(pyamf.decode(message, encoding=version)))


def packet(rng, value):
    made = remoting.Envelope(amfVersion=3)
    made.headers["Trace"] = rng.choice(("on", None, {"a": 1}))
    made["/1"] = remoting.Request("echo.run", body=[value])
    return remoting.encode(made).getvalue()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    rng = random.Random(given.seed)
    wrong = total = same = 0
    for name, version in (("amf0", 0), ("amf3", 3), ("amf-packet", "packet")):
        values = [random_value(rng, 4, 0 if version == 0 else 3, []) for _ in range(given.count)]
        if version == "packet":
            made = [packet(rng, value) for value in values]
        else:
            made = [pyamf.encode(value, encoding=version).getvalue() for value in values]
        total += len(made)
        for message, (failed, answer) in zip(made, answers(given.program, name, name, made)):
            if not failed and answer == message:
                same += 1
            elif failed or decoded(version, answer) != decoded(version, message):
                wrong += 1
                if wrong < 6:
                    shown = answer.decode(errors="replace") if failed else answer[:200].hex()
                    print(f"{name}: {message[:200].hex()}\n  {shown}", file=sys.stderr)
    print(f"{total} messages, {same} the same byte by byte, {wrong} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
