"""Other libraries read our files of columns, and we read theirs: tools/judge-columns calls this.

    columns.py PROGRAM FOLDER

FOLDER/ours has files of `crates/arrow/examples/judged.rs`, each beside the values that it holds. HAS lists the types that each
library has; each of them is compared, value by value, or the run fails.
"""

import base64
import collections
import datetime
import decimal
import json
import random
import struct
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import duckdb
import polars
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pyarrow.parquet.encryption as pe

PROGRAM, FOLDER = sys.argv[1], Path(sys.argv[2])
decimal.getcontext().prec = 100
# Nanoseconds of a unit.
UNITS = {"s": 10**9, "ms": 10**6, "us": 10**3, "ns": 1}
SKIP = object()

PLAIN = ["null", "bool", "int", "float", "text", "bytes", "timestamp", "decimal", "list", "struct", "map"]
# DuckDB reads no Arrow files by itself. Its moments have microseconds, and a dictionary is text to it.
HAS = {"pyarrow": [*PLAIN, "dictionary", "decimal256", "union"], "polars": [*PLAIN, "dictionary"], "duckdb": PLAIN}
compared = collections.Counter()


def lacks(judge, kind):
    """Reports whether a library has no such type, at any depth."""
    if pa.types.is_union(kind):
        return "union" not in HAS[judge]
    if pa.types.is_decimal256(kind):
        return "decimal256" not in HAS[judge]
    return any(lacks(judge, kind.field(at).type) for at in range(kind.num_fields))


class Different(Exception):
    """A value is another one."""


