"""Compares what we say of texts in Thrift's IDL with what their authors expect.

    thrift_texts.py PROGRAM --audit DIR
    thrift_texts.py PROGRAM --read DIR… [--bad PREFIX]

PROGRAM is the example `texts` of crates/thrift. `--audit` takes the folder `test/audit` of Apache's repository: each `breakN.thrift` has to
break `test.thrift`, and `warning.thrift` may only warn. `--read` reads each text below the folders, which are those of includes too: those whose names begin with
the prefix (`e_`, as in the tests of thriftpy2) have to be refused, and all others that are refused are listed.
"""

import argparse
import subprocess
import sys
from collections import Counter
from pathlib import Path


def run(program, *args):
    return subprocess.run([program, *map(str, args)], check=True, capture_output=True, text=True).stdout.splitlines()


def audit(program, folder):
    files = sorted(folder.glob("break*.thrift"), key=lambda path: int(path.stem[5:])) + [folder / "warning.thrift"]
    wrong = 0
    for path, line in zip(files, run(program, "check", folder / "test.thrift", *files), strict=True):
        effect, *places = line.split(" ")
        right = effect == "warns" if path.stem == "warning" else effect in ("misread", "refused")
        wrong += not right
        print(f"{'' if right else 'WRONG '}{path.stem}: {effect} {' '.join(places)}")
    print(f"{len(files)} versions, {wrong} verdicts that differ from the audit's")
    return wrong


def read(program, folders, prefix):
    counts, wrong = Counter(), 0
    for folder in folders:
        files = sorted(path for path in folder.rglob("*.thrift") if path.is_file())
        for start in range(0, len(files), 200):
            part = files[start : start + 200]
            for path, line in zip(part, run(program, "read", folder, *part), strict=True):
                bad, refused = path.name.startswith(prefix), line != "read"
                counts[bad, refused] += 1
                if bad != refused:
                    wrong += bad
                    print(f"{'WRONG ' if bad else ''}{path}: {line}")
    print(f"{counts[False, False]} of {counts[False, False] + counts[False, True]} texts are read")
    print(f"{counts[True, True]} of {counts[True, True] + counts[True, False]} bad texts are refused")
    return wrong


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--audit", type=Path)
    parser.add_argument("--read", type=Path, nargs="+", default=[])
    parser.add_argument("--bad", default="e_")
    args = parser.parse_args()
    wrong = audit(args.program, args.audit) if args.audit else 0
    wrong += read(args.program, args.read, args.bad) if args.read else 0
    return min(wrong, 1)


if __name__ == "__main__":
    sys.exit(main())
