"""Measures bytes to Arrow, and back, beside the libraries that Python has for it. docs/benchmarks.md describes it.

    columns.py [--size MB] [--rounds N] [--only PREFIX] [--record FILE] [--place FOLDER]

Each measurement is a process of its own, and the processes of the tools take turns. One thread means: the process may use one
processor, and each library is told so. Answers are compared before anything is timed.
"""

from __future__ import annotations

import argparse
import io
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from pathlib import Path

import data

HERE = Path(__file__).resolve().parent
STATUS = Path("/proc/self/status")
TYPES = {"orders": "Order", "tickets": "Ticket", "numbers": "Reading", "items": "Item"}

# The measurements: format, shape, direction, and the other tools with the limit of our time divided by theirs.
CASES = [
    ("jsonl", "orders", "read", {"polars": 1.0, "pyarrow": 0.7}),
    ("jsonl", "tickets", "read", {"polars": 1.0, "pyarrow": 0.7}),
    ("protobuf", "orders", "read", {"ptars": 0.7, "protarrow": 0.1}),
    ("protobuf", "items", "read", {"ptars": 0.7, "protarrow": 0.1}),
    ("protobuf", "orders", "write", {"ptars": 0.7, "protarrow": 0.1}),
    ("protobuf", "items", "write", {"ptars": 0.7, "protarrow": 0.1}),
    ("csv", "orders", "read", {"polars": 1.2}),
    ("csv", "numbers", "read", {"polars": 1.2}),
    ("msgpack", "orders", "read", {"msgpack": None}),
    ("msgpack", "tickets", "read", {"msgpack": None}),
    ("xml", "orders", "read", {"lxml": None}),
    ("xml", "tickets", "read", {"lxml": None}),
]

# Tools that make an object for each value. They get fewer rounds.
SLOW = {"protarrow", "msgpack", "lxml"}


def proto(shape: str) -> str:
    return str(data.EXAMPLES / "search.proto" if shape == "items" else HERE / f"{shape}.proto")


def given(shape: str) -> dict:
    return {"schema": proto(shape), "type": TYPES[shape]}


def schema(shape: str):
    """Returns the Arrow schema that all tools are given."""
    import polywire
    import pyarrow

    return pyarrow.schema(polywire.read(b"", "jsonl").columns(**given(shape), rest="drop"))


def texts(kind):
    """Returns a type with text in place of each scalar: XML has nothing else."""
    import pyarrow

    if isinstance(kind, pyarrow.Schema):
        return pyarrow.schema([field.with_type(texts(field.type)) for field in kind])
    if pyarrow.types.is_struct(kind):
        return pyarrow.struct([field.with_type(texts(field.type)) for field in kind])
    if pyarrow.types.is_list(kind):
        return pyarrow.list_(texts(kind.value_type))
    return pyarrow.string()


# --- tools: each function prepares, and returns the function that is timed ---


def polywire_read(format, shape, content, threads, **choices):
    import polywire
    import pyarrow

    if format == "protobuf":
        reading = {"format": "protobuf-delimited", **given(shape)}
        columns = {}
    else:
        reading = {"format": format}
        # The texts of XML have no other type; the schema is that of the first ones.
        columns = {} if format == "xml" else given(shape)
        if format == "xml":
            reading["each"] = "all.message"
    if threads == 1:
        columns["threads"] = 1

    def run():
        return pyarrow.table(polywire.read(content, **reading).columns(**columns, **choices))

    return run


def polywire_write(format, shape, table, threads):
    import polywire

    class Pieces(list):
        write = list.append

    def run():
        out = Pieces()
        polywire.write(table, out, "protobuf-delimited", **given(shape))
        return out

    return run


def polars_read(format, shape, content, threads):
    import polars

    like = polars.DataFrame(schema(shape).empty_table()).schema
    if format == "csv":
        return lambda: polars.read_csv(content, schema=like)
    return lambda: polars.read_ndjson(content, schema=like)


def pyarrow_read(format, shape, content, threads):
    import pyarrow
    import pyarrow.json

    parse = pyarrow.json.ParseOptions(explicit_schema=schema(shape))
    options = pyarrow.json.ReadOptions(use_threads=threads != 1)
    return lambda: pyarrow.json.read_json(pyarrow.BufferReader(content), options, parse)


