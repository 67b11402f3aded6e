"""What Spark and Ray share: messages in the cells of a column, schemas that other machines get, pieces of files."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from polywire import _polywire
from polywire._api import _reading, _spoken
from polywire._errors import DataError, Error, UsageError

ERROR = "_error"
"The column of the reasons of bad messages."
BAD = ("fail", "skip", "keep")
"What may become of a bad message."
BLOCK = 1 << 20
"Bytes that are read from a file at a time."


class Files:
    """The files of a schema, which other machines do not have."""

    def __init__(self, path: str, include: list[str], files: list[tuple[str, bytes]]) -> None:
        self.path, self.include, self.files = path, include, files

    def written(self) -> tuple[str, list[str]]:
        """Writes the files to a folder of this process, and returns the path and the include folders there."""
        import hashlib

        key = hashlib.sha256(repr((self.path, self.files)).encode()).hexdigest()[:16]
        folder = _folders.get(key)
        if folder is None:
            import atexit
            import shutil
            import tempfile

            folder = tempfile.mkdtemp(prefix="polywire-")
            atexit.register(shutil.rmtree, folder, True)
            for path, data in self.files:
                place = _below(folder, path)
                os.makedirs(os.path.dirname(place), exist_ok=True)
                with open(place, "wb") as file:
                    file.write(data)
            _folders[key] = folder
        return _below(folder, self.path), [_below(folder, name) for name in self.include]


_folders: dict[str, str] = {}


def _below(folder: str, path: str) -> str:
    return os.path.join(folder, os.path.splitdrive(os.path.abspath(path))[1].lstrip("/\\"))


def is_path(schema: Any) -> bool:
    """Reports whether a schema is a path, and not text or an inferred one."""
    if isinstance(schema, str):
        return "\n" not in schema and "{" not in schema
    return isinstance(schema, os.PathLike)


def packed(spoken: dict[str, Any]) -> dict[str, Any]:
    """Returns what explains a format, ready for other machines: the files of its schema come with it."""
    if not is_path(spoken["schema"]):
        return spoken
    path = os.path.abspath(os.fspath(spoken["schema"]))
    include = [os.path.abspath(os.fspath(folder)) for folder in spoken["include"]]
    files = _polywire.schema_files({**spoken, "schema": path, "include": include})
    return {**spoken, "schema": Files(path, include, files), "include": []}


def unpacked(spoken: dict[str, Any]) -> dict[str, Any]:
    """Returns what `packed` was given, on another machine."""
    schema = spoken["schema"]
    if not isinstance(schema, Files):
        return spoken
    path, include = schema.written()
    return {**spoken, "schema": path, "include": include}


def checked(bad: str) -> str:
    if bad not in BAD:
        raise UsageError(f"bad={bad!r}; expected fail, skip or keep", kind="usage", fault="caller")
    return bad


def usage(text: str, hint: str | None = None) -> UsageError:
    return UsageError(f"{text}; {hint}" if hint else text, kind="usage", fault="caller", hint=hint)


class Fit:
    """The types of an engine's columns, where they are others than Arrow's."""

    name = "Arrow"

    def type(self, type: pa.DataType) -> pa.DataType:
        """Returns the type that stands for another one, at any depth."""
        if isinstance(type, pa.BaseExtensionType):
            return self.type(type.storage_type)
        if pa.types.is_struct(type):
            return pa.struct([self.field(type.field(index)) for index in range(type.num_fields)])
        if pa.types.is_list(type) or pa.types.is_large_list(type):
            return pa.list_(self.field(type.value_field))
        if pa.types.is_map(type):
            return pa.map_(self.type(type.key_type), self.field(type.item_field))
        return self.plain(type)

    def plain(self, type: pa.DataType) -> pa.DataType:
        """Returns the type that stands for one without children."""
        return type

    def field(self, field: pa.Field) -> pa.Field:
        return pa.field(field.name, self.type(field.type), field.nullable)

    def schema(self, schema: pa.Schema) -> pa.Schema:
        """Returns the columns of an engine for those of Arrow."""
        return pa.schema([self.field(field) for field in schema])

    def array(self, array: pa.Array, type: pa.DataType, name: str) -> pa.Array:
        """Returns an array as the type that stands for its own."""
        try:
            return cast(array, type)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
            raise DataError(
                f"a value of the column {name!r} does not fit {self.name}'s type {type}: {error}{self.advice(array.type)}",
                kind="range",
                fault="data",
                path=name,
            ) from None

    def advice(self, type: pa.DataType) -> str:
        return ""


def cast(array: pa.Array, type: pa.DataType) -> pa.Array:
    """Casts an array, at any depth. No value changes."""
    if array.type == type:
        return array
    if isinstance(array.type, pa.BaseExtensionType):
        return cast(array.storage, type)
    if pa.types.is_struct(type) and pa.types.is_struct(array.type):
        if [field.name for field in array.type] != [field.name for field in type]:
            raise pa.ArrowInvalid(f"the fields {[field.name for field in array.type]} are not {[field.name for field in type]}")
        # `flatten` would put the nulls of the struct into the children; those keep their own.
        parts = [cast(array.field(index), type.field(index).type) for index in range(type.num_fields)]
        mask = array.is_null() if array.null_count else None
        if not parts:
            return array.cast(type)
        return pa.StructArray.from_arrays(parts, fields=list(type), mask=mask)
    if pa.types.is_map(type) and pa.types.is_map(array.type):
        whole = array.offset == 0 and len(array.offsets) == len(array) + 1
        if not whole:
            array = pa.concat_arrays([array])
        keys, items = cast(array.keys, type.key_type), cast(array.items, type.item_type)
        return pa.MapArray.from_arrays(_offsets(array), keys, items, type)
    if pa.types.is_list(type) and (pa.types.is_list(array.type) or pa.types.is_large_list(array.type)):
        if pa.types.is_large_list(array.type):
            array = array.cast(pa.list_(array.type.value_field))
        return pa.ListArray.from_arrays(_offsets(array), cast(array.values, type.value_type), type)
    if pa.types.is_dictionary(array.type):
        return cast(array.dictionary_decode(), type)
    return array.cast(type, safe=True)


def _offsets(array: pa.Array) -> pa.Array:
    """Returns the offsets of lists, null where a list is null."""
    if not array.null_count:
        return array.offsets
    nulls = pa.concat_arrays([array.is_null(), pa.array([False])])
    return pc.if_else(nulls, pa.scalar(None, array.offsets.type), array.offsets)


class Decoder:
    """Makes rows of cells, on any machine: it is pickled before it is used."""

    def __init__(self, reading: dict[str, Any], choices: dict[str, Any], bad: str, fit: Fit, cells: bool = True) -> None:
        self.reading, self.choices = packed(reading), packed({**_spoken(None, None, None, (), None), **choices, "format": reading["format"]})
        self.bad, self.fit = checked(bad), fit
        if cells:
            # What is wrong with the format is told here, and not by a task.
            self.reader()
        own = pa.schema(_polywire.columns_of(unpacked(self.reading), unpacked(self.choices)))
        self.has_error = bad == "keep"
        if not self.has_error:
            # The last column has the reasons.
            own = own.remove(len(own) - 1)
        self.columns = fit.schema(own)
        "The columns of the engine."
        self.error = len(self.columns) - (1 if self.has_error else 0)

    def reader(self) -> _polywire.CellReader:
        return _polywire.CellReader(unpacked(self.reading), unpacked(self.choices), self.bad == "fail")

    def rows(self, reader: _polywire.CellReader, cells: pa.Array, before: int) -> Iterator[tuple[pa.RecordBatch, pa.Array | None, int, int]]:
        """Yields batches of rows, which of them are good if some are not, and the bounds of their cells."""
        at = 0
        for batch in pa.RecordBatchReader.from_stream(reader.read(cells, before)):
            end = at + batch.num_rows
            wrong = batch.column(batch.num_columns - 1)
            good = wrong.is_null() if self.bad == "skip" and wrong.null_count < len(wrong) else None
            arrays = [self.fit.array(batch.column(index), field.type, field.name) for index, field in enumerate(self.columns)]
            yield pa.RecordBatch.from_arrays(arrays, schema=self.columns), good, at, end
            at = end


def column_of(batch: pa.RecordBatch, index: int) -> pa.Array:
    array = batch.column(index)
    return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array


class Encoder:
    """Makes cells of rows, on any machine."""

    def __init__(self, reading: dict[str, Any], choices: dict[str, Any], lossy: bool, fit: Fit) -> None:
        self.spoken, self.lossy, self.fit = packed(reading), lossy, fit
        self.wanted: pa.Schema | None = None
        if choices["schema"] is not None:
            self.wanted = pa.schema(_polywire.columns_of(reading, choices))

    def rows(self, names: list[str], arrays: list[pa.Array], count: int) -> pa.Table:
        """Returns columns as those that the schema has: the engine may have other types."""
        if self.wanted is None:
            return pa.Table.from_arrays(arrays, names=names)
        fields, columns = [], []
        for field in self.wanted:
            if field.name in names:
                target = wire(field.type)
                columns.append(self.fit.array(arrays[names.index(field.name)], target, field.name))
            elif field.name in ("_rest", ERROR):
                continue
            else:
                target = wire(field.type)
                columns.append(pa.nulls(count, target))
            fields.append(pa.field(field.name, target, True))
        return pa.Table.from_arrays(columns, schema=pa.schema(fields, metadata=self.wanted.metadata))

    def check(self, names: list[str]) -> None:
        """Fails if a column is none of the schema's."""
        if self.wanted is not None:
            known = {field.name for field in self.wanted}
            strange = [name for name in names if name not in known]
            if strange:
                raise usage(f"the column {strange[0]!r}, which the schema has not; it has {', '.join(sorted(known))}")

    def writer(self) -> _polywire.CellWriter:
        return _polywire.CellWriter(unpacked(self.spoken), self.lossy)

    def cells(self, writer: _polywire.CellWriter, names: list[str], arrays: list[pa.Array], before: int, count: int | None) -> list[pa.Array]:
        """Returns arrays of cells, one for each row, and null where the row has no message."""
        rows = self.rows(names, arrays, len(arrays[0]) if arrays else count or 0)
        return [batch.column(0) for batch in pa.RecordBatchReader.from_stream(writer.write(rows, before))]


