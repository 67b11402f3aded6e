"""Compares our XER with that of asn1tools: random values of the types of modules, both ways.

    asn1_xer.py PROGRAM FILE... [--count N] [--seed N] [--show N] [--vectors FILE]

PROGRAM is the example `texts` of crates/asn1, and FILE a module without object classes, which asn1tools does not know. pycrate makes random
values, asn1tools writes them; we read the texts, compare the values, and write them again; asn1tools reads what we wrote.
`--vectors` writes the types, texts and values into a file.
"""

import argparse
import json
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree

import asn1_jer as jer
import asn1_per as per
import asn1tools


def theirs(obj, value):
    """Returns a value of pycrate as asn1tools has it."""
    kind = obj.TYPE
    if kind == "NULL":
        return None
    if kind in ("OBJECT IDENTIFIER", "RELATIVE-OID"):
        return ".".join(map(str, value))
    if kind == "REAL":
        return float(value[0]) * 2.0 ** value[2]
    if kind == "BIT STRING":
        number, size = value
        return (number << (-size % 8)).to_bytes((size + 7) // 8, "big"), size
    if kind in ("SEQUENCE", "SET"):
        return {name: theirs(obj._cont[name], part) for name, part in value.items()}
    if kind in ("SEQUENCE OF", "SET OF"):
        return [theirs(obj._cont, part) for part in value]
    if kind == "CHOICE":
        return value[0], theirs(obj._cont[value[0]], value[1])
    return value


def is_clean(seen):
    """Returns whether XML has all characters of a value."""
    if isinstance(seen, dict):
        return all(map(is_clean, seen.values()))
    if isinstance(seen, list):
        return all(map(is_clean, seen))
    return not isinstance(seen, str) or not re.search(r"[\x00-\x08\x0b-\x1f\ufffe\uffff]", seen)


def contains(obj, depth=0):
    """Returns whether a type has a string with contents, which asn1tools takes for octets."""
    if getattr(obj, "_const_cont", None) is not None:
        return True
    if depth > 8:
        return False
    parts = obj._cont
    if isinstance(parts, dict):
        parts = parts.values()
    elif parts is None:
        return False
    else:
        parts = [parts]
    return any(contains(part, depth + 1) for part in parts if hasattr(part, "TYPE"))


def judge(program, path, each, show, vectors):
    compiled = asn1tools.compile_files(str(path), "xer")
    lines, expected, skipped = [], [], 0
    for module, obj in jer.types(path.name, path.parent):
        for _ in range(each):
            try:
                value, seen = per.make(obj)
                if contains(obj) or not is_clean(seen):
                    raise per.Skip
                made = compiled.encode(obj._name, theirs(obj, value)).decode()
            except (per.Skip, RecursionError):
                skipped += 1
                continue
            except Exception as error:
                skipped += 1
                if show < 0:
                    print(f"  judge refuses {obj._name}: {error!r}"[:300])
                continue
            lines.append(f"xer {module} {obj._name} {made.encode().hex()}")
            expected.append((seen, made, obj))
    done = subprocess.run([program, str(path)], input="\n".join(lines) + "\n", capture_output=True, text=True)
    answers = done.stdout.splitlines()
    if len(answers) != len(lines):
        print(f"{path.name}: {len(answers)} answers to {len(lines)} messages\n{done.stdout[-500:]}{done.stderr[-2000:]}")
        return 1
    wrong, kept = 0, []
    for (seen, made, obj), answer in zip(expected, answers):
        word, _, rest = answer.partition(" ")
        why = rest
        if word == "ok":
            written, relay, shown = rest.split(" ", 2)
            written, relay = (bytes.fromhex(text).decode() for text in (written, relay))
            plain = lambda text: ElementTree.tostring(ElementTree.fromstring(text))
            if not per.same(seen, json.loads(shown)):
                why = "value" + per.difference(seen, json.loads(shown))
            elif written != relay:
                why = f"relay {relay[:200]}"
            elif obj.TYPE != "REAL" and plain(written) != plain(made):
                why = f"written {written[:200]}"
            else:
                try:
                    again = compiled.decode(obj._name, written.encode())
                    first = compiled.decode(obj._name, made.encode())
                except Exception as error:
                    again, first = repr(error), None
                if again == first:
                    kept.append(f"{obj._name}\t{written}\t{shown}")
                    continue
                why = f"asn1tools reads {written[:200]} as {again!r}"
        wrong += 1
        if wrong <= abs(show):
            print(f"  {obj._name} {made[:200]}\n    {why[:300]}")
    if vectors:
        with open(vectors, "a", encoding="utf-8") as file:
            file.write("".join(line + "\n" for line in kept))
    print(f"{path.name} xer: {len(lines)} values of types, {skipped} not made, {wrong} differ", flush=True)
    return wrong


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program")
    arguments.add_argument("file", type=Path, nargs="+")
    arguments.add_argument("--count", type=int, default=3)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--show", type=int, default=5)
    arguments.add_argument("--vectors")
    given = arguments.parse_args()
    wrong = 0
    for path in given.file:
        random.seed(given.seed)
        # asn1tools does not know this type either.
        text = re.sub(r"^\w+ ::= RELATIVE-OID.*\n", "", path.read_text(), flags=re.M)
        with tempfile.TemporaryDirectory() as place:
            # What stands behind needs object classes.
            cut = Path(place) / path.name
            cut.write_text(text.split("-- Open types.")[0] + ("END\n" if "-- Open types." in text else ""))
            wrong += judge(given.program, cut, given.count, given.show, given.vectors)
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
