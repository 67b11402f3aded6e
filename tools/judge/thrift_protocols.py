"""Compares our protocols of Thrift with those of two libraries, on random values of random types.

    thrift_protocols.py PROGRAM [--count N] [--seed N] [--files DIR]

PROGRAM is the example `rewrite` of crates/thrift. The packages `thrift` (Apache's) and `thriftpy2` write each value in both protocols,
alone or in an envelope. Both have to agree; we read each message and write it in both, which must be the same bytes. Texts of the JSON
protocol are compared with those of `thrift`. `--files` writes the small messages of testdata/corpus instead.
"""

import argparse
import json
import random
import struct
import subprocess
import sys
from pathlib import Path

from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.protocol.TCompactProtocol import TCompactProtocol
from thrift.protocol.TJSONProtocol import TJSONProtocol
from thrift.Thrift import TType
from thrift.transport.TTransport import TMemoryBuffer
from thriftpy2.protocol.binary import TBinaryProtocol as PyBinary
from thriftpy2.protocol.compact import TCompactProtocol as PyCompact
from thriftpy2.thrift import TPayload
from thriftpy2.transport import TMemoryBuffer as PyBuffer

SCALARS = (TType.BOOL, TType.BYTE, TType.DOUBLE, TType.I16, TType.I32, TType.I64, TType.STRING)
BITS = {TType.BYTE: 8, TType.I16: 16, TType.I32: 32, TType.I64: 64}
WORDS = ("", "a", "Ada", "größe", "日本", "line\nbreak", "x" * 200)


def random_type(rng, depth):
    kind = rng.choice(SCALARS if depth == 0 else SCALARS + (TType.STRUCT, TType.LIST, TType.SET, TType.MAP))
    if kind == TType.STRUCT:
        ids = sorted({rng.choice((1, 2, 3, 4, 5, 8, 15, 16, 17, 40, 300, 32767)) for _ in range(rng.randrange(6))})
        return kind, tuple((number, random_type(rng, depth - 1)) for number in ids)
    if kind in (TType.LIST, TType.SET):
        return kind, random_type(rng, depth - 1 if kind == TType.LIST else 0)
    if kind == TType.MAP:
        return kind, (random_type(rng, 0), random_type(rng, depth - 1))
    return kind, None


def random_value(rng, ty):
    kind, inner = ty
    if kind == TType.BOOL:
        return rng.random() < 0.5
    if kind in BITS:
        bits = rng.randrange(BITS[kind])
        return rng.choice((-1 << bits, (1 << bits) - 1, rng.randrange(-1 << bits, 1 << bits)))
    if kind == TType.DOUBLE:
        return rng.choice((0.0, -0.0, 1.5, -1e300, 5e-324, rng.random()))
    if kind == TType.STRING:
        return rng.choice(WORDS)
    if kind == TType.STRUCT:
        return tuple((number, field, random_value(rng, field)) for number, field in inner if rng.random() < 0.8)
    # The element types of an empty one are kept as well.
    count = rng.choice((0, 1, 2, 3, 14, 15, 16, 40))
    if kind == TType.MAP:
        return list({random_value(rng, inner[0]): random_value(rng, inner[1]) for _ in range(count)}.items())
    values = [random_value(rng, inner) for _ in range(count)]
    return list(dict.fromkeys(values)) if kind == TType.SET else values


def apache(protocol, ty, value):
    """Writes a value by the calls of Apache's library."""
    kind, inner = ty
    simple = {
        TType.BOOL: protocol.writeBool,
        TType.BYTE: protocol.writeByte,
        TType.I16: protocol.writeI16,
        TType.I32: protocol.writeI32,
        TType.I64: protocol.writeI64,
        TType.DOUBLE: protocol.writeDouble,
        TType.STRING: protocol.writeString,
    }
    if kind in simple:
        simple[kind](value)
    elif kind == TType.STRUCT:
        protocol.writeStructBegin("s")
        for number, field, inside in value:
            protocol.writeFieldBegin("f", field[0], number)
            apache(protocol, field, inside)
            protocol.writeFieldEnd()
        protocol.writeFieldStop()
        protocol.writeStructEnd()
    elif kind == TType.MAP:
        protocol.writeMapBegin(inner[0][0], inner[1][0], len(value))
        for key, inside in value:
            apache(protocol, inner[0], key)
            apache(protocol, inner[1], inside)
        protocol.writeMapEnd()
    elif kind == TType.SET:
        protocol.writeSetBegin(inner[0], len(value))
        for inside in value:
            apache(protocol, inner, inside)
        protocol.writeSetEnd()
    else:
        protocol.writeListBegin(inner[0], len(value))
        for inside in value:
            apache(protocol, inner, inside)
        protocol.writeListEnd()