def wire(type: pa.DataType) -> pa.DataType:
    """Returns the type that columns have to have on their way to messages: names may be texts."""
    if pa.types.is_dictionary(type):
        return wire(type.value_type)
    return _Wire().type(type)


class _Wire(Fit):
    def field(self, field: pa.Field) -> pa.Field:
        return pa.field(field.name, self.type(field.type), True)

    def plain(self, type: pa.DataType) -> pa.DataType:
        return type.value_type if pa.types.is_dictionary(type) else type


def truncated(array: pa.Array) -> pa.Array:
    """Cuts moments at the top of a column to microseconds."""
    if pa.types.is_timestamp(array.type) and array.type.unit == "ns":
        return pc.floor_temporal(array, unit="microsecond").cast(pa.timestamp("us", array.type.tz))
    return array


def structs(array: pa.Array) -> tuple[list[str], list[pa.Array], pa.Array | None]:
    """Returns the fields of structs that are no null, and the place of each row among them if some are."""
    places = None
    if array.null_count:
        valid = array.is_valid()
        places = pc.if_else(valid, pc.subtract(pc.cumulative_sum(valid.cast(pa.int64())), 1), pa.scalar(None, pa.int64()))
        array = array.filter(valid)
    return [field.name for field in array.type], array.flatten(), places


