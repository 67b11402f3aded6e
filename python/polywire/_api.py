"""The functions of the module. They gather their arguments for Rust."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from os import PathLike
from typing import Any, BinaryIO, Literal, Union

from polywire import _polywire
from polywire._polywire import Messages, Schema
from polywire._results import Comparison, Inspection, Verdict

Source = Union[str, PathLike, bytes, bytearray, memoryview, BinaryIO]
"""An input: a path, bytes, or a file object in binary mode."""
SchemaSource = Union[str, PathLike, bytes, Schema]
"""A schema: a path, its text, or one that was inferred. A `str` with a line break or a brace is text."""


def read(
    source: Source,
    format: str | None = None,
    *,
    schema: SchemaSource | None = None,
    type: str | None = None,
    include: Iterable[str | PathLike] = (),
    settings: Mapping[str, str | bool] | None = None,
    select: str | Iterable[str] | None = None,
    each: str | None = None,
    duplicate_keys: Literal["error", "first", "last", "keep"] = "error",
    limits: Mapping[str, int] | None = None,
    bad: Literal["fail", "skip", "keep"] = "fail",
    progress: Callable[[int], object] | None = None,
) -> Messages:
    """Opens an input, and returns its messages: an iterator of Python objects.

    >>> import polywire
    >>> for message in polywire.read(b'{"id": 1}\\n{"id": 2}\\n', "jsonl"):
    ...     print(message)
    {'id': 1}
    {'id': 2}

    Libraries of data frames take the result as columns, by `__arrow_c_stream__`: `polars.DataFrame(polywire.read(path))`.

    The input is read as its messages are asked for, and is never in memory as a whole. Compression by gzip, zstd, bzip2, xz and
    lz4 is taken off.

    Args:
        source: A path, bytes, or a file object in binary mode.
        format: The name of the format. Without it, the first bytes and the file extension decide.
        schema: A schema for formats that take one, such as a `.proto` file: a path, its text, or one that was inferred.
        type: The message type in the schema.
        include: Folders of files that the schema imports.
        settings: Settings of the format by name, such as `{"separator": ";"}`. A switch is `True`.
        select: Paths of the values that are wanted, such as `"body.from"`. The rest is stepped over, and not checked.
        each: The path of the values that are the messages, such as the elements of one long list. `"."` is the document.
        duplicate_keys: What becomes of a key that comes twice: an error, one of the values, or both as `Pairs`.
        limits: Bounds on one message: `depth`, `items`, `decoded` (bytes) and `digits`.
        bad: What becomes of a message that cannot be read: its error is raised, it is passed over, or its error comes in its place.
        progress: A function that is called with the number of bytes read, from time to time.

    Raises:
        Error: The input cannot be read, or a message cannot be read. Reading may then go on where the format's framing gives the
            place of the next message, as in JSON Lines.
    """
    reading = _reading(format, schema, type, include, settings, select, each, duplicate_keys, limits)
    return _polywire.read(source, reading, bad, progress)


def write(
    data: Iterable[Any],
    destination: str | PathLike | BinaryIO,
    format: str | None = None,
    *,
    schema: SchemaSource | None = None,
    type: str | None = None,
    include: Iterable[str | PathLike] = (),
    settings: Mapping[str, str | bool] | None = None,
    losses: list[dict[str, Any]] | None = None,
) -> int:
    """Writes messages one after the other, and returns their number.

    >>> import io, polywire
    >>> file = io.BytesIO()
    >>> polywire.write([{"id": 1}, {"id": 2}], file, "msgpack")
    2
    >>> file.getvalue()
    b'\\x81\\xa2id\\x01\\x81\\xa2id\\x02'

    Messages of `read` are converted as they are: no objects are made of them.

    Args:
        data: Objects; what `read` returned; or columns: an object with `__arrow_c_stream__`, such as a data frame.
        destination: A path, or a file object in binary mode. A file that is there is replaced.
        format: The name of the format. Without it, the file extension decides.
        schema, type, include, settings: As for `read`.
        losses: A list that gets what the format cannot keep. Without it, a loss is an error.

    Raises:
        LossError: The format cannot keep a message whole. Messages before it are written.
        Error: A message cannot be written.
    """
    count, lost = _polywire.write(data, destination, _spoken(format, schema, type, include, settings), losses is not None)
    _add(losses, lost)
    return count


def decode(
    data: bytes | bytearray | memoryview,
    format: str | None = None,
    schema: SchemaSource | None = None,
    *,
    type: str | None = None,
    include: Iterable[str | PathLike] = (),
    settings: Mapping[str, str | bool] | None = None,
    select: str | Iterable[str] | None = None,
    duplicate_keys: Literal["error", "first", "last", "keep"] = "error",
    limits: Mapping[str, int] | None = None,
) -> Any:
    """Reads the one message of `data`.

    >>> import polywire
    >>> order = 'syntax = "proto3"; message Order { int32 id = 1; repeated string tags = 2; }'
    >>> polywire.decode(b"\\x08\\x07\\x12\\x01a", "protobuf", order)
    {'id': 7, 'tags': ['a']}

    Arguments are those of `read`.

    Raises:
        Error: `data` is not exactly one message of the format.
    """
    return _polywire.decode(data, _reading(format, schema, type, include, settings, select, None, duplicate_keys, limits))


def encode(
    value: Any,
    format: str,
    schema: SchemaSource | None = None,
    *,
    type: str | None = None,
    include: Iterable[str | PathLike] = (),
    settings: Mapping[str, str | bool] | None = None,
    losses: list[dict[str, Any]] | None = None,
) -> bytes:
    """Writes an object as one message.

    >>> import polywire
    >>> from decimal import Decimal
    >>> polywire.encode({"id": 2**70, "price": Decimal("1.50")}, "json")
    b'{"id":1180591620717411303424,"price":1.50}'

    Arguments are those of `write`.

    Raises:
        LossError: The format cannot keep the object whole: JSON has no bytes and no tuples, for instance.
        Error: The object is of a class that is no value, or does not fit the schema.
    """
    data, lost = _polywire.encode(value, _spoken(format, schema, type, include, settings), losses is not None)
    _add(losses, lost)
    return data


def convert(
    source: Source,
    from_format: str | None,
    to_format: str,
    *,
    schema: SchemaSource | None = None,
    type: str | None = None,
    include: Iterable[str | PathLike] = (),
    settings: Mapping[str, str | bool] | None = None,
    to_schema: SchemaSource | None = None,
    to_type: str | None = None,
    to_settings: Mapping[str, str | bool] | None = None,
    select: str | Iterable[str] | None = None,
    each: str | None = None,
    duplicate_keys: Literal["error", "first", "last", "keep"] = "error",
    limits: Mapping[str, int] | None = None,
    losses: list[dict[str, Any]] | None = None,
    threads: int = 1,
    progress: Callable[[int], object] | None = None,
) -> bytes:
    """Converts all messages of an input to another format, and returns the bytes.

    >>> import polywire
    >>> polywire.convert(b"id,name\\n7,Ada\\n", "csv", "jsonl")
    b'{"id":7,"name":"Ada"}\\n'
    >>> losses = []
    >>> polywire.convert(b"\\x81\\xa3key\\xc4\\x02\\x01\\x02", "msgpack", "json", losses=losses)
    b'{"key":"AQI="}\\n'
    >>> losses[0]["path"], losses[0]["what"]
    ('key', 'bytes became base64 text')

    Args:
        source, schema, type, include, settings, select, each, duplicate_keys, limits, progress: As for `read`. The schema serves
            both formats, unless the target has one of its own.
        from_format: The name of the format that is read, or None for the one that the first bytes show.
        to_format: The name of the format that is written.
        to_schema, to_type, to_settings: The same for the target.
        losses: A list that gets what the target cannot keep. Without it, a loss is an error.
        threads: The number of threads, for formats whose messages can be found without reading them, such as JSON Lines.

    Raises:
        LossError: The target cannot keep a message whole.
        Error: A message cannot be read or written.
    """
    reading = _reading(from_format, schema, type, include, settings, select, each, duplicate_keys, limits)
    spoken = _spoken(to_format, to_schema, to_type, include, to_settings)
    data, _, lost = _polywire.convert(source, reading, spoken, losses is not None, threads, None, progress)
    _add(losses, lost)
    return data


def compare(
    source: Source,
    format: str | None = None,
    *,
    formats: Iterable[str] | None = None,
    schema: SchemaSource | None = None,
    type: str | None = None,
    include: Iterable[str | PathLike] = (),
    settings: Mapping[str, str | bool] | None = None,
    each: str | None = None,
    whole: bool = False,
    duplicate_keys: Literal["error", "first", "last", "keep"] = "error",
    limits: Mapping[str, int] | None = None,
    time: float | None = None,
    runs: int = 1,
    sort: str | None = None,
    purpose: str | None = None,
    progress: Callable[[str, str, int, int], object] | None = None,
) -> Comparison:
    """Measures what the messages of an input cost in every format. A notebook shows the result with charts.

    >>> import polywire
    >>> lines = b'{"id": 7, "name": "lamp"}\\n' * 100
    >>> compared = polywire.compare(lines, "jsonl", formats=["json", "msgpack"], time=0.001)
    >>> [(row["format"], row["sizes"]["raw"]) for row in compared.rows]
    [('msgpack', 15.0), ('json', 22.0)]

    Args:
        source, format, schema, type, include, settings, each, duplicate_keys, limits: As for `read`.
        formats: The names of the formats. Without it, all that can hold the messages.
        whole: Takes a document that is one list for one message. Without it, its entries are the messages.
        time: The time of one measurement, in seconds.
        runs: The number of runs, whose medians show how well times repeat.
        sort: The column that orders the rows, such as `bytes`, `zstd` or `decode`.
        purpose: The purpose that a recommendation is for: `archive`, `rpc`, `browser` or `log`.
        progress: A function that is called with the stage, the format, and how many of how many steps are done.
    """
    reading = _reading(format, schema, type, include, settings, None, each, duplicate_keys, limits)
    names = None if formats is None else list(formats)
    return Comparison(*_polywire.compare(source, reading, names, time, runs, sort, purpose, whole, progress))


def infer_schema(
    source: Source,
    format: str | None = None,
    *,
    name: str | None = None,
    settings: Mapping[str, str | bool] | None = None,
    each: str | None = None,
    duplicate_keys: Literal["error", "first", "last", "keep"] = "error",
    limits: Mapping[str, int] | None = None,
    threads: int = 1,
    progress: Callable[[int], object] | None = None,
) -> Schema:
    """Finds the schema of the messages of an input. It accepts each of them.

    >>> import polywire
    >>> schema = polywire.infer_schema(b'{"id": 1, "name": "Ada"}\\n{"id": 2}\\n', "jsonl", name="person")
    >>> polywire.encode({"id": 3}, "protobuf", schema)
    b'\\x08\\x03'

    `str` gives a listing for people, and `schema.text("proto")` the schema in a language.
    """
    reading = _reading(format, None, None, (), settings, None, each, duplicate_keys, limits)
    return _polywire.infer_schema(source, reading, name, threads, progress)


def check(
    old: SchemaSource,
    new: SchemaSource,
    language: str | None = None,
    *,
    direction: Literal["backward", "forward"] | None = None,
    type: str | None = None,
    include: Iterable[str | PathLike] = (),
    strict: bool = False,
) -> Verdict:
    """Compares two versions of a schema: is each able to read the messages of the other?

    >>> import polywire
    >>> old = 'syntax = "proto3"; message Order { int32 id = 1; string note = 2; }'
    >>> new = 'syntax = "proto3"; message Order { int32 id = 1; int32 note = 2; }'
    >>> bool(polywire.check(old, new, "proto"))
    False

    Args:
        old, new: The versions: paths, or texts.
        language: The name of the schema's language. Without it, the file extension decides.
        direction: `backward` (new readers, old messages) or `forward`. Without it, both have to hold.
        type: The message type to check. Without it, all types.
        include: Folders of files that the schema imports.
        strict: Whether a changed name or default breaks compatibility as well.
    """
    return Verdict(*_polywire.check(old, new, language, direction, type, list(include), strict))


def inspect(
    source: Source,
    format: str | None = None,
    *,
    schema: SchemaSource | None = None,
    type: str | None = None,
    include: Iterable[str | PathLike] = (),
    settings: Mapping[str, str | bool] | None = None,
    each: str | None = None,
    limits: Mapping[str, int] | None = None,
    depth: int = 0,
    width: int = 100,
    full: bool = False,
    progress: Callable[[int], object] | None = None,
) -> Inspection:
    """Explains the bytes of an input, which is read as a whole.

    >>> import polywire
    >>> rows = polywire.inspect(b"\\x81\\xa2id\\x07", "msgpack").rows
    >>> [(row["start"], row["kind"], row["value"]) for row in rows if row["what"] in ("open", "field", "value")]
    [(0, 'map', 'of 1'), (1, 'field', 'id'), (4, 'integer', '7')]

    Broken input is no error: the rows go as far as it makes sense, and `error` has the reason.

    Args:
        source, format, schema, type, include, settings, each, limits, progress: As for `read`.
        depth: The number of payloads within values that are opened.
        width: The number of columns of the text.
        full: Whether long values are shown whole.
    """
    reading = _reading(format, schema, type, include, settings, None, each, "error", limits)
    return Inspection(*_polywire.inspect(source, reading, depth, width, full, progress))


def formats() -> list[dict[str, Any]]:
    """Returns the formats, each with its name, title, file extensions and media types.

    >>> import polywire
    >>> "msgpack" in [format["name"] for format in polywire.formats()]
    True
    """
    return _polywire.formats()


def _spoken(format, schema, type, include, settings) -> dict[str, Any]:
    return {
        "format": format,
        "schema": schema,
        "type": type,
        "include": list(include),
        "settings": None if settings is None else dict(settings),
    }


def _reading(format, schema, type, include, settings, select, each, duplicate_keys, limits) -> dict[str, Any]:
    return {
        **_spoken(format, schema, type, include, settings),
        "select": select if select is None or isinstance(select, str) else list(select),
        "each": each,
        "duplicate_keys": duplicate_keys,
        "limits": None if limits is None else list(dict(limits).items()),
    }


def _add(losses: list[dict[str, Any]] | None, lost: str) -> None:
    if losses is not None:
        import json

        losses.extend(json.loads(lost))
