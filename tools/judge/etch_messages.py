"""Compares our messages of Etch with those of its own classes, on random messages of testdata/schemas/shop.etch.

    etch_messages.py PROGRAM CLASSES SCHEMA [--count N] [--seed N]

PROGRAM is the example `rewrite` of crates/etch, CLASSES the folder with the compiled `Judge`. Etch writes each message twice, with names as
hashes and as strings. We read and write both, without a schema and by it: the bytes have to be those of Etch, and by the schema those with
hashes. Etch reads what we wrote, and has to take it as it takes its own.
"""

import argparse
import pathlib
import struct
import subprocess
import sys
import tempfile


def frames(data):
    at, found = 0, []
    while at < len(data):
        (head,) = struct.unpack(">I", data[at : at + 4])
        length = head & 0x7FFFFFFF
        found.append((bool(head >> 31), data[at + 4 : at + 4 + length]))
        at += 4 + length
    return found


def judge(classes, *arguments):
    subprocess.run(["java", "-cp", classes, "Judge", *map(str, arguments)], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("classes")
    parser.add_argument("schema")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    wrong = total = 0
    with tempfile.TemporaryDirectory() as folder:
        hashes, strings, ours, back, own = (pathlib.Path(folder, name) for name in ("hashes", "strings", "ours", "back", "own"))
        judge(given.classes, "write", hashes, strings, given.count, given.seed)
        judge(given.classes, "read", hashes, own)
        for source, schema, expected in (
            (hashes, [], hashes),
            (strings, [], strings),
            (hashes, [given.schema], hashes),
            (strings, [given.schema], hashes),
        ):
            with source.open("rb") as stream:
                answer = subprocess.run([given.program, *schema], stdin=stream, capture_output=True, check=True).stdout
            what = f"{source.name}{', by the schema' if schema else ''}"
            answers, wanted = frames(answer), frames(expected.read_bytes())
            good = 0
            for (failed, message), (_, expected_message) in zip(answers, wanted, strict=True):
                if failed or message != expected_message:
                    shown = message.decode(errors="replace") if failed else message.hex()
                    print(f"{what}: {shown}\n  instead of {expected_message.hex()}")
                else:
                    good += 1
            print(f"{what}: {good} of {len(wanted)} messages are written as Etch writes them")
            wrong += len(wanted) - good
            total += len(wanted)
            if good == len(wanted):
                ours.write_bytes(answer)
                judge(given.classes, "read", ours, back)
                if back.read_bytes() != own.read_bytes():
                    print(f"{what}: Etch reads our messages otherwise than its own")
                    wrong += 1
    print(f"{total} messages, {wrong} mistakes")
    sys.exit(wrong > 0 or total == 0)


main()