def payloads(content: bytes) -> list[bytes]:
    """Returns the messages after each length."""
    out, at = [], 0
    while at < len(content):
        length = shift = 0
        while True:
            byte = content[at]
            at += 1
            length |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                break
        out.append(content[at : at + length])
        at += length
    return out


def ptars_handler(shape):
    import ptars

    type = data.modules(PLACE)[shape][0]
    return ptars.HandlerPool([type.DESCRIPTOR.file]).get_for_message(type.DESCRIPTOR)


def ptars_read(format, shape, content, threads):
    handler = ptars_handler(shape)
    messages = payloads(content)
    return lambda: handler.list_to_record_batch(messages)


def ptars_write(format, shape, batch, threads):
    handler = ptars_handler(shape)
    return lambda: handler.record_batch_to_array(batch)


def protarrow_read(format, shape, content, threads):
    import protarrow

    type = data.modules(PLACE)[shape][0]
    messages = payloads(content)
    return lambda: protarrow.messages_to_record_batch([type.FromString(message) for message in messages], type)


def protarrow_write(format, shape, batch, threads):
    import protarrow

    type = data.modules(PLACE)[shape][0]
    return lambda: [message.SerializeToString() for message in protarrow.record_batch_to_messages(batch, type)]


def msgpack_read(format, shape, content, threads):
    import msgpack
    import pyarrow

    like = schema(shape)
    return lambda: pyarrow.Table.from_pylist(list(msgpack.Unpacker(io.BytesIO(content))), like)


def lxml_read(format, shape, content, threads):
    import pyarrow
    from lxml import etree

    like = texts(schema(shape))

    def convert(kind):
        if pyarrow.types.is_struct(kind):
            fields = [(field.name, convert(field.type), pyarrow.types.is_list(field.type)) for field in kind]

            def make(element):
                out = {}
                for name, make, many in fields:
                    if many:
                        out[name] = [make(child) for child in element.iterfind(name)]
                    elif (found := element.find(name)) is not None:
                        out[name] = make(found)
                return out

            return make
        if pyarrow.types.is_list(kind):
            return convert(kind.value_type)
        return lambda element: element.text or ""

    make = convert(pyarrow.struct(list(like)))

    def run():
        rows = []
        for _, element in etree.iterparse(io.BytesIO(content), tag="message"):
            rows.append(make(element))
            element.clear()
        return pyarrow.Table.from_pylist(rows, like)

    return run


READERS = {"polywire": polywire_read, "polars": polars_read, "pyarrow": pyarrow_read, "ptars": ptars_read}
READERS |= {"protarrow": protarrow_read, "msgpack": msgpack_read, "lxml": lxml_read}
WRITERS = {"polywire": polywire_write, "ptars": ptars_write, "protarrow": protarrow_write}


def prepared(format, shape, direction, tool, threads, content):
    """Returns the function that is timed. A writer's input is the table that its own reader makes."""
    if direction == "read":
        return READERS[tool](format, shape, content, threads)
    reader = "ptars" if tool == "protarrow" else tool
    table = READERS[reader](format, shape, content, threads)()
    if tool == "polywire":
        table = table.select([name for name in table.column_names if not name.startswith("_")])
    return WRITERS[tool](format, shape, table, threads)


# --- one process ---


def limit(threads: int) -> None:
    """Keeps this process on one processor, if there is to be one thread."""
    if threads == 1:
        os.environ["POLARS_MAX_THREADS"] = "1"
        os.sched_setaffinity(0, {sorted(os.sched_getaffinity(0))[-1]})
        import pyarrow

        pyarrow.set_cpu_count(1)
        pyarrow.set_io_thread_count(1)


def timed(format, shape, direction, tool, threads, path) -> dict:
    limit(threads)
    content = Path(path).read_bytes()
    run = prepared(format, shape, direction, tool, threads, content)
    seconds = []
    for _ in range(1 if tool in SLOW else 3):
        begin = time.perf_counter()
        kept = run()
        seconds.append(time.perf_counter() - begin)
        del kept
    # The first time, memory comes from the system.
    return {"seconds": seconds[1:] or seconds}


def resident(line: str) -> int:
    """Returns a figure of this process's memory, in bytes."""
    # The peak of getrusage begins with that of the parent, which may have made the input.
    return next(int(value.split()[0]) * 1024 for name, value in (row.split(":", 1) for row in STATUS.open()) if name == line)