def located(error: Error, where: str) -> Error:
    """Returns an error that says where its message is."""
    facts = {name: getattr(error, name) for name in error.__reduce__()[1][1]}
    return Error.of(f"{error} ({where})", facts)


# Pieces of files.

MAGIC = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd", b"BZh": "bzip2", b"\xfd7zXZ\0": "xz", b"\x04\x22\x4d\x18": "lz4"}


def opened(path: str) -> Any:
    """Opens a file for reading: a path, or an address that Arrow's file systems know, such as s3://…."""
    if "://" in path:
        from pyarrow import fs

        system, name = fs.FileSystem.from_uri(path)
        return system.open_input_file(name)
    return open(path, "rb")


def listed(paths: str | os.PathLike | Iterable[str | os.PathLike]) -> list[str]:
    """Returns the files that paths name: files, folders, or patterns such as `logs/*.jsonl`."""
    import glob

    given = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    found: list[str] = []
    for path in map(os.fspath, given):
        if "://" in path:
            found += _remote(path)
        elif os.path.isdir(path):
            inside = (os.path.join(folder, name) for folder, _, names in os.walk(path) for name in names if not name.startswith((".", "_")))
            found += sorted(os.path.abspath(name) for name in inside)
        elif os.path.exists(path):
            found.append(os.path.abspath(path))
        else:
            names = sorted(glob.glob(path, recursive=True))
            if not names:
                raise FileNotFoundError(2, "No such file or directory", path)
            found += [os.path.abspath(name) for name in names]
    return found


