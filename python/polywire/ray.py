"""Messages of any format in Ray: a column of them becomes columns, and columns become messages.

>>> import polywire.ray  # doctest: +SKIP
>>> orders = polywire.ray.decode(ds, "payload", "protobuf", "order.proto")  # doctest: +SKIP

Every function returns a data set that Ray computes when it is asked for one. The work is done where the data is, by
`Dataset.map_batches` on Arrow's tables, and no object of Python is made of a message.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from os import PathLike
from typing import Any, Literal

import pyarrow as pa
import ray
import ray.data
from ray.data import Dataset, Datasource, ReadTask
from ray.data.block import BlockMetadata

from polywire import _cells, _polywire, _scale
from polywire._api import SchemaSource, _reading
from polywire._errors import Error
from polywire._polywire import Schema
from polywire._scale import ScaledComparison

__all__ = ["MessageSource", "compare", "decode", "decoder", "encode", "encoder", "infer_schema", "read", "schema_for"]

PIECE = 64 << 20
"The bytes of a piece of a file that one task reads, about."
ROWS = 10_000
"The rows of a batch."


class RayFit(_cells.Fit):
    """Ray has Arrow's types. Those of extensions are their storage: the JSON text of `_rest` is text."""

    name = "Ray"


def schema_for(
    format: str,
    schema: SchemaSource,
    *,
    type: str | None = None,
    include: Iterable[str | PathLike] = (),
    settings: Mapping[str, str | bool] | None = None,
    select: str | Iterable[str] | None = None,
    bad: Literal["fail", "skip", "keep"] = "fail",
    decimals: Literal["text"] | tuple[int, int] = "text",
    rest: Literal["column", "refuse", "drop"] = "column",
) -> pa.Schema:
    """Returns the columns of messages, as `decode` and `read` make them: Arrow's own types."""
    reading, choices = _cells.asked(format, schema, type, include, settings, select, "error", None, decimals, rest)
    return _cells.Decoder(reading, choices, bad, RayFit()).columns


def decoder(
    column: str,
    format: str,
    schema: SchemaSource,
    *,
    type: str | None = None,
    include: Iterable[str | PathLike] = (),
    settings: Mapping[str, str | bool] | None = None,
    select: str | Iterable[str] | None = None,
    into: str | None = None,
    bad: Literal["fail", "skip", "keep"] = "fail",
    decimals: Literal["text"] | tuple[int, int] = "text",
    rest: Literal["column", "refuse", "drop"] = "column",
    duplicate_keys: Literal["error", "first", "last", "keep"] = "error",
    limits: Mapping[str, int] | None = None,
) -> Callable[[pa.Table], pa.Table]:
    """Returns the function that `decode` gives to `map_batches`, with `batch_format="pyarrow"`: from tables with a column of messages to
    tables with the columns of the messages. The arguments are those of `decode`."""
    reading, choices = _cells.asked(format, schema, type, include, settings, select, duplicate_keys, limits, decimals, rest)
    work = _cells.Decoder(reading, choices, bad, RayFit())

    def run(table: pa.Table) -> pa.Table:
        place = _place(table.schema, column, _is_text, "bytes or text")
        names = list(table.column_names)
        names[place : place + 1] = [into] if into is not None else work.columns.names
        _once(names, "into='name' puts the message's columns into a struct")
        reader = work.reader()
        parts = []
        before = 0
        for batch in table.to_batches():
            cells = batch.column(place)
            try:
                for rows, good, start, end in work.rows(reader, cells, before):
                    part = batch.slice(start, end - start)
                    arrays = rows.columns
                    if into is not None:
                        mask = cells.slice(start, end - start).is_null()
                        arrays = [pa.StructArray.from_arrays(arrays, fields=list(work.columns), mask=mask)]
                    out = pa.RecordBatch.from_arrays([*part.columns[:place], *arrays, *part.columns[place + 1 :]], names=names)
                    parts.append(out if good is None else out.filter(good))
            except Error as error:
                raise _cells.located(error, f"row {_row(error, before)} of a batch of {table.num_rows} rows") from None
            before += batch.num_rows
        if parts:
            return pa.Table.from_batches(parts)
        fields = list(table.schema)
        made = [pa.field(into, pa.struct(list(work.columns)))] if into is not None else list(work.columns)
        fields[place : place + 1] = made
        return pa.schema(fields).empty_table()

    return run