def remembered(format, shape, threads, path) -> dict:
    """Measures the memory of our reader, beyond the input's bytes, while nobody keeps the batches. Linux alone says how much it is."""
    import polywire
    import pyarrow

    limit(threads)
    content = Path(path).read_bytes()
    reading = {"format": "protobuf-delimited", **given(shape)} if format == "protobuf" else {"format": format}
    columns = {} if format in ("protobuf", "xml") else given(shape)
    if format == "xml":
        reading["each"] = "all.message"
    # The peak begins anew here.
    Path("/proc/self/clear_refs").write_text("5")
    before = resident("VmHWM")
    most = 0
    batches = pyarrow.RecordBatchReader.from_stream(polywire.read(content, **reading).columns(**columns, threads=threads or None))
    for batch in batches:
        most = max(most, batch.nbytes)
        del batch
    return {"peak": resident("VmHWM") - before, "batch": most}


def rows(table, shape):
    """Returns a table in one form: absent lists are empty, types and nullability are those of the schema."""
    import pyarrow

    if isinstance(table, pyarrow.RecordBatch):
        table = pyarrow.Table.from_batches([table])
    elif not isinstance(table, pyarrow.Table):
        table = table.to_arrow()
    if "message" in table.column_names:
        table = pyarrow.Table.from_struct_array(table["message"])
    return plain(table.select(schema(shape).names).combine_chunks())


def plain(table):
    """Returns the leaves of a table as Python's hashes of their values, by path."""
    import pyarrow
    import pyarrow.compute as compute

    out = {}

    def visit(path, array):
        if isinstance(array, pyarrow.ChunkedArray):
            array = array.combine_chunks()
        kind = array.type
        if pyarrow.types.is_struct(kind):
            out[path] = ("there", array.is_valid().sum().as_py())
            for field in kind:
                visit(f"{path}.{field.name}", compute.struct_field(array, field.name))
        elif pyarrow.types.is_list(kind) or pyarrow.types.is_large_list(kind):
            lengths = compute.fill_null(compute.list_value_length(array), 0).cast(pyarrow.int64())
            out[path] = ("lengths", lengths)
            visit(f"{path}[]", compute.list_flatten(array))
        elif pyarrow.types.is_string(kind) or pyarrow.types.is_large_string(kind) or "string_view" in str(kind):
            out[path] = ("values", array.cast(pyarrow.large_string()))
        else:
            out[path] = ("values", array)

    for name in table.column_names:
        visit(name, table[name])
    return out


def differ(one, other) -> str | None:
    if one.keys() != other.keys():
        return f"the columns {sorted(one.keys() ^ other.keys())}"
    for path, (what, values) in one.items():
        same = values == other[path][1] if what == "there" else values.equals(other[path][1])
        if not same:
            return f"the column {path}"
    return None


def compared(format, shape, direction, others, path) -> dict:
    """Compares the answers of all tools. Messages are compared as the columns that ours reads them as."""
    content = Path(path).read_bytes()
    if direction == "read":
        own = rows(prepared(format, shape, direction, "polywire", 1, content)(), shape)
        answers = {tool: rows(prepared(format, shape, direction, tool, 1, content)(), shape) for tool in ["polywire", *others]}
        answers["polywire, all threads"] = rows(prepared(format, shape, direction, "polywire", 0, content)(), shape)
    else:
        own = rows(polywire_read(format, shape, content, 1)(), shape)
        answers = {}
        for tool in ["polywire", *others]:
            written = prepared(format, shape, direction, tool, 1, content)()
            if tool == "polywire":
                written = b"".join(written)
            else:
                messages = written.to_pylist() if tool == "ptars" else written
                written = b"".join(data.varint(len(message)) + message for message in messages)
            answers[tool] = rows(polywire_read(format, shape, bytes(written), 1)(), shape)
    for tool, answer in answers.items():
        if difference := differ(own, answer):
            return {"differs": f"{tool}: {difference}"}
    return {"equal": len(answers)}


def worker(job: dict) -> None:
    print(json.dumps({"timed": timed, "remembered": remembered, "compared": compared}[job.pop("do")](**job)))


# --- all of them ---


def apart(**job) -> dict:
    """Does a job in a process of its own."""
    command = [sys.executable, __file__, "--place", str(PLACE), "--job", json.dumps(job)]
    environment = {**os.environ, "POLARS_MAX_THREADS": "1"} if job.get("threads") == 1 else None
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=environment)
    if done.returncode:
        raise SystemExit(f"columns.py: {job} failed")
    return json.loads(done.stdout.splitlines()[-1])


