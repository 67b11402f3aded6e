"""Compares our PER and OER with pycrate's: random values of the types of whole specifications, both ways.

    asn1_per.py PROGRAM DIR SPECIFICATION... [--variant uper|aper|coer] [--count N] [--seed N] [--show N]

PROGRAM is the example `per` of crates/asn1, DIR has the texts (a folder for each specification), and SPECIFICATION is the name of a
folder and of a module in pycrate_asn1dir. Each type of the specification gets N random values. pycrate writes them; we read the bytes,
compare the values, and write the bytes again, which must be the same.
"""

import argparse
import importlib
import json
import random
import subprocess
import sys
from pathlib import Path

from pycrate_asn1c.specdir import ASN_SPECS
from pycrate_asn1rt.setobj import ASN1Range

DEEP = 9


class Skip(Exception):
    """A type of which no value can be made."""


def rows(obj):
    """Returns the objects of a table."""
    table = obj._const_tab
    values = table._val
    if isinstance(values, dict):
        return [values]
    return list(values.root or []) + list(values.ext or [])


def number(obj):
    known = obj._const_val
    if known is None:
        return random.choice([0, 1, -1, 127, 128, -128, -129, 255, 256, 65535, 65536, -(1 << 31), 1 << 40, random.getrandbits(60), -random.getrandbits(70)])
    if not known.root:
        raise Skip
    item = random.choice(list(known.root))
    if isinstance(item, ASN1Range):
        low, high = item.lb, item.ub
        if low is None and high is None:
            return random.randint(-(1 << 40), 1 << 40)
        if low is None:
            return high - random.choice([0, 1, 255, 256, random.getrandbits(40)])
        if high is None:
            return low + random.choice([0, 1, 255, 256, random.getrandbits(40)])
        return random.choice([low, high, random.randint(low, high), random.randint(low, high)])
    return item


def count(obj, most=6):
    known = getattr(obj, "_const_sz", None)
    if known is None:
        return random.choice([0, 1, 2, 3, most, random.randint(0, most)] + ([200] if random.random() < 0.02 else []))
    low, high = known.lb or 0, known.ub
    if known.ext is not None and random.random() < 0.1:
        return (high if high is not None else low) + random.randint(0, 2)
    if high is None:
        high = low + most
    size = random.choice([low, min(high, low + random.randint(0, most)), min(high, low + 1)] + ([high] if high < 300 else []))
    return size


LETTERS = {
    "NumericString": "0123456789 ",
    "PrintableString": "abcXYZ 0189'()+,-./:=?",
    "IA5String": "abc \x00\x7f~|",
    "VisibleString": "abc ~!Z",
    "BMPString": "aé\u20ac\uffff",
    "UniversalString": "aé\u20ac\U0001f600",
    "UTF8String": "aé\u20ac\U0001f600",
    "GeneralString": "abc",
    "GraphicString": "abc",
    "TeletexString": "abc",
    "VideotexString": "abc",
    "ObjectDescriptor": "abc",
}


def letters(obj):
    known = obj._const_alpha
    if known is None:
        return LETTERS[obj.TYPE]
    found = set()
    for item in known.root:
        if isinstance(item, ASN1Range):
            found.update(chr(code) for code in range(ord(item.lb), min(ord(item.ub), ord(item.lb) + 200) + 1))
        else:
            found.update(item)
    return sorted(found)