def decode(ds: Dataset, column: str, format: str, schema: SchemaSource | None = None, *, batch_size: int = ROWS, **more: Any) -> Dataset:
    """Puts the columns of messages in the place of a column that has one message in each cell.

    Args:
        ds: A data set.
        column: The name of its column of messages: bytes, or text for formats of text.
        format: The name of the format.
        schema: The schema of the messages: a path, its text, or one that was inferred. Files are read here, and go to the workers.
            Without it, a first pass over the column infers one.
        batch_size: The rows of a batch.
        type, include, settings, select, duplicate_keys, limits: As for `polywire.read`.
        into: The name of one struct column that gets all of them. Without it, each is a column of the data set.
        bad: What becomes of a message that cannot be read: its error ends the run, its row is left out, or it is a row of nulls with the
            reason in the column `_error`.
        decimals: The form of decimal numbers: text, or the number of digits and of those after the point.
        rest: What becomes of fields that the schema has not: the column `_rest`, a bad message, or a loss.

    The order of the rows in a block is kept. A cell that is null is a row of nulls.

    Raises:
        UsageError: A name would come twice, or an argument is wrong.
        Error: The schema cannot be read.
    """
    if schema is None:
        some = {name: value for name, value in more.items() if name in ("settings", "duplicate_keys", "limits")}
        schema = infer_schema(ds, column, format, bad="fail" if more.get("bad", "fail") == "fail" else "skip", **some)
    run = decoder(column, format, schema, **more)
    return ds.map_batches(run, batch_format="pyarrow", batch_size=batch_size, zero_copy_batch=True)


def encoder(
    column: str | Iterable[str] | None,
    format: str,
    schema: SchemaSource | None = None,
    *,
    type: str | None = None,
    include: Iterable[str | PathLike] = (),
    settings: Mapping[str, str | bool] | None = None,
    into: str | None = None,
    decimals: Literal["text"] | tuple[int, int] = "text",
    lossy: bool = False,
) -> Callable[[pa.Table], pa.Table]:
    """Returns the function that `encode` gives to `map_batches`, with `batch_format="pyarrow"`. The arguments are those of `encode`."""
    one = column if isinstance(column, str) else None
    several = None if column is None or one is not None else list(column)
    name = into or one or "value"
    reading, choices = _cells.asked(format, schema, type, include, settings, None, "error", None, decimals, "column")
    work = _cells.Encoder(reading, choices, lossy, RayFit())

    def run(table: pa.Table) -> pa.Table:
        if one is not None:
            places = [_place(table.schema, one, pa.types.is_struct, "structs")]
        else:
            places = [_place(table.schema, each, lambda _: True, "values") for each in several or table.column_names]
        names = [table.column_names[place] for place in places]
        kept = [index for index in range(table.num_columns) if index not in places]
        at = sum(index < min(places, default=0) for index in kept)
        writer = work.writer()
        cells: list[pa.Array] = []
        before = 0
        for batch in table.to_batches():
            if one is not None:
                inner, arrays, back = _cells.structs(batch.column(places[0]))
            else:
                inner, arrays, back = names, [batch.column(place) for place in places], None
            work.check(inner)
            try:
                made = pa.chunked_array(work.cells(writer, inner, arrays, before, None if one is not None else batch.num_rows), pa.binary())
            except Error as error:
                raise _cells.located(error, f"row {_row(error, before)} of a batch of {table.num_rows} rows") from None
            cells += (made if back is None else made.take(back)).chunks
            before += batch.num_rows
        columns = [table.column(index) for index in kept]
        columns.insert(at, pa.chunked_array(cells, pa.binary()))
        out = [table.column_names[index] for index in kept]
        out.insert(at, name)
        _once(out, "into='name' is another name for the column of messages")
        return pa.table(columns, names=out)

    return run


def encode(
    ds: Dataset,
    column: str | Iterable[str] | None,
    format: str,
    schema: SchemaSource | None = None,
    *,
    batch_size: int = ROWS,
    **more: Any,
) -> Dataset:
    """Writes rows as messages, one in each cell of a column of bytes.

    Args:
        ds: A data set.
        column: The name of a struct column whose fields make the message, or the names of columns that do; None for all columns.
        format: The name of the format.
        schema: The schema of the messages, for formats that take one; with it, all values come back as they were when `decode` read them.
        batch_size: The rows of a batch.
        type, include, settings: As for `polywire.write`.
        into: The name of the new column. Without it, that of the struct column, or `value`.
        decimals: As for `decode`.
        lossy: Whether a row may lose what the format cannot keep. Without it, such a row is an error.

    A struct that is null is a cell that is null, and so is the row of a bad message, which has a reason in `_error`.
    """
    run = encoder(column, format, schema, **more)
    return ds.map_batches(run, batch_format="pyarrow", batch_size=batch_size, zero_copy_batch=True)


