"""Compares our BER, DER and CER with pycrate's: random values of the types of whole specifications.

    asn1_ber.py PROGRAM DIR SPECIFICATION... [--count N] [--seed N] [--show N]

PROGRAM is the example `transcode` of crates/asn1, DIR has the texts (a folder for each specification), and SPECIFICATION is the name of
a module in pycrate_asn1dir. pycrate writes each value in all three; we read each and write it in DER and CER, which must be the same.

pycrate does not sort the elements of a SET OF (X.690 11.6), sorts an untagged CHOICE in a SET of DER by its lowest tag (X.690 10.3), and
counts the root components behind an extension after it (X.680 25.8). Values that only differ so are counted apart.
"""

import argparse
import importlib
import random
import struct
import subprocess
import sys
from pathlib import Path

from asn1_per import Skip, make
from pycrate_asn1c.specdir import ASN_SPECS

RULES = ("der", "ber", "cer")


def framed(data):
    return struct.pack(">I", len(data)) + data


def answers(program, source, target, files, values):
    """Returns for each value whether it failed, and the bytes or the error."""
    given = b"".join(framed(name.encode()) + framed(made[source]) for name, made in values)
    out = subprocess.run([program, source, target, "-", *files], input=given, capture_output=True, check=True).stdout
    at = 0
    for _ in values:
        (head,) = struct.unpack(">I", out[at : at + 4])
        length = head & 0x7FFFFFFF
        yield bool(head >> 31), out[at + 4 : at + 4 + length]
        at += 4 + length


def made(name, each):
    """Returns random values of the types of a specification, in all three encodings."""
    known = importlib.import_module("pycrate_asn1dir." + name).GLOBAL.MOD
    for module, types in list(known.items()):
        for ty in types["_type_"] if "_type_" in types else []:
            obj = types[ty]
            for _ in range(0 if obj._param else each):
                try:
                    value, _ = make(obj)
                    obj.set_val(value)
                    yield f"{module}.{ty}", {"der": obj.to_der(), "ber": obj.to_ber(), "cer": obj.to_cer()}
                except (Skip, RecursionError):
                    break
                except Exception:  # pycrate refuses some of its own types.
                    continue


def judge(program, folder, name, each, show):
    spec = ASN_SPECS.get(name, name)
    folder = folder / (spec[0] if isinstance(spec, tuple) else spec)
    listed = folder / "load_mod.txt"
    names = listed.read_text().split() if listed.exists() else sorted(path.name for path in folder.glob("*.asn"))
    files = [str(folder / file) for file in names if (folder / file).exists()]
    values = list(made(name, each))
    checks, wrong, apart = 0, 0, 0
    for source, target in (("der", "der"), ("ber", "der"), ("cer", "cer"), ("der", "cer"), ("cer", "der")):
        for (ty, expected), (failed, found) in zip(values, answers(program, source, target, files, values)):
            if failed and found.startswith(b"no type"):
                continue
            checks += 1
            if not failed and found == expected[target]:
                continue
            if b"X.690 11.6" in found if failed else sorted(found) == sorted(expected[target]):
                apart += 1
                continue
            wrong += 1
            if wrong <= show:
                print(f"{name}: {ty}, {source} to {target}: {found.decode() if failed else found.hex()}, not {expected[target].hex()}")
    print(f"{name}: {len(values)} values, {checks} checks, {wrong} wrong, {apart} by the order of a set alone")
    return wrong


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program")
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("specification", nargs="+")
    arguments.add_argument("--count", type=int, default=3)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--show", type=int, default=5)
    given = arguments.parse_args()
    random.seed(given.seed)
    wrong = sum(judge(given.program, given.folder, name, given.count, given.show) for name in given.specification)
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