def bits(obj):
    size = count(obj, 20)
    value = random.getrandbits(size) if size else 0
    if obj._cont:
        names = {position: name for name, position in obj._cont.items()}
        low = obj._const_sz.lb if obj._const_sz is not None and obj._const_sz.lb else 0
        # As few bits as the size allows: pycrate writes what it is given.
        while size > low and value & 1 == 0:
            value >>= 1
            size -= 1
        return (value, size), [names.get(at, at) for at in range(size) if value >> (size - 1 - at) & 1]
    shown = "0x" + (value << (-size % 8)).to_bytes((size + 7) // 8, "big").hex()
    known = obj._const_sz
    if known is not None and known.ext is None and known.lb == known.ub:
        return (value, size), shown
    return (value, size), {"value": shown, "length": size}


def structure(obj, deep):
    value, shown = {}, {}
    row = None
    for name, part in obj._cont.items():
        if getattr(part, "_const_tab", None) is not None and row is None:
            choices = rows(part)
            at = getattr(part, "_const_tab_at", None)
            if choices and (at is None or at[0] == ".." and len(at) == 2):
                row = random.choice(choices)
    groups = getattr(obj, "_ext_group", None) or {}
    extras = set(obj._ext or [])
    present = set()
    if extras:
        # Additions come in order: those of a version have all before it, but each may be optional.
        for name in obj._ext:
            if random.random() < (0.4 if deep < 4 else 0.05):
                present.add(name)
        for names in groups.values():
            if present & set(names):
                present.update(name for name in names if obj._cont[name]._opt is False and obj._cont[name]._def is None)
    for name, part in obj._cont.items():
        if name in extras and name not in present:
            continue
        optional = part._opt or part._def is not None
        if name not in extras and optional and random.random() < (0.5 if deep < 4 else 0.9):
            continue
        try:
            if getattr(part, "_const_tab", None) is not None:
                if row is None:
                    raise Skip
                field = part._const_tab_id
                if field not in row:
                    raise Skip
                cell = row[field]
                if part.TYPE in ("OPEN_TYPE", "ANY") or not isinstance(cell, (int, str, tuple, bytes)):
                    if not hasattr(cell, "TYPE"):
                        raise Skip
                    inner, seen = make(cell, deep + 1)
                    value[name], shown[name] = (cell, inner), seen
                else:
                    value[name], shown[name] = cell, plain(part, cell)
                continue
            inner, seen = make(part, deep + 1)
        except Skip:
            if optional or name in extras and name not in sum((list(names) for names in groups.values()), []):
                continue
            raise
        if part._def is not None and inner == part._def:
            continue
        value[name], shown[name] = inner, seen
    return value, shown


def plain(obj, value):
    if obj.TYPE in ("OBJECT IDENTIFIER", "RELATIVE-OID"):
        return ".".join(map(str, value))
    return value


def make(obj, deep=0):
    """Returns a random value as pycrate has it, and as we show it."""
    if deep > DEEP * 3:
        raise Skip
    kind = obj.TYPE
    if kind == "BOOLEAN":
        value = random.random() < 0.5
        return value, value
    if kind == "NULL":
        return 0, None
    if kind == "INTEGER":
        value = number(obj)
        return value, value
    if kind == "ENUMERATED":
        names = list(obj._root) if not obj._ext or random.random() < 0.7 else list(obj._ext)
        name = random.choice(names)
        return name, name
    if kind == "REAL":
        mantissa = random.choice([0, 1, 3, -5, 12345]) | 1
        exponent = random.randint(-20, 20)
        return (mantissa, 2, exponent), float(mantissa) * 2.0**exponent
    if kind == "BIT STRING":
        if obj._const_cont is not None:
            inner, seen = make(obj._const_cont, deep + 1)
            return (obj._const_cont._typeref.called[1] if obj._const_cont._typeref else obj._const_cont.TYPE, inner), seen
        return bits(obj)
    if kind == "OCTET STRING":
        if obj._const_cont is not None:
            inner, seen = make(obj._const_cont, deep + 1)
            return (obj._const_cont._typeref.called[1] if obj._const_cont._typeref else obj._const_cont.TYPE, inner), seen
        value = random.randbytes(count(obj, 8))
        return value, "0x" + value.hex()
    if kind == "OBJECT IDENTIFIER":
        value = random.choice([(1, 3, 6, 1, 4, 1, 53535), (2, 999, 3), (0, 4, 0, 127), (1, 2, 840, 113549)])
        return value, ".".join(map(str, value))
    if kind == "RELATIVE-OID":
        return (8571, 3, 2), "8571.3.2"
    if kind in LETTERS:
        known = letters(obj)
        if not known:
            raise Skip
        value = "".join(random.choice(known) for _ in range(count(obj, 8)))
        return value, value
    if kind in ("SEQUENCE", "SET"):
        return structure(obj, deep)
    if kind in ("SEQUENCE OF", "SET OF"):
        size = count(obj, 3 if deep < 4 else 1)
        if deep > 5 and size > 8:
            low = obj._const_sz.lb if obj._const_sz is not None else 0
            size = max(low or 0, 1)
        values = [make(obj._cont, deep + 1) for _ in range(size)]
        if getattr(obj._cont, "_const_tab", None) is not None:
            raise Skip
        return [value for value, _ in values], [seen for _, seen in values]
    if kind == "CHOICE":
        names = list(obj._root)
        if obj._ext and random.random() < 0.2:
            names = list(obj._ext)
        random.shuffle(names)
        if deep > DEEP:
            names.sort(key=lambda name: obj._cont[name].TYPE in ("SEQUENCE", "SET", "SEQUENCE OF", "SET OF", "CHOICE"))
        for name in names:
            try:
                inner, seen = make(obj._cont[name], deep + 1)
            except Skip:
                continue
            return (name, inner), {name: seen}
        raise Skip
    if kind in ("OPEN_TYPE", "ANY"):
        raise Skip
    raise Skip


def same(one, two):
    if isinstance(one, float) or isinstance(two, float):
        return isinstance(one, (int, float)) and isinstance(two, (int, float)) and float(one) == float(two)
    if isinstance(one, dict) and isinstance(two, dict):
        return one.keys() == two.keys() and all(same(one[key], two[key]) for key in one)
    if isinstance(one, list) and isinstance(two, list):
        return len(one) == len(two) and all(map(same, one, two))
    return one == two and isinstance(one, bool) == isinstance(two, bool)


def difference(one, two, path=""):
    if isinstance(one, dict) and isinstance(two, dict):
        for key in list(one) + [key for key in two if key not in one]:
            if key not in one or key not in two or not same(one[key], two[key]):
                return difference(one.get(key, "absent"), two.get(key, "absent"), path + "." + key)
    if isinstance(one, list) and isinstance(two, list) and len(one) == len(two):
        for at, (left, right) in enumerate(zip(one, two)):
            if not same(left, right):
                return difference(left, right, f"{path}[{at}]")
    return f"{path}: theirs {json.dumps(one)[:100]}, ours {json.dumps(two)[:100]}"


def place(name):
    """Returns the folder of a specification."""
    known = ASN_SPECS.get(name, name)
    return known if isinstance(known, str) else known[0]


def judge(program, folder, name, variant, each, show):
    module = importlib.import_module("pycrate_asn1dir." + name)
    lines, expected = [], []
    skipped = 0
    for known in vars(module).values():
        for obj in getattr(known, "_all_", []):
            # The list also has parts of types, and instances of parameterized types.
            assigned = module.GLOBAL.MOD[known._name_]
            if obj._mode != "TYPE" or obj._param or obj.TYPE == "CLASS" or obj._name not in assigned or assigned[obj._name] is not obj:
                continue
            for _ in range(each):
                try:
                    value, seen = make(obj)
                except (Skip, RecursionError):
                    skipped += 1
                    continue
                try:
                    obj.set_val(value)
                    made = getattr(obj, "to_" + variant)()
                except Exception as error:
                    skipped += 1
                    if show < 0:
                        print(f"  judge refuses {known._name_}.{obj._name}: {error!r}"[:300])
                    continue
                lines.append(f"{variant} {known._name_} {obj._name} {made.hex() or '00'}")
                expected.append((seen, made.hex() or "00", obj))
    done = subprocess.run([program, str(folder / place(name))], input="\n".join(lines) + "\n", capture_output=True, text=True)
    answers = done.stdout.splitlines()
    if len(answers) != len(lines):
        print(f"{name}: {len(answers)} answers to {len(lines)} messages\n{done.stdout[-500:]}{done.stderr[-2000:]}")
        return 1
    wrong = faults = 0
    for line, (seen, made, obj), answer in zip(lines, expected, answers):
        word, _, rest = answer.partition(" ")
        if word == "ok":
            canonical, relay, shown = rest.split(" ", 2)
            ours = json.loads(shown)
            if relay == made and canonical == made and same(seen, ours):
                continue
            if not same(seen, ours):
                why = "value" + difference(seen, ours)
            elif relay != made:
                why = f"relay {relay[:200]}"
            else:
                why = f"canonical {canonical[:200]}"
        else:
            why = rest
        if not reads(obj, variant, made):
            faults += 1
            continue
        wrong += 1
        if wrong <= abs(show):
            print(f"  {line[:200]}\n    {why[:300]}")
    print(f"{name} {variant}: {len(lines)} values of types, {skipped} not made, {faults} that pycrate cannot read itself, {wrong} differ", flush=True)
    return wrong


def reads(obj, variant, made):
    """Returns whether pycrate reads the bytes that it wrote."""
    try:
        getattr(obj, "from_" + variant)(bytes.fromhex(made))
        return True
    except Exception:
        return False


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program")
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("specification", nargs="+")
    arguments.add_argument("--variant", default="both")
    arguments.add_argument("--count", type=int, default=3)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--show", type=int, default=5)
    given = arguments.parse_args()
    wrong = 0
    for name in given.specification:
        for variant in ("uper", "aper") if given.variant == "both" else (given.variant,):
            random.seed(given.seed)
            wrong += judge(given.program, given.folder, name, variant, given.count, given.show)
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