class MessageSource(Datasource):
    """Files of messages as a source of Ray's: `ray.data.read_datasource(MessageSource(paths, …))`. `read` is the shorter way.

    The arguments are those of `read`.
    """

    def __init__(
        self,
        paths: str | PathLike | Iterable[str | PathLike],
        format: str | None = None,
        schema: SchemaSource | None = None,
        *,
        type: str | None = None,
        include: Iterable[str | PathLike] = (),
        settings: Mapping[str, str | bool] | None = None,
        select: str | Iterable[str] | None = None,
        each: str | None = None,
        bad: Literal["fail", "skip", "keep"] = "fail",
        decimals: Literal["text"] | tuple[int, int] = "text",
        rest: Literal["column", "refuse", "drop"] = "column",
        duplicate_keys: Literal["error", "first", "last", "keep"] = "error",
        limits: Mapping[str, int] | None = None,
        piece: int = PIECE,
    ) -> None:
        super().__init__()
        files = _cells.listed(paths)
        format = _cells.format_of(files, format)
        reading, _ = _cells.asked(format, schema, type, include, settings, None, duplicate_keys, limits, "text", rest, each)
        packed = _cells.packed(reading)
        split = ray.remote(_cells.pieces)
        found = ray.get([split.remote(path, packed, piece) for path in files])
        self._pieces = [(path, start, end) for path, some in zip(files, found) for start, end in some]
        if schema is None:
            look = ray.remote(_cells.inferred_of)
            state = _polywire.Inference()
            _gathered([(look, (path, start, end, packed)) for path, start, end in self._pieces], state.merge)
            schema = _cells.finished(state, None)
        reading, choices = _cells.asked(format, schema, type, include, settings, select, duplicate_keys, limits, decimals, rest, each)
        self._reader = _cells.FileReader(reading, choices, bad, RayFit())

    def estimate_inmemory_data_size(self) -> int | None:
        """Returns the bytes of the pieces, if all are known."""
        sizes = [end - start for _, start, end in self._pieces if end is not None]
        return sum(sizes) if len(sizes) == len(self._pieces) else None

    def get_read_tasks(self, parallelism: int, per_task_row_limit: int | None = None, data_context: Any = None) -> list[ReadTask]:
        """Returns one task for each piece."""
        reader = self._reader
        empty = reader.decoder.columns.empty_table()

        def task(path: str, start: int, end: int | None) -> ReadTask:
            def run() -> Iterable[pa.Table]:
                some = False
                try:
                    for batch in reader.rows(path, start, end):
                        some = True
                        yield pa.Table.from_batches([batch])
                except Error as error:
                    raise _cells.located(error, f"in {path}, in the piece from byte {start} on") from None
                if not some:
                    yield empty

            size = None if end is None else end - start
            meta = BlockMetadata(num_rows=None, size_bytes=size, input_files=[path], exec_stats=None)
            return ReadTask(run, meta, schema=reader.decoder.columns)

        return [task(*piece) for piece in self._pieces]


def read(paths: str | PathLike | Iterable[str | PathLike], format: str | None = None, schema: SchemaSource | None = None, **more: Any) -> Dataset:
    """Reads files of messages, as many at once as there are processors.

    Files are split at the boundaries of messages. Where a line is a message, any place in a file will do; in other formats, each file
    is read once to find the boundaries, without looking into messages. Compressed files, documents of which `each` names the messages,
    and tables with a head are one piece each.

    Args:
        paths: Files, folders, or patterns such as `logs/*.jsonl`. All workers need to see them. An address such as `s3://…` is opened by
            Arrow's file systems.
        format: The name of the format. Without it, the start of the first file decides.
        schema: The schema of the messages. Without it, a first pass over all files infers one.
        type, include, settings, select, each, duplicate_keys, limits: As for `polywire.read`.
        bad, decimals, rest: As for `decode`.
        piece: The bytes of a piece, about.
    """
    return ray.data.read_datasource(MessageSource(paths, format, schema, **more))