def spread(times: list[float]) -> float:
    """Returns half of the middle half's width, divided by the median."""
    if len(times) < 3:
        return 0.0
    low, _, high = statistics.quantiles(times, n=4)
    return (high - low) / 2 / statistics.median(times)


def machine() -> dict:
    cpu = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), platform.machine())
    import importlib.metadata as metadata

    names = ["polywire", *[line.split("==")[0] for line in (HERE / "requirements.txt").read_text().split()]]
    return {
        "cpu": cpu,
        "processors": len(os.sched_getaffinity(0)),
        "python": platform.python_version(),
        "profile": os.environ.get("PROFILE", "release"),
        "versions": {name: metadata.version(name) for name in names},
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--size", type=float, default=100, help="megabytes of each input (default 100)")
    parser.add_argument("--rounds", type=int, default=5, help="processes of each tool (default 5)")
    parser.add_argument("--only", default="", help="measurements whose names begin so, such as jsonl or protobuf-items-write")
    parser.add_argument("--threads", choices=["1", "all"], help="only with one thread, or with all")
    parser.add_argument("--skip-slow", action="store_true", help="leave out the tools that make objects")
    parser.add_argument("--skip-check", action="store_true", help="do not compare the answers, such as when they were just compared")
    parser.add_argument("--record", type=Path, help="file for the figures, as JSON")
    parser.add_argument("--place", type=Path, default=HERE.parent.parent / "target/bench-columns/data", help="folder of the inputs")
    parser.add_argument("--job", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    global PLACE
    PLACE = chosen.place
    PLACE.mkdir(parents=True, exist_ok=True)
    if chosen.job:
        return worker(json.loads(chosen.job))
    size = int(chosen.size * 1e6)
    results, missed = [], 0
    for format, shape, direction, limits in CASES:
        name = f"{format}-{shape}-{direction}"
        if not name.startswith(chosen.only):
            continue
        others = [tool for tool in limits if not (chosen.skip_slow and tool in SLOW)]
        path = str(data.make(format, shape, size, PLACE))
        case = {"format": format, "shape": shape, "direction": direction}
        if not chosen.skip_check:
            answer = apart(do="compared", **case, others=others, path=path)
            if "differs" in answer:
                raise SystemExit(f"columns.py: {name}: another answer of {answer['differs']}")
        result = {"name": name, **case, "bytes": os.path.getsize(path), "times": {}}
        for threads in (1, 0):
            word = "all" if threads == 0 else "1"
            if chosen.threads not in (None, word):
                continue
            times = {tool: [] for tool in ["polywire", *others]}
            for turn in range(chosen.rounds):
                for tool in times:
                    if tool not in SLOW or turn < max(1, chosen.rounds // 3):
                        times[tool] += apart(do="timed", **case, tool=tool, threads=threads, path=path)["seconds"]
            result["times"][word] = times
            own = statistics.median(times["polywire"])
            print(f"{name}, threads: {word}")
            for tool, taken in times.items():
                median = statistics.median(taken)
                ratio, most = own / median, limits.get(tool)
                verdict = "" if tool == "polywire" else f"  ours is {ratio:.2f} of it"
                if most is not None:
                    missed += ratio > most
                    verdict += f", at most {most}{': MISSED' if ratio > most else ''}"
                print(f"  {tool:10} {median:7.3f} s ±{spread(taken):.0%}  {result['bytes'] / median / 1e6:6.0f} MB/s{verdict}", flush=True)
            if direction == "read" and STATUS.exists():
                used = apart(do="remembered", format=format, shape=shape, threads=threads, path=path)
                result.setdefault("memory", {})[word] = used
                print(f"  memory beyond the input: {used['peak'] / 2**20:.0f} MiB; the longest batch: {used['batch'] / 2**20:.0f} MiB")
        results.append(result)
    if chosen.record:
        chosen.record.parent.mkdir(parents=True, exist_ok=True)
        record = {"date": time.strftime("%F", time.gmtime()), **machine(), "rounds": chosen.rounds, "results": results}
        chosen.record.write_text(json.dumps(record, indent=1) + "\n")
    if missed:
        raise SystemExit(f"columns.py: {missed} limits are missed")


if __name__ == "__main__":
    main()