def check(judge, expected, array, path, json_text=False):
    """Compares the values of an array. Those that are SKIP lie below a null."""
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    kind = array.type
    if isinstance(kind, pa.BaseExtensionType):
        json_text = json_text or kind.extension_name == "arrow.json"
        array, kind = array.storage, kind.storage_type
    if len(expected) != len(array):
        raise Different(f"{path}: {len(array)} values, not {len(expected)}")
    name = None
    if pa.types.is_dictionary(kind):
        array, name = array.cast(kind.value_type), "dictionary"
        kind = array.type
    if pa.types.is_union(kind):
        compared[judge, "union"] += len(array)
        codes, places = array.type_codes.to_pylist(), array.offsets.to_pylist()
        children = [[SKIP] * len(array.field(at)) for at in range(kind.num_fields)]
        for value, code, place in zip(expected, codes, places):
            if value is SKIP:
                continue
            case = kind.type_codes.index(code)
            if value[0] == "case":
                if kind.field(case).name != value[1]:
                    raise Different(f"{path}: the case {kind.field(case).name}, not {value[1]}")
                inner = value[2]
                value = ["null"] if len(inner) == 1 else inner[1] if len(inner) == 2 else inner
            children[case][place] = value
        for at, values in enumerate(children):
            check(judge, values, array.field(at), f"{path}.{kind.field(at).name}", json_of(kind.field(at)))
        return
    nulls = array.is_null().to_pylist()
    for row, value in enumerate(expected):
        if value is not SKIP and (value[0] == "null") != nulls[row] and not (json_text and value[0] == "null"):
            raise Different(f"{path}[{row}]: {array[row]}, not {value}")
    there = [value is not SKIP and not null for value, null in zip(expected, nulls)]

    def each(kind, read, write):
        for row in range(len(array)):
            if there[row]:
                found, wanted = read(row), write(expected[row])
                if found != wanted:
                    raise Different(f"{path}[{row}]: {found!r}, not {wanted!r} ({array.type})")
        compared[judge, kind] += sum(there)

    if pa.types.is_null(kind):
        compared[judge, "null"] += len(array)
    elif pa.types.is_boolean(kind):
        each("bool", lambda row: array[row].as_py(), lambda value: True if value == ["record"] else value[1])
    elif pa.types.is_integer(kind):
        # A column of nulls is one of integers in DuckDB.
        each("int", lambda row: array[row].as_py(), lambda value: value[1])
    elif pa.types.is_floating(kind):

        def bits(number):
            return "nan" if number != number else struct.pack(">d", number).hex()

        def wanted(value):
            return bits(struct.unpack(">d", bytes.fromhex(value[1]))[0] if value[0] == "float" else float(value[1]))

        each("float", lambda row: bits(array[row].as_py()), wanted)
    elif pa.types.is_decimal(kind):
        each("decimal256" if pa.types.is_decimal256(kind) else "decimal", lambda row: array[row].as_py(), lambda value: Decimal(value[1]))
    elif json_text:
        each("json", lambda row: json.loads(array[row].as_py()) and None, lambda value: None)
    elif pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        digits = lambda value: value[0] in ("int", "decimal")
        texts = array.to_pylist()
        each(
            name or "text",
            lambda row: Decimal(texts[row]) if digits(expected[row]) else texts[row],
            lambda value: Decimal(value[1]) if digits(value) else value[1],
        )
    elif pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_binary_view(kind):
        each("bytes", lambda row: array[row].as_py().hex(), lambda value: value[1])
    elif pa.types.is_timestamp(kind):
        if kind.tz is None or (judge != "duckdb" and kind.tz != "UTC"):
            raise Different(f"{path}: the zone {kind.tz}, not UTC")
        least = 1000 if judge == "duckdb" else 1
        counts = array.cast(pa.int64()).to_pylist()
        moment = lambda value: (value[1] * 10**9 + value[2]) // least
        each("timestamp", lambda row: counts[row] * UNITS[kind.unit] // least, moment)
    elif pa.types.is_map(kind):
        each("map", lambda row: len(array[row]), lambda value: len(value) - 1)
        flat = [pair for value, is_there in zip(expected, there) if is_there for pair in value[1:]]
        check(judge, [pair[1] for pair in flat], array.keys, f"{path}.key")
        check(judge, [pair[2] for pair in flat], array.items, f"{path}.value", json_of(kind.item_field))
    elif pa.types.is_list(kind) or pa.types.is_large_list(kind):
        lengths = pc.list_value_length(array).to_pylist()
        each("list", lambda row: lengths[row], lambda value: len(value) - 1)
        flat = [item for value, is_there in zip(expected, there) if is_there for item in value[1:]]
        check(judge, flat, array.flatten(), f"{path}[]", json_of(kind.value_field))
    elif pa.types.is_struct(kind):
        compared[judge, "struct"] += sum(there)
        fields = [kind.field(at) for at in range(kind.num_fields)]
        first = fields[0].name if fields else ""
        is_sum = first.startswith("case")
        children = {field.name: [SKIP] * len(array) for field in fields}
        for row, value in enumerate(expected):
            if not there[row]:
                continue
            if is_sum:
                chosen = array.field(0)[row].as_py()
                if value[0] == "case":
                    if chosen != value[1]:
                        raise Different(f"{path}[{row}]: the case {chosen}, not {value[1]}")
                    inner = value[2]
                    value = inner[1] if len(inner) == 2 else inner
                for field in fields[1:]:
                    children[field.name][row] = value if field.name == chosen else ["null"]
            elif value[0] == "record":
                for field in fields:
                    children[field.name][row] = ["null"]
                for pair in value[1:]:
                    children[pair[1][1]][row] = pair[2]
            elif value[0] in ("list", "tuple"):
                # A tuple, or the pair of a map whose keys may be null.
                for field, part in zip(fields, value[1:]):
                    children[field.name][row] = part
            else:
                raise Different(f"{path}[{row}]: a struct, not {value}")
        for at, field in enumerate(fields):
            if not (is_sum and at == 0):
                check(judge, children[field.name], array.field(at), f"{path}.{field.name}", json_of(field))
    else:
        raise Different(f"{path}: the type {kind} is not known here")


def json_of(field):
    return bool(field.metadata) and field.metadata.get(b"ARROW:extension:name") == b"arrow.json"


def table_of(judge, file, kind):
    """Returns what a library reads from a file, or None if it has no such files."""
    if judge == "pyarrow":
        if kind == "parquet":
            return pq.read_table(file)
        return (pa.ipc.open_file if kind == "arrow" else pa.ipc.open_stream)(pa.memory_map(str(file))).read_all()
    if judge == "polars":
        read = {"parquet": polars.read_parquet, "arrow": polars.read_ipc, "arrows": polars.read_ipc_stream}[kind]
        return read(file).to_arrow()
    if kind != "parquet":
        return None
    return duckdb.sql(f"from read_parquet('{file}')").to_arrow_table()


def ours():
    """Holds the files that we wrote against the values that went in."""
    duckdb.sql("set timezone = 'UTC'")
    files = 0
    for path in sorted((FOLDER / "ours").glob("*.values")):
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").split("\n") if line]
        for kind in ["arrow", "arrows", "parquet"]:
            file = path.with_suffix(f".{kind}")
            if not file.exists():
                continue
            schema = table_of("pyarrow", file, kind).schema
            for judge in HAS:
                if any(lacks(judge, field.type) for field in schema):
                    continue
                try:
                    table = table_of(judge, file, kind)
                    if table is None:
                        continue
                    if table.column_names != schema.names:
                        raise Different(f"the columns {table.column_names}, not {schema.names}")
                    for at, field in enumerate(schema):
                        values = [next((pair[2] for pair in row[1:] if pair[1][1] == field.name), ["null"]) for row in rows]
                        check(judge, values, table.column(at), field.name, json_of(field))
                    files += 1
                except Exception as error:
                    print(f"judge-columns: {judge} reads {file.name} otherwise: {error}\n{schema.remove_metadata()}", file=sys.stderr)
                    raise
    missing = [(judge, kind) for judge, kinds in HAS.items() for kind in kinds if not compared[judge, kind]]
    if missing:
        raise SystemExit(f"judge-columns: never compared: {missing}")
    for judge, kinds in HAS.items():
        print(f"judge-columns: {judge}: " + ", ".join(f"{kind} {compared[judge, kind]}" for kind in kinds))
    print(f"judge-columns: {files} readings of our files agree")


def plain(array):
    """Returns the values as JSON has them by our mapping, docs/columns.md."""
    if isinstance(array, pa.ChunkedArray):
        return [value for chunk in array.chunks for value in plain(chunk)]
    kind = array.type
    if isinstance(kind, pa.BaseExtensionType):
        return [None if text is None else json.loads(text, parse_float=Decimal) for text in array.storage.to_pylist()]
    if pa.types.is_dictionary(kind):
        values = plain(array.dictionary)
        return [None if at is None else values[at] for at in array.indices.to_pylist()]
    if pa.types.is_run_end_encoded(kind):
        return plain(pc.run_end_decode(array))
    if pa.types.is_union(kind):
        return [{kind.field(kind.type_codes.index(one.type_code)).name: one.as_py()} for one in array]
    nulls = array.is_null().to_pylist()

    def each(make):
        return [None if null else make(row) for row, null in enumerate(nulls)]

    if pa.types.is_map(kind):
        if pa.types.is_string(kind.key_type):
            return each(lambda row: dict(array[row].as_py()))
        return each(lambda row: [list(pair) for pair in array[row].as_py()])
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind) or "list_view" in str(kind):
        return each(lambda row: plain(array[row].values))
    if pa.types.is_struct(kind):
        parts = [(kind.field(at).name, plain(array.field(at))) for at in range(kind.num_fields)]
        return each(lambda row: {name: part[row] for name, part in parts})
    if pa.types.is_timestamp(kind):
        counts = array.cast(pa.int64()).to_pylist()
        return each(lambda row: ["moment", counts[row] * UNITS[kind.unit]])
    if pa.types.is_date(kind):
        return each(lambda row: array[row].as_py().isoformat())
    if pa.types.is_time(kind):
        counts = array.cast(pa.int32() if pa.types.is_time32(kind) else pa.int64()).to_pylist()

        def clock(count):
            seconds, nanos = divmod(count * UNITS[kind.unit], 10**9)
            text = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
            return text + (f".{nanos:09}".rstrip("0") if nanos else "")

        return each(lambda row: clock(counts[row]))
    if pa.types.is_duration(kind):
        counts = array.cast(pa.int64()).to_pylist()
        return each(lambda row: counts[row])
    if pa.types.is_fixed_size_binary(kind) or "binary" in str(kind):
        return each(lambda row: base64.b64encode(array[row].as_py()).decode())
    if pa.types.is_float16(kind):
        return each(lambda row: float(array[row].as_py()))
    return array.to_pylist()