def spec(ty):
    """Returns a type as thriftpy2 has it."""
    kind, inner = ty
    if kind == TType.STRUCT:
        fields = {number: field_spec(number, field) for number, field in inner}
        members = {"thrift_spec": fields, "default_spec": [(f"f{number}", None) for number, _ in inner]}
        return type("Struct", (TPayload,), members)
    if kind == TType.MAP:
        return tuple(part[0] if part[1] is None else (part[0], spec(part)) for part in inner)
    if kind in (TType.LIST, TType.SET):
        return inner[0] if inner[1] is None else (inner[0], spec(inner))
    return None


def field_spec(number, ty):
    inside = spec(ty)
    return (ty[0], f"f{number}", False) if inside is None else (ty[0], f"f{number}", inside, False)


def native(ty, value, made):
    """Returns a value as thriftpy2 has it."""
    kind, inner = ty
    if kind == TType.STRUCT:
        return made(**{f"f{number}": native(field, inside, class_of(made, number)) for number, field, inside in value})
    if kind == TType.MAP:
        inside = made[1]
        inside = inside[1] if isinstance(inside, tuple) else None
        return {native(inner[0], key, None): native(inner[1], value, inside) for key, value in value}
    if kind in (TType.LIST, TType.SET):
        inside = made[1] if isinstance(made, tuple) else None
        return [native(inner, each, inside) for each in value]
    return value


def class_of(made, number):
    entry = made.thrift_spec[number]
    return entry[2] if len(entry) == 4 else None


def by_apache(make, ty, value, envelope):
    buffer = TMemoryBuffer()
    protocol = make(buffer)
    if envelope:
        protocol.writeMessageBegin(*envelope)
    apache(protocol, ty, value)
    if envelope:
        protocol.writeMessageEnd()
    return buffer.getvalue()


def by_thriftpy(make, ty, value, envelope):
    buffer = PyBuffer()
    protocol = make(buffer)
    if envelope:
        protocol.write_message_begin(*envelope)
    protocol.write_struct(native(ty, value, spec(ty)))
    if envelope:
        protocol.write_message_end()
    return buffer.getvalue()


def messages(rng, count):
    for _ in range(count):
        ty = (TType.STRUCT, None)
        while ty[1] is None:
            ty = random_type(rng, 4)
            if ty[0] != TType.STRUCT:
                ty = (TType.STRUCT, None)
        envelope = (rng.choice(("get", "größe", "a_long_name_of_a_method")), rng.randrange(1, 5), rng.choice((0, 1, 77, -1, 2**31 - 1)))
        yield ty, random_value(rng, ty), envelope if rng.random() < 0.4 else None


def both(ty, value, envelope):
    return {
        "thrift-binary": by_apache(lambda buffer: TBinaryProtocol(buffer, strictWrite=True), ty, value, envelope),
        "thrift-compact": by_apache(TCompactProtocol, ty, value, envelope),
    }


def answers(program, source, target, given):
    framed = b"".join(struct.pack(">I", len(each)) + each for each in given)
    out = subprocess.run([program, source, target], input=framed, capture_output=True, check=True).stdout
    at = 0
    for _ in given:
        (head,) = struct.unpack(">I", out[at : at + 4])
        length = head & 0x7FFFFFFF
        yield bool(head >> 31), out[at + 4 : at + 4 + length]
        at += 4 + length


def json_texts(program, made, written):
    """Compares texts of the JSON protocol with those of Apache's library, both ways. Returns the number of differences."""
    texts = [by_apache(TJSONProtocol, *each) for each in made]
    wrong = 0
    for source in ("thrift-binary", "thrift-json"):
        given = texts if source == "thrift-json" else [each[source] for each in written]
        for text, (failed, answer) in zip(texts, answers(program, source, "thrift-json", given)):
            if failed or parsed(answer) != parsed(text):
                wrong += 1
                if wrong < 6:
                    print(f"{source} to thrift-json:\n  {answer.decode(errors='replace')}\n  {text.decode()}", file=sys.stderr)
    for text, message, (failed, answer) in zip(texts, written, answers(program, "thrift-json", "thrift-binary", texts)):
        if failed or answer != message["thrift-binary"]:
            wrong += 1
            if wrong < 6:
                shown = answer.decode(errors="replace") if failed else answer.hex()
                print(f"thrift-json to thrift-binary: {text.decode()}\n  {shown}\n  {message['thrift-binary'].hex()}", file=sys.stderr)
    return wrong