def _remote(path: str) -> list[str]:
    from pyarrow import fs

    system, name = fs.FileSystem.from_uri(path)
    info = system.get_file_info(name)
    if info.type == fs.FileType.NotFound:
        raise FileNotFoundError(2, "No such file or directory", path)
    if info.type == fs.FileType.File:
        return [path]
    start = path[: len(path) - len(name)] if path.endswith(name) else f"{path.split('://')[0]}://"
    inside = system.get_file_info(fs.FileSelector(name, recursive=True))
    return sorted(start + one.path for one in inside if one.type == fs.FileType.File and not one.base_name.startswith((".", "_")))


class Piece(io.RawIOBase):
    """The part of a file from `start` to `end`. With `lines`, it has the lines that begin there."""

    def __init__(self, file: Any, start: int, end: int | None, lines: bool) -> None:
        self.file, self.at, self.end, self.lines = file, start, end, lines
        self.held = b""
        self.over = False
        if lines and start > 0:
            file.seek(start - 1)
            self.at = start - 1
            self._skip()
        else:
            file.seek(start)

    def _skip(self) -> None:
        while True:
            data = self.file.read(BLOCK)
            if not data:
                self.over = True
                return
            found = data.find(b"\n")
            self.at += len(data) if found < 0 else found + 1
            if found >= 0:
                self.held = data[found + 1 :]
                break
            if self.end is not None and self.at > self.end:
                break
        self.over = self.end is not None and self.at >= self.end

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        if self.over:
            return b""
        wanted = BLOCK if size < 0 else max(size, 1)
        if not self.lines and self.end is not None:
            wanted = min(wanted, self.end - self.at)
        data = self.held or self.file.read(wanted) if wanted else b""
        self.held = b""
        if len(data) > wanted:
            data, self.held = data[:wanted], data[wanted:]
        before, self.at = self.at, self.at + len(data)
        if not data:
            self.over = True
        elif self.lines and self.end is not None and self.at >= self.end:
            # The last line is the one that has the last byte before the end.
            found = data.find(b"\n", max(self.end - 1 - before, 0))
            if found >= 0:
                self.over = True
                data = data[: found + 1]
        elif self.end is not None and self.at >= self.end:
            self.over = True
        return bytes(data)

    def close(self) -> None:
        self.file.close()
        super().close()