def same(found, wanted):
    """Compares what we wrote as JSON with what is expected."""
    if isinstance(wanted, list) and wanted[:1] == ["moment"]:
        whole, _, fraction = found.rstrip("Z").partition(".")
        moment = datetime.datetime.fromisoformat(whole).replace(tzinfo=datetime.timezone.utc)
        seconds = (moment - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)) // datetime.timedelta(seconds=1)
        return seconds * 10**9 + int((fraction or "0").ljust(9, "0")) == wanted[1]
    if isinstance(wanted, dict) and isinstance(found, dict):
        return found.keys() == wanted.keys() and all(same(found[key], value) for key, value in wanted.items())
    if isinstance(wanted, list) and isinstance(found, list):
        return len(found) == len(wanted) and all(map(same, found, wanted))
    if isinstance(wanted, float):
        return found is not None and (float(found) == wanted or struct.pack("f", float(found)) == struct.pack("f", wanted))
    return found == wanted


def read(file):
    """Returns the messages of a file, as our program reads it."""
    run = subprocess.run([PROGRAM, "convert", file, "--to", "jsonl", "--lossy"], capture_output=True)
    if run.returncode:
        raise SystemExit(f"judge-columns: polywire convert {file}: {run.stderr.decode()}")
    return [json.loads(line, parse_float=Decimal) for line in run.stdout.decode().split("\n") if line]


