"""Messages of any format in Spark: a column of them becomes columns, and columns become messages.

>>> import polywire.spark  # doctest: +SKIP
>>> orders = polywire.spark.decode(df, "payload", "protobuf", "order.proto")  # doctest: +SKIP

Every function returns a data frame that Spark computes when it is asked for one. The work is done where the data is, by
`DataFrame.mapInArrow`: batches of columns go to Polywire and back, and no object of Python is made of a message.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from os import PathLike
from typing import Any, Literal

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import types as spark_types

from polywire import _cells, _polywire, _scale
from polywire._api import SchemaSource, _reading
from polywire._errors import Error
from polywire._polywire import Schema
from polywire._scale import ScaledComparison

__all__ = ["compare", "decode", "encode", "infer_schema", "read", "schema_for"]

PIECE = 64 << 20
"The bytes of a piece of a file that one task reads, about."


class SparkFit(_cells.Fit):
    """Spark's types for those that it lacks."""

    name = "Spark"

    def __init__(self, nanoseconds: str = "refuse") -> None:
        if nanoseconds not in ("refuse", "truncate", "long"):
            raise _cells.usage(f"nanoseconds={nanoseconds!r}", "refuse, truncate or long")
        self.nanoseconds = nanoseconds

    def field(self, field: pa.Field) -> pa.Field:
        # Spark forgets that a field within a struct is never null where the struct is.
        return pa.field(field.name, self.type(field.type), True)

    def plain(self, type: pa.DataType) -> pa.DataType:
        if pa.types.is_dictionary(type):
            return self.type(type.value_type)
        if pa.types.is_timestamp(type):
            return pa.int64() if type.unit == "ns" and self.nanoseconds == "long" else pa.timestamp("us", "UTC")
        if pa.types.is_decimal256(type):
            return pa.decimal128(type.precision, type.scale) if type.precision <= 38 else pa.string()
        return _PLAIN.get(type, type)

    def array(self, array: pa.Array, type: pa.DataType, name: str) -> pa.Array:
        if self.nanoseconds == "truncate":
            array = _cells.truncated(array)
        return super().array(array, type, name)

    def advice(self, type: pa.DataType) -> str:
        fine = "timestamp[ns" in str(type)
        return "; nanoseconds='truncate' cuts moments to microseconds, and nanoseconds='long' keeps them as numbers" if fine else ""


_PLAIN = {
    pa.uint8(): pa.int16(),
    pa.uint16(): pa.int32(),
    pa.uint32(): pa.int64(),
    pa.uint64(): pa.decimal128(20, 0),
    pa.float16(): pa.float32(),
    pa.large_string(): pa.string(),
    pa.string_view(): pa.string(),
    pa.large_binary(): pa.binary(),
    pa.binary_view(): pa.binary(),
}


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
    nanoseconds: Literal["refuse", "truncate", "long"] = "refuse",
) -> spark_types.StructType:
    """Returns the columns of messages, as `decode` and `read` make them.

    Spark lacks some of Arrow's types. Unsigned integers become the next wider type, and those of 64 bits `decimal(20, 0)`; names of
    enumerations become strings, moments `timestamp`, and decimals beyond 38 digits strings.
    """
    reading, choices = _cells.asked(format, schema, type, include, settings, select, "error", None, decimals, rest)
    return struct(_cells.Decoder(reading, choices, bad, SparkFit(nanoseconds)).columns)