def infer_schema(
    ds: Dataset,
    column: str,
    format: str,
    *,
    name: str | None = None,
    settings: Mapping[str, str | bool] | None = None,
    bad: Literal["fail", "skip"] = "fail",
    duplicate_keys: Literal["error", "first", "last", "keep"] = "error",
    limits: Mapping[str, int] | None = None,
) -> Schema:
    """Finds the schema of the messages in a column. It accepts each of them.

    Each task sums up its rows, and the sums are merged: the schema is the one that `polywire.infer_schema` finds in all messages.
    """
    reading = _reading(format, None, None, (), settings, None, None, duplicate_keys, limits)
    skip = _cells.checked(bad) == "skip"

    def run(table: pa.Table) -> pa.Table:
        place = _place(table.schema, column, _is_text, "bytes or text")
        state = _polywire.Inference()
        before = 0
        for batch in table.to_batches():
            try:
                state.add(batch.column(place), reading, skip, before)
            except Error as error:
                raise _cells.located(error, f"row {_row(error, before)} of a batch of {table.num_rows} rows") from None
            before += batch.num_rows
        return pa.table({"state": pa.array([state.to_bytes()], pa.binary())})

    all = _polywire.Inference()
    states = ds.map_batches(run, batch_format="pyarrow", batch_size=None, zero_copy_batch=True)
    for table in states.iter_batches(batch_format="pyarrow", batch_size=None):
        for state in table.column("state") if "state" in table.column_names else ():
            all.merge(_polywire.Inference.from_bytes(state.as_py()))
    return _cells.finished(all, name)


def compare(
    ds: Dataset,
    column: str,
    format: str,
    *,
    formats: Iterable[str] | None = None,
    schema: SchemaSource | None = None,
    type: str | None = None,
    include: Iterable[str | PathLike] = (),
    settings: Mapping[str, str | bool] | None = None,
    sample: int = 100_000,
    block: int = 500,
    confidence: float = 0.95,
    seed: int = 0,
    count: int | None = None,
    time: float | None = None,
    duplicate_keys: Literal["error", "first", "last", "keep"] = "error",
    limits: Mapping[str, int] | None = None,
) -> ScaledComparison:
    """Estimates what all messages of a column cost in each format: sizes from a sample that is spread over the data, with intervals of
    confidence, and times from the driver.

    Args:
        ds, column, format, schema, type, include, settings, duplicate_keys, limits: As for `decode`.
        formats: The names of the formats. Without it, all that can hold the messages.
        sample: The number of messages to measure, about.
        block: The number of neighbours that are measured, and compressed, together.
        confidence: The probability that an interval has the true mean.
        seed: The number that decides about the sample.
        count: The number of messages, if it is known; otherwise Ray counts the rows.
        time: The time of one measurement on the driver, in seconds.
    """
    total = ds.count() if count is None else count
    plan = _scale.Plan(format, formats, schema, type, include, settings, duplicate_keys, limits, sample, block, seed, total)

    def gather(work: Any) -> list[bytes]:
        def run(table: pa.Table) -> pa.Table:
            import zlib

            place = _place(table.schema, column, _is_text, "bytes or text")
            cells = table.column(place)
            # A block of Ray's has no number: what it holds stands for one.
            first = next((cell.as_py() for cell in cells if cell.is_valid), b"")
            number = zlib.crc32(first if isinstance(first, bytes) else first.encode()) ^ len(cells)
            return pa.table({"state": pa.array(list(work(cells.chunks, number)), pa.binary())})

        states = ds.map_batches(run, batch_format="pyarrow", batch_size=None, zero_copy_batch=True)
        found = []
        for table in states.iter_batches(batch_format="pyarrow", batch_size=None):
            found += table.column("state").to_pylist() if "state" in table.column_names else []
        return found

    return _scale.compared(plan, gather, confidence, time)


def _gathered(calls: list[tuple[Any, tuple[Any, ...]]], done: Callable[[Any], None], most: int = 64) -> None:
    """Runs tasks, some at once, and passes on what each returns."""
    due = iter(calls)
    running = [task.remote(*given) for (task, given), _ in zip(due, range(most))]
    while running:
        [first], running = ray.wait(running, num_returns=1)
        done(ray.get(first))
        running += [task.remote(*given) for (task, given), _ in zip(due, range(1))]


def _is_text(type: pa.DataType) -> bool:
    kinds = (pa.types.is_binary, pa.types.is_large_binary, pa.types.is_binary_view, pa.types.is_fixed_size_binary)
    texts = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view, pa.types.is_null)
    return any(kind(type) for kind in (*kinds, *texts))


def _place(schema: pa.Schema, column: str, fits: Callable[[pa.DataType], bool], expected: str) -> int:
    """Returns the place of a column, which has to be of one of some types."""
    if schema.names.count(column) != 1:
        seen = "no column" if column not in schema.names else "several columns"
        raise _cells.usage(f"{seen} {column!r}", f"there are {', '.join(schema.names)}")
    place = schema.names.index(column)
    if not fits(schema.field(place).type):
        raise _cells.usage(f"the column {column!r} is of the type {schema.field(place).type}", f"expected one of {expected}")
    return place


def _once(names: list[str], hint: str) -> None:
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise _cells.usage(f"the column {twice[0]!r} would come twice", hint)


def _row(error: Error, before: int) -> int:
    return error.message if error.message is not None else before + 1