wrong = []


def hold(file, table):
    """Holds what we read against a table."""
    found = read(file)
    if len(found) != table.num_rows:
        raise SystemExit(f"judge-columns: {file}: {len(found)} rows, not {table.num_rows}")
    for at, field in enumerate(table.schema):
        for row, wanted in enumerate(plain(table.column(at))):
            if not same(found[row].get(field.name, "absent"), wanted):
                wrong.append(f"{Path(file).name}, row {row}, {field}: {found[row].get(field.name, 'absent')!r}, not {wanted!r}")
                break


def columns(rng):
    """Returns arrays of all types."""
    rows = 40
    some = lambda make: [None if rng.random() < 0.2 else make() for _ in range(rows)]
    signed = lambda bits: lambda: rng.randrange(-(1 << bits - 1), 1 << bits - 1)
    natural = lambda bits: lambda: rng.randrange(1 << bits)
    text = lambda: rng.choice(["", "a", "日本 🦀", "x" * 30, '"\n\0', str(rng.random())])
    raw = lambda: rng.randbytes(rng.randrange(30))
    digits = lambda precision, scale: lambda: Decimal(rng.randrange(-(10**precision) + 1, 10**precision)).scaleb(-scale)
    made = {f"int{bits}": pa.array(some(signed(bits)), f"int{bits}") for bits in [8, 16, 32, 64]}
    made |= {f"uint{bits}": pa.array(some(natural(bits)), f"uint{bits}") for bits in [8, 16, 32, 64]}
    made["null"] = pa.nulls(rows)
    made["bool"] = pa.array(some(lambda: rng.random() < 0.5))
    made["float16"] = pa.array(some(lambda: rng.choice([0.5, -2.0, 1.25])), pa.float16())
    made["float32"] = pa.array(some(lambda: struct.unpack("f", struct.pack("f", rng.gauss(0, 1e9)))[0]), pa.float32())
    made["float64"] = pa.array(some(lambda: rng.gauss(0, 1e99)), pa.float64())
    for kind in [pa.string(), pa.large_string(), pa.string_view()]:
        made[str(kind)] = pa.array(some(text), kind)
    for kind in [pa.binary(), pa.large_binary(), pa.binary_view()]:
        made[str(kind)] = pa.array(some(raw), kind)
    made["fixed_binary"] = pa.array(some(lambda: rng.randbytes(7)), pa.binary(7))
    for bits, precision, scale in [(32, 9, 2), (64, 18, 18), (128, 38, 9), (256, 76, 20)]:
        made[f"decimal{bits}"] = pa.array(some(digits(precision, scale)), getattr(pa, f"decimal{bits}")(precision, scale))
    made["decimal_negative_scale"] = pa.array([Decimal("1200"), None] * (rows // 2), pa.decimal128(5, -2))
    for unit in UNITS:
        for zone in [None, "UTC", "Europe/Berlin", "+05:30"]:
            most = 9 * 10**18 // UNITS[unit] if unit == "ns" else 10**11 * 10**9 // UNITS[unit]
            made[f"timestamp_{unit}_{zone}"] = pa.array(some(lambda: rng.randrange(-most // 2, most)), pa.int64()).cast(pa.timestamp(unit, zone))
        made[f"duration_{unit}"] = pa.array(some(signed(64)), pa.int64()).cast(pa.duration(unit))
    made["date32"] = pa.array(some(lambda: rng.randrange(-700_000, 2_900_000)), pa.int32()).cast(pa.date32())
    made["date64"] = made["date32"].cast(pa.date64())
    for unit, bits in [("s", 32), ("ms", 32), ("us", 64), ("ns", 64)]:
        made[f"time_{unit}"] = pa.array(some(lambda: rng.randrange(86_400 * 10**9 // UNITS[unit])), f"int{bits}").cast(getattr(pa, f"time{bits}")(unit))
    made["dictionary"] = pa.array(some(lambda: rng.choice(["red", "green"])), pa.string()).dictionary_encode()
    made["dictionary_int8"] = made["dictionary"].cast(pa.dictionary(pa.int8(), pa.large_string()))
    made["dictionary_of_ints"] = pa.array(some(lambda: rng.randrange(3)), pa.int64()).dictionary_encode()
    made["runs"] = pc.run_end_encode(pa.array([1] * 10 + [None] * 5 + [2] * (rows - 15), pa.int32()))
    lists = lambda: [rng.choice([None, rng.randrange(100)]) for _ in range(rng.randrange(4))]
    for kind in [pa.list_, pa.large_list, pa.list_view, pa.large_list_view]:
        made[str(kind(pa.int32()))] = pa.array(some(lists), kind(pa.int32()))
    made["fixed_list"] = pa.array(some(lambda: [rng.randrange(9), None, 2]), pa.list_(pa.int16(), 3))
    inner = pa.struct([("x", pa.list_(pa.struct([("y", pa.string()), ("z", pa.float64())]))), ("w", pa.int64())])
    deep = lambda: {"x": rng.choice([None, [{"y": text(), "z": None}, None]]), "w": rng.choice([None, 7])}
    made["nested"] = pa.array(some(lambda: rng.choice([None, [deep(), None]])), pa.list_(inner))
    made["struct"] = pa.array(some(deep), inner)
    made["map"] = pa.array(some(lambda: [(f"k{at}", rng.choice([None, at])) for at in range(rng.randrange(3))]), pa.map_(pa.string(), pa.int64()))
    made["dense_union"] = pa.UnionArray.from_dense(
        pa.array([0, 1] * (rows // 2), pa.int8()),
        pa.array([at // 2 for at in range(rows)], pa.int32()),
        [pa.array(range(rows // 2), pa.int64()), pa.array([str(at) for at in range(rows // 2)])],
        ["n", "t"],
    )
    made["sparse_union"] = pa.UnionArray.from_sparse(
        pa.array([1, 0] * (rows // 2), pa.int8()), [pa.array(range(rows)), pa.array([str(at) for at in range(rows)])], ["n", "t"]
    )
    return made


def theirs():
    """Holds our readings of files that other libraries wrote."""
    folder = FOLDER / "theirs"
    folder.mkdir()
    made = columns(random.Random(22))
    whole = pa.table(made)
    # Parts of arrays, too: offsets do not begin at zero.
    tables = {"whole": whole, "slice": whole.slice(7, 20), "empty": whole.slice(0, 0)}
    files = 0

    def held(file, table):
        nonlocal files
        hold(file, table)
        files += 1

    for name, table in tables.items():
        for codec in [None, "lz4", "zstd"]:
            for kind, writer in [("arrow", pa.ipc.new_file), ("arrows", pa.ipc.new_stream)]:
                file = folder / f"{name}-{codec}.{kind}"
                with writer(str(file), table.schema, options=pa.ipc.IpcWriteOptions(compression=codec)) as out:
                    for batch in table.to_batches(max_chunksize=9):
                        out.write_batch(batch)
                held(file, table)
    # What Parquet does not have, or pyarrow does not write.
    no = ["union", "runs", "list_view", "duration_", "negative_scale"]
    for name, table in tables.items():
        table = table.select([column for column in table.column_names if not any(part in column for part in no)])
        for page in ["1.0", "2.0"]:
            for codec in ["none", "snappy", "gzip", "zstd", "lz4"]:
                file = folder / f"{name}-{page}-{codec}.parquet"
                options = {} if page == "1.0" else {"use_dictionary": False, "row_group_size": 9, "data_page_size": 64}
                pq.write_table(table, file, data_page_version=page, compression=codec, **options)
                held(file, pq.read_table(file))
    some = pa.table({name: made[name] for name in ["int64", "string", "fixed_binary", "float64", "int32", "float32"]})
    for encoding, names in [
        ("DELTA_BINARY_PACKED", ["int64", "int32"]),
        ("DELTA_BYTE_ARRAY", ["string", "fixed_binary"]),
        ("DELTA_LENGTH_BYTE_ARRAY", ["string"]),
        ("BYTE_STREAM_SPLIT", ["float64", "float32", "int64", "fixed_binary"]),
    ]:
        file = folder / f"{encoding}.parquet"
        pq.write_table(some.select(names), file, use_dictionary=False, column_encoding={name: encoding for name in names})
        held(file, some.select(names))

    frame = polars.DataFrame(
        {
            "n": [1, None, 3], "t": ["a", None, "日本"], "d": [Decimal("1.50"), None, Decimal("-2.25")], "b": [b"\0", None, b""],
            "l": [[1], None, []], "s": [{"x": 1, "y": "a"}, None, {"x": None, "y": None}], "when": [datetime.datetime(2026, 1, 2, 3), None, None],
            "day": [datetime.date(2026, 1, 2), None, None], "clock": [datetime.time(1, 2, 3, 400), None, None],
            "took": [datetime.timedelta(seconds=3), None, None],
        }
    ).with_columns(c=polars.Series(["x", "y", None], dtype=polars.Categorical), e=polars.Series(["x", "y", None], dtype=polars.Enum(["y", "x"])),
                   f=polars.Series([[1, 2], None, [3, 4]], dtype=polars.Array(polars.Int8, 2)), u=polars.Series([1, 2, None], dtype=polars.UInt64))  # fmt: skip
    for codec in ["uncompressed", "lz4", "zstd"]:
        for kind, write in [("arrow", frame.write_ipc), ("arrows", frame.write_ipc_stream)]:
            file = folder / f"polars-{codec}.{kind}"
            write(file, compression=codec)
            held(file, table_of("pyarrow", file, kind))
    for codec in ["uncompressed", "snappy", "gzip", "lz4", "zstd"]:
        file = folder / f"polars-{codec}.parquet"
        frame.write_parquet(file, compression=codec)
        held(file, pq.read_table(file))

    query = """select i::tinyint t, i::utinyint ut, i::bigint b, i::ubigint ub, i / 3.0 f, i::float r, i::decimal(20, 3) d, i::varchar v,
        i::varchar::blob bl, date '2026-01-02' + i::int as d1, time '01:02:03' c, timestamp '2026-01-02 03:04:05.678' ts,
        timestamp_s '2026-01-02 03:04:05' tss, timestamp_ms '2026-01-02 03:04:05.678' tsm, timestamp_ns '2026-01-02 03:04:05.678901234' tsn,
        timestamptz '2026-01-02 03:04:05+02' tz, [i, null] l, {'x': i, 'y': [i]} s, map {'k': i} m, 'a'::enum('b', 'a') e, null nothing
        from range(5) t(i)"""
    for codec in ["uncompressed", "snappy", "gzip", "zstd", "lz4_raw"]:
        for version in ["v1", "v2"]:
            file = folder / f"duckdb-{codec}-{version}.parquet"
            duckdb.sql(f"copy ({query}) to '{file}' (format parquet, compression {codec}, parquet_version {version})")
            held(file, pq.read_table(file))
    if wrong:
        raise SystemExit("judge-columns: " + "\n".join(wrong))
    print(f"judge-columns: our readings of {files} files of pyarrow, polars and DuckDB agree")
    refusals(folder, some)


def refusals(folder, table):
    """Holds that files that we cannot read are refused, with the reason."""
    class Kms(pe.KmsClient):
        def __init__(self, _):
            super().__init__()

        def wrap_key(self, key, _):
            return base64.b64encode(key)

        def unwrap_key(self, key, _):
            return base64.b64decode(key)

    cases = []
    for plaintext in [True, False]:
        file = folder / f"encrypted-{plaintext}.parquet"
        config = pe.EncryptionConfiguration(footer_key="f", column_keys={"k": ["string"]}, plaintext_footer=plaintext, internal_key_material=True)
        properties = pe.CryptoFactory(Kms).file_encryption_properties(pe.KmsConnectionConfig(), config)
        with pq.ParquetWriter(file, table.schema, encryption_properties=properties) as writer:
            writer.write_table(table)
        cases.append((file, "ncrypt"))
    file = folder / "brotli.parquet"
    pq.write_table(table, file, compression="brotli")
    cases.append((file, "brotli"))
    file = folder / "interval.arrow"
    intervals = pa.table({"i": pa.array([pa.MonthDayNano([1, 2, 3])])})
    with pa.ipc.new_file(str(file), intervals.schema) as out:
        out.write_table(intervals)
    cases.append((file, "Interval"))
    for file, reason in cases:
        for source in [{"args": [file]}, {"args": ["-"], "stdin": True}]:
            with open(file, "rb") as stdin:
                run = subprocess.run(
                    [PROGRAM, "convert", *source["args"], "--to", "jsonl"], capture_output=True, stdin=stdin if "stdin" in source else None
                )
            text = run.stderr.decode().replace(str(file), "FILE")
            if run.returncode in (0, 101) or run.returncode < 0 or reason not in text or "panicked" in text:
                raise SystemExit(f"judge-columns: {file}: exit code {run.returncode}, and no word of {reason}: {text}")
    print(f"judge-columns: {len(cases)} kinds of files are refused, with the reason")


ours()
theirs()