def decode(
    df: DataFrame,
    column: str,
    format: str,
    schema: SchemaSource | None = None,
    *,
    type: str | None = None,
    include: Iterable[str | PathLike] = (),
    settings: Mapping[str, str | bool] | None = None,
    select: str | Iterable[str] | None = None,
    into: str | None = None,
    bad: Literal["fail", "skip", "keep"] = "fail",
    decimals: Literal["text"] | tuple[int, int] = "text",
    rest: Literal["column", "refuse", "drop"] = "column",
    nanoseconds: Literal["refuse", "truncate", "long"] = "refuse",
    duplicate_keys: Literal["error", "first", "last", "keep"] = "error",
    limits: Mapping[str, int] | None = None,
) -> DataFrame:
    """Puts the columns of messages in the place of a column that has one message in each cell.

    Args:
        df: A data frame.
        column: The name of its column of messages: `binary`, or `string` for formats of text.
        format: The name of the format.
        schema: The schema of the messages: a path, its text, or one that was inferred. Files are read here, and go to the executors.
            Without it, a first pass over the column infers one.
        type, include, settings, select, duplicate_keys, limits: As for `polywire.read`.
        into: The name of one struct column that gets all of them. Without it, each is a column of the data frame.
        bad: What becomes of a message that cannot be read: its error ends the job, its row is left out, or it is a row of nulls with the
            reason in the column `_error`.
        decimals: The form of decimal numbers: text, or the number of digits and of those after the point.
        rest: What becomes of fields that the schema has not: the column `_rest`, a bad message, or a loss.
        nanoseconds: What becomes of moments finer than Spark's microseconds: an error, a loss, or a number of nanoseconds since 1970.

    The order of the rows is kept. A cell that is null is a row of nulls.

    Raises:
        UsageError: There is no such column, it holds no bytes, or a name would come twice.
        Error: The schema cannot be read.
    """
    place = _place(df, column, (spark_types.BinaryType, spark_types.StringType), "bytes or text")
    if schema is None:
        schema = infer_schema(
            df, column, format, settings=settings, bad="fail" if bad == "fail" else "skip", duplicate_keys=duplicate_keys, limits=limits
        )
    reading, choices = _cells.asked(format, schema, type, include, settings, select, duplicate_keys, limits, decimals, rest)
    decoder = _cells.Decoder(reading, choices, bad, SparkFit(nanoseconds))
    made = struct(decoder.columns)
    if into is not None:
        made = spark_types.StructType([spark_types.StructField(into, made)])
    fields = list(df.schema.fields)
    fields[place : place + 1] = made.fields
    _once([field.name for field in fields], "into='name' puts the message's columns into a struct")

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        reader = decoder.reader()
        before = 0
        for batch in batches:
            cells = batch.column(place)
            try:
                for rows, good, start, end in decoder.rows(reader, cells, before):
                    part = batch.slice(start, end - start)
                    arrays = rows.columns
                    if into is not None:
                        mask = cells.slice(start, end - start).is_null()
                        arrays = [pa.StructArray.from_arrays(arrays, fields=list(decoder.columns), mask=mask)]
                    columns = [*part.columns[:place], *arrays, *part.columns[place + 1 :]]
                    names = [*part.schema.names[:place], *([into] if into else rows.schema.names), *part.schema.names[place + 1 :]]
                    out = pa.RecordBatch.from_arrays(columns, names=names)
                    yield out if good is None else out.filter(good)
            except Error as error:
                raise _cells.located(error, f"a row of partition {_partition()}, of which it is number {_row(error, before)}") from None
            before += batch.num_rows

    return df.mapInArrow(run, spark_types.StructType(fields))


def encode(
    df: DataFrame,
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
) -> DataFrame:
    """Writes rows as messages, one in each cell of a binary column.

    Args:
        df: A data frame.
        column: The name of a struct column whose fields make the message, or the names of columns that do; None for all columns.
        format: The name of the format.
        schema: The schema of the messages, for formats that take one; with it, all values come back as they were when `decode` read them.
        type, include, settings: As for `polywire.write`.
        into: The name of the new column, which comes in the place of the first one that makes the message. Without it, that of the struct
            column, or `value`.
        decimals: As for `decode`.
        lossy: Whether a row may lose what the format cannot keep. Without it, such a row is an error.

    A struct that is null is a cell that is null, and so is the row of a bad message, which has a reason in `_error`.

    Raises:
        UsageError: There is no such column, or the schema has not all of them.
    """
    one = column if isinstance(column, str) else None
    if one is not None:
        places = [_place(df, one, (spark_types.StructType,), "structs")]
        names = df.schema.fields[places[0]].dataType.names
    else:
        names = df.columns if column is None else list(column)
        places = [_place(df, name, (spark_types.DataType,), "values") for name in names]
    name = into or one or "value"
    reading, choices = _cells.asked(format, schema, type, include, settings, None, "error", None, decimals, "column")
    encoder = _cells.Encoder(reading, choices, lossy, SparkFit())
    encoder.check(names)
    fields = [field for index, field in enumerate(df.schema.fields) if index not in places]
    at = sum(index not in places for index in range(min(places, default=0)))
    fields.insert(at, spark_types.StructField(name, spark_types.BinaryType()))
    _once([field.name for field in fields], "into='name' is another name for the column of messages")
    kept = [index for index in range(len(df.schema.fields)) if index not in places]

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        writer = encoder.writer()
        before = 0
        for batch in batches:
            if one is not None:
                inner, arrays, back = _cells.structs(batch.column(places[0]))
            else:
                inner, arrays, back = names, [batch.column(index) for index in places], None
            try:
                cells = encoder.cells(writer, inner, arrays, before, batch.num_rows if one is None else None)
            except Error as error:
                raise _cells.located(error, f"a row of partition {_partition()}, of which it is number {_row(error, before)}") from None
            whole = pa.chunked_array(cells, pa.binary())
            if back is not None:
                whole = whole.take(back)
            start = 0
            for part in whole.chunks:
                columns = [batch.column(index).slice(start, len(part)) for index in kept]
                columns.insert(at, part)
                out = [batch.schema.names[index] for index in kept]
                out.insert(at, name)
                yield pa.RecordBatch.from_arrays(columns, names=out)
                start += len(part)
            before += batch.num_rows

    return df.mapInArrow(run, spark_types.StructType(fields))


