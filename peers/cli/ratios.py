#!/usr/bin/env python3
"""Times of whole processes: polywire beside the tools that people use for the same job.

    peers/cli/ratios.py --program target/dist/polywire --record peers/cli/record/NAME.json

README.md beside this file says what is in the clock, and how inputs and answers are made.
"""

import argparse
import datetime
import importlib.metadata
import json
import os
import pathlib
import platform
import random
import shutil
import statistics
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOLS = ROOT / "target" / "tools" / "bin"
DATA = ROOT / "target" / "ratios"
MB = 1_000_000

XML = """
import json, sys, xmltodict
with open(sys.argv[1], "rb") as source:
    json.dump(xmltodict.parse(source), sys.stdout, ensure_ascii=False)
"""
YAML = """
import json, sys, yaml
with open(sys.argv[1], "rb") as source:
    json.dump(yaml.load(source, yaml.CSafeLoader), sys.stdout, ensure_ascii=False)
"""

# Inputs: made once from a fixed seed.

CITIES = ["Berlin", "München", "Hamburg", "Köln", "Frankfurt am Main", "Leipzig", "Düsseldorf"]
THINGS = ["lamp", "chair", "desk, oak", "mug", "keyboard", 'poster 24" wide', "notebook"]


def order(rng, number):
    """Returns an order. Its numbers have one spelling in all tools."""
    return {
        "id": number,
        "sku": f"SKU-{rng.randrange(10**6):06d}",
        "name": rng.choice(["red ", "small ", "classic ", "wireless "]) + rng.choice(THINGS),
        "city": rng.choice(CITIES),
        "zip": rng.randrange(10000, 99999),
        "quantity": rng.randrange(1, 50),
        "price": rng.randrange(1000) + rng.choice([0.25, 0.5, 0.75, 0.95]),
        "paid": rng.random() < 0.7,
        "ordered": f"2026-{rng.randrange(1, 13):02d}-{rng.randrange(1, 29):02d}T{rng.randrange(24):02d}:{rng.randrange(60):02d}:00Z",
        "note": "please leave at the door" if rng.random() < 0.4 else "none",
    }


def cell(value):
    text = json.dumps(value) if isinstance(value, bool) else str(value)
    return '"' + text.replace('"', '""') + '"' if any(mark in text for mark in ',"\n') else text


def escaped(value):
    text = json.dumps(value) if isinstance(value, bool) else str(value)
    return text.replace("&", "&amp;").replace("<", "&lt;")


FORMS = {
    "orders.jsonl": ("", lambda order, first: json.dumps(order, ensure_ascii=False, separators=(",", ":")) + "\n", ""),
    "array.json": ("[", lambda order, first: ("" if first else ",\n") + json.dumps(order, ensure_ascii=False, separators=(",", ":")), "]\n"),
    "orders.csv": (
        ",".join(order(random.Random(0), 1)) + "\n",
        lambda order, first: ",".join(cell(value) for value in order.values()) + "\n",
        "",
    ),
    "orders.xml": (
        "<orders>\n",
        lambda order, first: "<order>" + "".join(f"<{name}>{escaped(value)}</{name}>" for name, value in order.items()) + "</order>\n",
        "</orders>\n",
    ),
    "orders.yaml": (
        "",
        lambda order, first: "- " + "\n  ".join(f"{name}: {json.dumps(value, ensure_ascii=False)}" for name, value in order.items()) + "\n",
        "",
    ),
}


def made(name, size):
    """Returns the path of an input of at least `size` bytes."""
    path = DATA / f"{size // MB}" / name
    if path.exists():
        return path
    path.parent.mkdir(parents=True, exist_ok=True)
    head, form, tail = FORMS[name]
    rng = random.Random(20)
    part = path.with_suffix(".part")
    with open(part, "w", encoding="utf-8", newline="") as out:
        written = out.write(head)
        number = 0
        while written < size:
            number += 1
            written += len(text := form(order(rng, number), number == 1))
            out.write(text)
        out.write(tail)
    part.rename(path)
    return path


# Answers: both are read, and must be the same.


def documents(path):
    """Returns the JSON values of a file, one after the other, on one line each or over several."""
    text = path.read_text(encoding="utf-8")
    decoder, at, found = json.JSONDecoder(), 0, []
    while True:
        while at < len(text) and text[at] in " \n\r\t":
            at += 1
        if at == len(text):
            return found
        value, at = decoder.raw_decode(text, at)
        found.append(value)