def parsed(text):
    """Returns a text as values: members in their order, with keys that are numbers as these."""
    return json.loads(text, object_pairs_hook=lambda pairs: [(number(key), value) for key, value in pairs])


def number(key):
    try:
        return float(key)
    except ValueError:
        return key


def has(ty, value, kind, empty=False):
    """Reports whether a value holds one of a type."""
    if ty[0] == kind and not (empty and value):
        return True
    if ty[0] == TType.STRUCT:
        return any(has(field, inside, kind, empty) for _, field, inside in value)
    if ty[0] == TType.MAP:
        return any(has(ty[1][1], inside, kind, empty) for _, inside in value)
    if ty[0] in (TType.LIST, TType.SET):
        return any(has(ty[1], inside, kind, empty) for inside in value)
    return False


def files(folder):
    person = (TType.STRUCT, ((1, (TType.STRING, None)),))
    every = (
        (1, (TType.BOOL, None), True),
        (2, (TType.BOOL, None), False),
        (3, (TType.BYTE, None), -7),
        (4, (TType.DOUBLE, None), 2.5),
        (6, (TType.I16, None), -300),
        (8, (TType.I32, None), 70000),
        (10, (TType.I64, None), -(1 << 40)),
        (11, (TType.STRING, None), "größe"),
        (12, person, ((1, (TType.STRING, None), "Ada"),)),
        (13, (TType.MAP, ((TType.STRING, None), (TType.I32, None))), [("a", 1), ("b", 2)]),
        (14, (TType.SET, (TType.I16, None)), [3, 1, 2]),
        (15, (TType.LIST, (TType.BOOL, None)), [True, False, True]),
        (40, (TType.LIST, person), [((1, (TType.STRING, None), "Bea"),), ()]),
        (300, (TType.MAP, ((TType.I64, None), (TType.LIST, (TType.DOUBLE, None)))), [(7, [0.5, -1.0]), (8, [])]),
    )
    named = {
        "every": ((TType.STRUCT, None), every, None),
        "call": ((TType.STRUCT, None), every[7:9], ("lookUp", 1, 77)),
        "reply": ((TType.STRUCT, None), ((0, person, ((1, (TType.STRING, None), "Ada"),)),), ("lookUp", 2, 77)),
    }
    for name, message in named.items():
        for format, made in both(*message).items():
            (Path(folder) / format / f"{name}.{ {'thrift-binary': 'tbin', 'thrift-compact': 'tcompact'}[format] }").write_bytes(made)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--files")
    given = parser.parse_args()
    if given.files:
        return files(given.files)
    rng = random.Random(given.seed)
    made = list(messages(rng, given.count))
    written = [both(*each) for each in made]
    differ = 0
    for (ty, value, envelope), message in zip(made, written):
        # thriftpy2 writes truth values in lists of the compact protocol, and empty maps, in ways of its own.
        for format, make in (("thrift-binary", PyBinary), ("thrift-compact", PyCompact)):
            if format == "thrift-compact" and (envelope or has(ty, value, TType.MAP, empty=True)):
                continue
            theirs = by_thriftpy(make, ty, value, envelope)
            if theirs != message[format]:
                differ += 1
                if differ < 4:
                    print(f"thriftpy2 and thrift differ in {format}:\n  {theirs.hex()}\n  {message[format].hex()}", file=sys.stderr)
    wrong = 0
    for source in ("thrift-binary", "thrift-compact"):
        for target in ("thrift-binary", "thrift-compact"):
            for (ty, value, envelope), message, (failed, answer) in zip(made, written, answers(given.program, source, target, [each[source] for each in written])):
                # The compact protocol has no types of an empty map's entries.
                if not failed and source == "thrift-compact" and target == "thrift-binary" and has(ty, value, TType.MAP, empty=True):
                    continue
                if failed or answer != message[target]:
                    wrong += 1
                    if wrong < 6:
                        shown = answer.decode(errors="replace") if failed else answer.hex()
                        print(f"{source} to {target}: {message[source].hex()}\n  {shown}\n  {message[target].hex()}", file=sys.stderr)
    wrong += json_texts(given.program, made, written)
    print(f"{given.count} messages, {wrong} answers differ; the judges differ in {differ}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