def read(
    spark: SparkSession,
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
    nanoseconds: Literal["refuse", "truncate", "long"] = "refuse",
    duplicate_keys: Literal["error", "first", "last", "keep"] = "error",
    limits: Mapping[str, int] | None = None,
    piece: int = PIECE,
) -> DataFrame:
    """Reads files of messages, as many at once as there are cores.

    Files are split at the boundaries of messages. Where a line is a message, any place in a file will do; in other formats, each file
    is read once to find the boundaries, without looking into messages. Compressed files, documents of which `each` names the messages,
    and tables with a head are one piece each.

    Args:
        spark: The session.
        paths: Files, folders, or patterns such as `logs/*.jsonl`. All executors need to see them. An address such as `s3://…` is opened by
            Arrow's file systems.
        format: The name of the format. Without it, the start of the first file decides.
        schema: The schema of the messages. Without it, a first pass over all files infers one.
        type, include, settings, select, each, duplicate_keys, limits: As for `polywire.read`.
        bad, decimals, rest, nanoseconds: As for `decode`.
        piece: The bytes of a piece, about.

    The rows are in the order of the files, and in them in that of the messages.
    """
    files = _cells.listed(paths)
    format = _cells.format_of(files, format)
    reading, _ = _cells.asked(format, schema, type, include, settings, None, duplicate_keys, limits, "text", rest, each)
    found = _pieces(spark, files, reading, piece)
    if schema is None:
        schema = _inferred(spark, found, reading)
    reading, choices = _cells.asked(format, schema, type, include, settings, select, duplicate_keys, limits, decimals, rest, each)
    reader = _cells.FileReader(reading, choices, bad, SparkFit(nanoseconds))

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for number in _numbers(batches):
            path, start, end = found[number]
            try:
                yield from reader.rows(path, start, end)
            except Error as error:
                raise _cells.located(error, f"in {path}, in the piece from byte {start} on") from None

    return _numbered(spark, len(found)).mapInArrow(run, struct(reader.decoder.columns))