def leaves(value):
    """Returns the texts of all values in a document, in their order: what is left of types."""
    if isinstance(value, dict):
        return [text for inner in value.values() for text in leaves(inner)]
    if isinstance(value, list):
        return [text for inner in value for text in leaves(inner)]
    return [value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)]


def rows(path):
    import csv

    with open(path, encoding="utf-8", newline="") as source:
        return list(csv.reader(source))


READ = {
    "values": documents,
    "texts": lambda path: [text for document in documents(path) for text in leaves(document)],
    "rows": rows,
}

# The cases: name, input, its size, our arguments, the other tool's command, limit of the ratio, and how answers are read.


def cases(tools):
    jaq, xsv = tools["jaq"], tools["xsv"]
    jq, mlr, python = tools["jq"], tools["mlr"], [sys.executable, "-c"]
    two, sums = ".id, .sku", "{id, total: (.quantity * .price)}"
    return [
        ("JSON Lines to JSON, beside jq", "orders.jsonl", 100, ["convert", "@", "--to", "jsonl"], [jq, "-c", ".", "@"], 0.15, "values"),
        ("JSON Lines to JSON, beside jaq", "orders.jsonl", 100, ["convert", "@", "--to", "jsonl"], [jaq, "-c", ".", "@"], 0.25, "values"),
        ("filter of two fields, beside jaq", "orders.jsonl", 100, ["jq", "-c", two, "@"], [jaq, "-c", two, "@"], 0.15, "values"),
        ("filter that computes, beside jaq", "orders.jsonl", 100, ["jq", "-c", sums, "@"], [jaq, "-c", sums, "@"], 1.0, "values"),
        ("CSV to CSV, beside xsv", "orders.csv", 100, ["convert", "@", "--to", "csv"], [xsv, "input", "@"], 1.5, "rows"),
        (
            "two columns of CSV, beside xsv",
            "orders.csv",
            100,
            ["convert", "@", "--to", "csv", "--select", "id,price"],
            [xsv, "select", "id,price", "@"],
            1.5,
            "rows",
        ),
        ("CSV to JSON, beside Miller", "orders.csv", 100, ["convert", "@", "--to", "jsonl"], [mlr, "--icsv", "--ojsonl", "cat", "@"], 0.4, "texts"),
        ("XML to JSON, beside xmltodict", "orders.xml", 20, ["convert", "@", "--to", "json"], [*python, XML, "@"], 0.15, "texts"),
        ("YAML to JSON, beside PyYAML", "orders.yaml", 10, ["convert", "@", "--to", "json"], [*python, YAML, "@"], 0.2, "values"),
    ]


def apart(work):
    """Runs `work` in a process of its own, and returns the text that it returns. A process that starts another one
    passes its own peak of memory on to it, so this one has to stay small."""
    reads, writes = os.pipe()
    process = os.fork()
    if process == 0:
        os.close(reads)
        with os.fdopen(writes, "w", encoding="utf-8") as target:
            target.write(work())
        os._exit(0)
    os.close(writes)
    with os.fdopen(reads, encoding="utf-8") as source:
        text = source.read()
    if os.waitpid(process, 0)[1] != 0:
        sys.exit("answers could not be read")
    return text


def compared(name, outs, reading):
    """Returns the number of values in two outputs, and why they are not the same, if they are not."""
    one, other = (READ[reading](out) for out in outs)
    if one == other:
        return json.dumps([len(one), None])
    place = next((n for n, (a, b) in enumerate(zip(one, other)) if a != b), min(len(one), len(other)))
    return json.dumps([0, f"{name}: answers differ at {place}: {str(one[place:place + 1])[:300]} and {str(other[place:place + 1])[:300]}"])


def run(command, path, out):
    """Runs a command with its output in `out`. Returns seconds, seconds of all processors, and the peak of memory in MB."""
    command = [str(path) if part == "@" else str(part) for part in command]
    with open(out, "wb") as target:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=target, stdin=subprocess.DEVNULL)
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
    if status != 0:
        sys.exit(f"{' '.join(command)[:200]}: failed with {os.waitstatus_to_exitcode(status)}")
    return seconds, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024 / MB


def spread(values):
    ordered = sorted(values)
    return {"median": round(statistics.median(ordered), 4), "least": round(ordered[0], 4), "most": round(ordered[-1], 4)}