def pieces(path: str, reading: dict[str, Any], size: int) -> list[tuple[int, int | None]]:
    """Returns the pieces of a file: by size alone where lines are messages, else by one pass over the messages."""
    with opened(path) as file:
        head = file.read(8)
        file.seek(0, 2)
        length = file.tell()
        file.seek(0)
        cuts = _polywire.cuts(reading["format"])
        if length == 0:
            return []
        if any(head.startswith(magic) for magic in MAGIC) or cuts == "whole" or reading["each"] is not None or length <= size:
            return [(0, None)]
        if cuts == "lines":
            return [(start, min(start + size, length)) for start in range(0, length, size)]
        _, found = _polywire.split(file, unpacked(reading), size)
        return [(start, end) for start, end, _ in found]


class FileReader:
    """Makes rows of a piece of a file, on any machine."""

    def __init__(self, reading: dict[str, Any], choices: dict[str, Any], bad: str, fit: Fit) -> None:
        self.decoder = Decoder(reading, choices, bad, fit, cells=False)

    def rows(self, path: str, start: int, end: int | None) -> Iterator[pa.RecordBatch]:
        """Yields the rows of a piece."""
        decoder = self.decoder
        reading, choices = unpacked(decoder.reading), unpacked(decoder.choices)
        lines = end is not None and _polywire.cuts(reading["format"]) == "lines"
        with Piece(opened(path), start, end, lines) as piece:
            keep = {name: value for name, value in choices.items() if name not in ("format", "settings")}
            keep.setdefault("threads", 1)
            messages = _polywire.read(piece, reading, decoder.bad)
            batches = pa.RecordBatchReader.from_stream(messages.columns(**keep))
            while (batch := _next(batches)) is not None:
                arrays = [decoder.fit.array(batch.column(index), field.type, field.name) for index, field in enumerate(decoder.columns)]
                yield pa.RecordBatch.from_arrays(arrays, schema=decoder.columns)


def _next(batches: pa.RecordBatchReader) -> pa.RecordBatch | None:
    """Returns the next batch. Errors come through Arrow, which keeps their text alone."""
    try:
        return batches.read_next_batch()
    except StopIteration:
        return None
    except pa.ArrowException as error:
        raise DataError(str(error).removeprefix("External error: "), fault="data") from None


def inferred_of(path: str, start: int, end: int | None, reading: dict[str, Any]) -> _polywire.Inference:
    """Returns what a piece of a file shows about its schema."""
    reading = unpacked(reading)
    lines = end is not None and _polywire.cuts(reading["format"]) == "lines"
    state = _polywire.Inference()
    with Piece(opened(path), start, end, lines) as piece:
        state.read(piece, reading)
    return state


def finished(state: _polywire.Inference, name: str | None) -> _polywire.Schema:
    """Returns the schema of the samples so far."""
    if state.samples == 0:
        raise usage("no message that a schema could be inferred from", "give a schema")
    return state.finish(name)


def format_of(paths: list[str], format: str | None) -> str:
    """Returns the format of files: the one that is named, or the one that the first file shows."""
    if format is not None:
        return format
    if not paths:
        raise usage("no files", "name the format, or files")
    path = paths[0]
    if "://" not in path:
        return _polywire.read(path, _reading(None, None, None, (), None, None, None, "error", None)).format
    with opened(path) as file:
        return _polywire.read(file, _reading(None, None, None, (), None, None, None, "error", None)).format


def asked(
    format: str | None,
    schema: Any,
    type: str | None,
    include: Iterable[Any],
    settings: Any,
    select: Any,
    duplicate_keys: str,
    limits: Any,
    decimals: Any,
    rest: str,
    each: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Returns how messages are read, and the choices about their columns. A schema that the format does not take is the columns' alone."""
    reading = _reading(format, schema, type, include, settings, select, each, duplicate_keys, limits)
    if schema is not None and not _polywire.takes_schema({**reading, "include": list(reading["include"])}):
        reading = {**reading, "schema": None, "type": None, "include": []}
    fixed = None if decimals == "text" else decimals
    choices = {"schema": schema, "type": type, "include": list(include), "sums": None, "decimals": fixed, "rest": rest, "rows": None}
    return reading, choices