def infer_schema(
    df: DataFrame,
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
    _place(df, column, (spark_types.BinaryType, spark_types.StringType), "bytes or text")
    reading = _reading(format, None, None, (), settings, None, None, duplicate_keys, limits)
    skip = _cells.checked(bad) == "skip"

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        state = _polywire.Inference()
        before = 0
        for batch in batches:
            try:
                state.add(batch.column(0), reading, skip, before)
            except Error as error:
                raise _cells.located(error, f"a row of partition {_partition()}, of which it is number {_row(error, before)}") from None
            before += batch.num_rows
        yield _state(state)

    return _cells.finished(_merged(df.select(df[_quoted(column)]).mapInArrow(run, _STATE)), name)


def compare(
    df: DataFrame,
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
        df, column, format, schema, type, include, settings, duplicate_keys, limits: As for `decode`.
        formats: The names of the formats. Without it, all that can hold the messages.
        sample: The number of messages to measure, about.
        block: The number of neighbours that are measured, and compressed, together.
        confidence: The probability that an interval has the true mean.
        seed: The number that decides about the sample.
        count: The number of messages, if it is known; otherwise Spark counts the rows.
        time: The time of one measurement on the driver, in seconds.
    """
    _place(df, column, (spark_types.BinaryType, spark_types.StringType), "bytes or text")
    cells = df.select(df[_quoted(column)])
    total = cells.count() if count is None else count
    plan = _scale.Plan(format, formats, schema, type, include, settings, duplicate_keys, limits, sample, block, seed, total)

    def gather(work: Any) -> list[bytes]:
        def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            partition = _partition()
            for made in work((batch.column(0) for batch in batches), partition):
                yield pa.RecordBatch.from_arrays([pa.array([made], pa.binary())], names=["state"])

        return [bytes(row[0]) for row in cells.mapInArrow(run, _STATE).collect()]

    return _scale.compared(plan, gather, confidence, time)


_STATE = spark_types.StructType([spark_types.StructField("state", spark_types.BinaryType())])


def _state(state: _polywire.Inference) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays([pa.array([state.to_bytes()], pa.binary())], names=["state"])


def _merged(states: DataFrame) -> _polywire.Inference:
    """Merges states: those of many tasks in a few, and these here."""

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        some = _polywire.Inference()
        for batch in batches:
            for state in batch.column(0):
                some.merge(_polywire.Inference.from_bytes(state.as_py()))
        yield _state(some)

    all = _polywire.Inference()
    for row in states.repartition(8).mapInArrow(run, _STATE).collect():
        all.merge(_polywire.Inference.from_bytes(bytes(row[0])))
    return all


def _numbered(spark: SparkSession, count: int) -> DataFrame:
    """Returns a data frame of the numbers below `count`, each in a partition of its own."""
    return spark.range(0, count, 1, max(count, 1))


def _numbers(batches: Iterator[pa.RecordBatch]) -> Iterator[int]:
    for batch in batches:
        yield from batch.column(0).to_pylist()


def _pieces(spark: SparkSession, files: list[str], reading: dict[str, Any], size: int) -> list[tuple[str, int, int | None]]:
    """Splits files at the boundaries of messages, each file in a task."""
    reading = _cells.packed(reading)

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for number in _numbers(batches):
            try:
                found = _cells.pieces(files[number], reading, size)
            except Error as error:
                raise _cells.located(error, f"in {files[number]}") from None
            starts, ends = [start for start, _ in found], [end for _, end in found]
            columns = [pa.array([number] * len(found), pa.int64()), pa.array(starts, pa.int64()), pa.array(ends, pa.int64())]
            yield pa.RecordBatch.from_arrays(columns, names=["file", "start", "end"])

    rows = _numbered(spark, len(files)).mapInArrow(run, "file long, start long, end long").collect()
    return [(files[file], start, end) for file, start, end in sorted(rows, key=lambda row: (row[0], row[1]))]


def _inferred(spark: SparkSession, found: list[tuple[str, int, int | None]], reading: dict[str, Any]) -> Schema:
    reading = _cells.packed(reading)

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for number in _numbers(batches):
            path, start, end = found[number]
            try:
                yield _state(_cells.inferred_of(path, start, end, reading))
            except Error as error:
                raise _cells.located(error, f"in {path}, in the piece from byte {start} on") from None

    return _cells.finished(_merged(_numbered(spark, len(found)).mapInArrow(run, _STATE)), None)


def _place(df: DataFrame, column: str, types: tuple[type, ...], expected: str) -> int:
    """Returns the place of a column, which has to be of one of some types."""
    names = df.columns
    if names.count(column) != 1:
        seen = "no column" if column not in names else "several columns"
        raise _cells.usage(f"{seen} {column!r}", f"there are {', '.join(names)}")
    place = names.index(column)
    found = df.schema.fields[place].dataType
    if not isinstance(found, types):
        raise _cells.usage(f"the column {column!r} is of the type {found.simpleString()}", f"expected one of {expected}")
    return place


def _quoted(column: str) -> str:
    return "`" + column.replace("`", "``") + "`"


def _once(names: list[str], hint: str) -> None:
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise _cells.usage(f"the column {twice[0]!r} would come twice", hint)


def _partition() -> int:
    from pyspark import TaskContext

    context = TaskContext.get()
    return context.partitionId() if context is not None else 0


def _row(error: Error, before: int) -> int:
    return error.message if error.message is not None else before + 1


def struct(schema: pa.Schema) -> spark_types.StructType:
    """Returns Arrow's columns as Spark's."""
    return spark_types.StructType([_field(field) for field in schema])


def _field(field: pa.Field) -> spark_types.StructField:
    return spark_types.StructField(field.name, _type(field.type), True)


def _type(type: pa.DataType) -> spark_types.DataType:
    if pa.types.is_struct(type):
        inner = [type.field(index) for index in range(type.num_fields)]
        return spark_types.StructType([spark_types.StructField(field.name, _type(field.type), field.nullable) for field in inner])
    if pa.types.is_list(type):
        return spark_types.ArrayType(_type(type.value_type), type.value_field.nullable)
    if pa.types.is_map(type):
        return spark_types.MapType(_type(type.key_type), _type(type.item_type), type.item_field.nullable)
    if pa.types.is_decimal(type):
        return spark_types.DecimalType(type.precision, type.scale)
    if pa.types.is_timestamp(type):
        return spark_types.TimestampType()
    return _SPARK[type]()


_SPARK = {
    pa.null(): spark_types.NullType,
    pa.bool_(): spark_types.BooleanType,
    pa.int8(): spark_types.ByteType,
    pa.int16(): spark_types.ShortType,
    pa.int32(): spark_types.IntegerType,
    pa.int64(): spark_types.LongType,
    pa.float32(): spark_types.FloatType,
    pa.float64(): spark_types.DoubleType,
    pa.string(): spark_types.StringType,
    pa.binary(): spark_types.BinaryType,
}