def measure(case, program, runs):
    name, source, size, ours, theirs, limit, reading = case
    path = made(source, size * MB)
    ours = [program, *ours]
    outs = [DATA / "ours.out", DATA / "theirs.out"]
    # The first run of each is no measurement: it fills the cache, and its answer is checked.
    for command, out in zip([ours, theirs], outs):
        run(command, path, out)
    count, wrong = json.loads(apart(lambda: compared(name, outs, reading)))
    if wrong:
        sys.exit(wrong)
    timed = [[], []]
    for _ in range(runs):
        for command, out, times in zip([ours, theirs], outs, timed):
            times.append(run(command, path, out))
    wall = [[seconds for seconds, _, _ in times] for times in timed]
    ratio = statistics.median(wall[0]) / statistics.median(wall[1])
    return {
        "name": name,
        "input": f"{source}, {path.stat().st_size / MB:.1f} MB",
        "ours": [str(part) for part in ours[1:]],
        "theirs": [str(part) if part not in (XML, YAML) else "…" for part in [pathlib.Path(theirs[0]).name, *theirs[1:]]],
        "seconds": {"ours": spread(wall[0]), "theirs": spread(wall[1])},
        "processor": {"ours": spread([used for _, used, _ in timed[0]]), "theirs": spread([used for _, used, _ in timed[1]])},
        "memory_mb": {"ours": round(max(peak for _, _, peak in timed[0]), 1), "theirs": round(max(peak for _, _, peak in timed[1]), 1)},
        "checked": f"{count} {reading}",
        "ratio": round(ratio, 3),
        "limit": limit,
        "holds": ratio <= limit,
    }


def entries(program, runs):
    """Measures the peak of memory of a long list taken apart."""
    path = made("array.json", 100 * MB)
    peaks = [run([program, "convert", "@", "--each", ".", "--to", "jsonl"], path, DATA / "ours.out")[2] for _ in range(runs)]
    if apart(lambda: str(documents(DATA / "ours.out") == documents(path)[0])) != "True":
        sys.exit("--each: other values than those of the list")
    return {"name": "list of 100 MB by --each, peak of memory in MB", "memory_mb": spread(peaks), "limit": 20, "holds": max(peaks) <= 20}


def version(command):
    text = subprocess.run(command, capture_output=True, text=True, check=False)
    return (text.stdout or text.stderr).strip().splitlines()[0]


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--program", type=pathlib.Path, default=ROOT / "target" / "dist" / "polywire")
    arguments.add_argument("--profile", default="dist", help="the profile of the program, for the record")
    arguments.add_argument("--runs", type=int, default=5)
    arguments.add_argument("--only", default="", help="cases with this in their name")
    arguments.add_argument("--record", type=pathlib.Path, help="file to write the figures to")
    args = arguments.parse_args()
    tools = {}
    for name in ["jq", "mlr", "jaq", "xsv"]:
        found = TOOLS / name if (TOOLS / name).exists() else shutil.which(name)
        if not found:
            sys.exit(f"{name} is missing: tools/setup.sh cli")
        tools[name] = str(found)
    program = args.program.resolve()
    versions = {name: version([tool, "--version"]) for name, tool in tools.items()}
    for package in ["xmltodict", "PyYAML"]:
        versions[package] = importlib.metadata.version(package)
    versions["python"] = platform.python_version()
    figures = []
    for case in cases(tools):
        if args.only in case[0]:
            figures.append(measure(case, program, args.runs))
            show(figures[-1])
    if args.only in "list by --each":
        figures.append(entries(program, args.runs))
        show(figures[-1])
    commit = version(["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"])
    cpu = next((line.split(": ", 1)[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), platform.machine())
    record = {
        "date": datetime.date.today().isoformat(),
        "program": f"{version([str(program), '--version'])}, profile {args.profile}, commit {commit}",
        "machine": f"{cpu}, {os.cpu_count()} processors",
        "load": [round(load, 1) for load in os.getloadavg()],
        "tools": versions,
        "runs": args.runs,
        "figures": figures,
    }
    if args.record:
        args.record.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    sys.exit(0 if all(figure["holds"] for figure in figures) else 1)


def show(figure):
    mark = "" if figure["holds"] else "  MISSED"
    if "ratio" in figure:
        ours, theirs = figure["seconds"]["ours"], figure["seconds"]["theirs"]
        print(
            f"{figure['name']:36} {ours['median']:7.3f} s ({ours['least']:.3f}–{ours['most']:.3f})"
            f" {theirs['median']:7.3f} s ({theirs['least']:.3f}–{theirs['most']:.3f})  {figure['ratio']:.3f} of at most {figure['limit']}{mark}",
            flush=True,
        )
    else:
        print(f"{figure['name']:36} {figure['memory_mb']['median']} (at most {figure['limit']}){mark}", flush=True)


if __name__ == "__main__":
    main()
