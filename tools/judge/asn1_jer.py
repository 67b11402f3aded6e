"""Compares our JER with pycrate's: random values of the types of whole specifications, both ways.

    asn1_jer.py PROGRAM DIR SPECIFICATION... [--count N] [--seed N] [--show N] [--vectors FILE]

PROGRAM is the example `texts` of crates/asn1, DIR has the texts (a folder for each specification), and SPECIFICATION is the name of a
folder and of a module in pycrate_asn1dir, or of a file of one module. pycrate writes random values; we read the texts, compare the values,
and write them again; pycrate reads what we wrote. `--vectors` writes the types, texts and values of the last specification into a file.
"""

import argparse
import importlib
import json
import math
import random
import subprocess
import sys
import tempfile
from pathlib import Path

import asn1_per as per
from pycrate_asn1rt import asnobj_basic, asnobj_str


def mend():
    """Mends what pycrate 0.8.1 does otherwise than X.697; docs/formats/asn1-jer.md lists it."""

    def around(kind):
        to, back = kind._to_jval, kind._from_jval

        def _to_jval(self):
            found = to(self)
            if isinstance(found, str) and kind is asnobj_str.BIT_STR and self._const_sz.ext is not None:
                return {"value": found, "length": self._val[1]}
            if self._const_cont is not None and isinstance(found, dict) and len(found) == 1:
                return {"containing": next(iter(found.values()))}
            return found

        def _from_jval(self, value):
            if self._const_cont is not None and isinstance(value, dict) and "containing" in value:
                known = self._const_cont
                value = {known._typeref.called[1] if known._typeref else known.TYPE: value["containing"]}
            if kind is asnobj_str.BIT_STR and not isinstance(value, dict):
                size = self._const_sz._rv[0]
                self._val = (int(value or "0", 16) >> (-size % 8), size)
                return None
            if kind is asnobj_str.BIT_STR and "value" in value:
                self._val = (int(value["value"] or "0", 16) >> (-value["length"] % 8), value["length"])
                return None
            return back(self, value)

        kind._to_jval, kind._from_jval = _to_jval, _from_jval

    around(asnobj_str.BIT_STR)
    around(asnobj_str.OCT_STR)

    def _to_jval(self):
        mantissa, base, exponent = self._val
        return float(mantissa) * float(base) ** exponent

    def _from_jval(self, value):
        mantissa, exponent = math.frexp(float(value))
        mantissa, exponent = int(mantissa * 2**53), exponent - 53
        while mantissa and mantissa % 2 == 0:
            mantissa, exponent = mantissa // 2, exponent + 1
        self._val = (mantissa, 2, exponent)

    asnobj_basic.REAL._to_jval, asnobj_basic.REAL._from_jval = _to_jval, _from_jval


def types(name, folder):
    """Returns the module of a specification, and its types."""
    path = folder / name
    if path.is_file():
        from pycrate_asn1c.asnproc import PycrateGenerator, compile_text, generate_modules

        compile_text(path.read_text())
        with tempfile.TemporaryDirectory() as place:
            generate_modules(PycrateGenerator, f"{place}/judged_module.py")
            sys.path.insert(0, place)
            module = importlib.import_module("judged_module")
    else:
        module = importlib.import_module("pycrate_asn1dir." + name)
    found = []
    for known in vars(module).values():
        for obj in getattr(known, "_all_", []):
            assigned = module.GLOBAL.MOD[known._name_]
            if known._name_.startswith("_") or obj._mode != "TYPE" or obj._param or obj.TYPE == "CLASS" or obj._name not in assigned or assigned[obj._name] is not obj:
                continue
            found.append((known._name_, obj))
    return found


def alike(one, two):
    """Compares texts of JSON. The case of hexadecimal digits means nothing."""
    if isinstance(one, str) and isinstance(two, str):
        digits = set("0123456789abcdefABCDEF")
        return one == two or set(one) <= digits and set(two) <= digits and one.lower() == two.lower()
    if isinstance(one, dict) and isinstance(two, dict):
        return one.keys() == two.keys() and all(alike(one[key], two[key]) for key in one)
    if isinstance(one, list) and isinstance(two, list):
        return len(one) == len(two) and all(map(alike, one, two))
    return one == two and isinstance(one, bool) == isinstance(two, bool)


def ordered(one, two):
    """Returns the first value with the members in the order of the second, which has at least these."""
    if isinstance(one, dict) and isinstance(two, dict):
        two = two.get("containing", two)
        return {key: ordered(one[key], two[key]) for key in two if key in one} if one.keys() == two.keys() else one
    if isinstance(one, list) and isinstance(two, list) and len(one) == len(two):
        return [ordered(left, right) for left, right in zip(one, two)]
    return one


def judge(program, folder, name, each, show, vectors):
    lines, expected = [], []
    skipped = 0
    for module, obj in types(name, folder):
        for _ in range(each):
            try:
                value, seen = per.make(obj)
            except (per.Skip, RecursionError):
                skipped += 1
                continue
            try:
                obj.set_val(value)
                made = obj.to_jer()
            except Exception as error:
                skipped += 1
                if show < 0:
                    print(f"  judge refuses {module}.{obj._name}: {error!r}"[:300])
                continue
            lines.append(f"jer {module} {obj._name} {made.encode().hex()}")
            expected.append((seen, made, obj))
    place = folder / name if (folder / name).is_file() else folder / per.place(name)
    done = subprocess.run([program, str(place)], input="\n".join(lines) + "\n", capture_output=True, text=True)
    answers = done.stdout.splitlines()
    if len(answers) != len(lines):
        print(f"{name}: {len(answers)} answers to {len(lines)} messages\n{done.stdout[-500:]}{done.stderr[-2000:]}")
        return 1
    wrong, kept = 0, []
    for line, (seen, made, obj), answer in zip(lines, expected, answers):
        word, _, rest = answer.partition(" ")
        why = rest
        if word == "ok":
            written, relay, shown = rest.split(" ", 2)
            written, relay = (bytes.fromhex(text).decode() for text in (written, relay))
            if not per.same(seen, json.loads(shown)):
                why = "value" + per.difference(seen, json.loads(shown))
            elif not alike(json.loads(made), json.loads(written)) or written != relay:
                why = f"written {written[:200]}"
            else:
                try:
                    obj.from_jer(written)
                    again = obj.to_jer()
                except Exception as error:
                    again = repr(error)
                if again == made:
                    seen = json.dumps(ordered(json.loads(shown), json.loads(written)), separators=(",", ":"))
                    kept.append(f"{obj._name}\t{written}\t{seen}")
                    continue
                why = f"pycrate reads {written[:200]} as {again[:200]}"
        wrong += 1
        if wrong <= abs(show):
            print(f"  {line.split()[2]} {made[:200]}\n    {why[:300]}")
    if vectors:
        with open(vectors, "a", encoding="utf-8") as file:
            file.write("".join(line + "\n" for line in kept))
    print(f"{name} jer: {len(lines)} values of types, {skipped} not made, {wrong} differ", flush=True)
    return wrong


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program")
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("specification", nargs="+")
    arguments.add_argument("--count", type=int, default=3)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--show", type=int, default=5)
    arguments.add_argument("--vectors")
    given = arguments.parse_args()
    mend()
    wrong = 0
    for name in given.specification:
        random.seed(given.seed)
        wrong += judge(given.program, given.folder, name, given.count, given.show, given.vectors)
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
