"""The part of polywire that is made of Rust. `polywire` has the functions for users."""

from collections.abc import Callable, Iterator
from typing import Any, Literal

__version__: str

class Messages(Iterator[Any]):
    """The messages of an input, one after the other, as Python objects. `polywire.read` makes them."""

    @property
    def format(self) -> str:
        """The name of the format."""
    @property
    def count(self) -> int:
        """The number of messages so far."""
    @property
    def bad(self) -> int:
        """The number of messages so far that could not be read."""
    @property
    def offset(self) -> int:
        """The offset of the next message, in bytes."""
    def close(self) -> None:
        """Closes the input."""
    def __enter__(self) -> Messages: ...
    def __exit__(self, *raised: object) -> None: ...
    def __iter__(self) -> Messages: ...
    def __next__(self) -> Any: ...
    def columns(
        self,
        schema: Any = None,
        *,
        type: str | None = None,
        include: list[Any] | None = None,
        sums: Literal["structs", "union"] | None = None,
        decimals: Literal["text"] | tuple[int, int] | None = None,
        rest: Literal["column", "refuse", "drop"] | None = None,
        rows: int | None = None,
        threads: int | None = None,
    ) -> Columns:
        """Returns the messages as columns, which libraries of data frames take. None may have been read yet.

        Args:
            schema: The schema of the messages: a path, its text, or one that was inferred. Without it, that of `read`, or the
                one that the first 8 MiB show.
            type, include: As for `read`.
            sums: The form of sum types: a struct with the case's name and a field for each case, or Arrow's dense union.
            decimals: The form of decimal numbers: text, or the number of digits and of those after the point.
            rest: What becomes of fields that the schema has not: the column `_rest`, a bad message, or a loss.
            rows: The most rows of a batch.
            threads: The number of threads. Without it, all processors.
        """
    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Hands the messages as columns to a library that takes Arrow's streams."""

class Columns:
    """The messages of an input as columns, which libraries of data frames take. They are read once."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Hands the batches to a library that takes Arrow's streams."""
    def __arrow_c_schema__(self) -> Any:
        """Returns the schema for libraries that take Arrow's."""

class Schema:
    """A schema in the terms that all languages share. `polywire.infer_schema` makes one. `str` gives a listing for people."""

    @staticmethod
    def from_mapping(mapping: str) -> Schema: ...
    def text(self, language: str = "listing", losses: list[str] | None = None) -> str:
        """Returns the schema as text of a language, such as `proto`. A list gets what the language cannot express."""
    def __arrow_c_schema__(self) -> Any:
        """Returns the columns of the schema's messages, for libraries that take Arrow's schemas."""

class CellReader:
    """Reads a column with a message in each cell into columns, one row for each cell."""

    def __init__(self, reading: dict[str, Any], choices: dict[str, Any], fails: bool = False) -> None: ...
    def read(self, array: Any, before: int = 0) -> Columns: ...
    @property
    def bad(self) -> int: ...
    def __arrow_c_schema__(self) -> Any: ...

class CellWriter:
    """Writes rows as messages, one in each cell of a column."""

    def __init__(self, spoken: dict[str, Any], lossy: bool = False) -> None: ...
    def write(self, rows: Any, before: int = 0) -> Columns: ...
    @property
    def losses(self) -> str: ...

class Inference:
    """What samples have shown about their schema so far. Processes make one each, and merge them."""

    def __init__(self) -> None: ...
    def add(self, array: Any, reading: dict[str, Any], skip: bool = False, before: int = 0) -> int: ...
    def read(self, source: Any, reading: dict[str, Any], threads: int = 1) -> None: ...
    def merge(self, other: Inference) -> None: ...
    @property
    def samples(self) -> int: ...
    def finish(self, name: str | None = None) -> Schema: ...
    def to_bytes(self) -> bytes: ...
    @staticmethod
    def from_bytes(bytes: bytes) -> Inference: ...

def cell_sizes(
    array: Any, reading: dict[str, Any], formats: list[str] | None = None, schema: Schema | None = None
) -> list[tuple[str, list[int] | None, str | None]]: ...
def columns_of(reading: dict[str, Any], choices: dict[str, Any]) -> Columns: ...
def compare_cells(array: Any, reading: dict[str, Any], formats: list[str] | None = None, time: float | None = None) -> str: ...
def cuts(name: str) -> Literal["lines", "messages", "whole"]: ...
def schema_files(spoken: dict[str, Any]) -> list[tuple[str, bytes]]: ...
def split(source: Any, reading: dict[str, Any], size: int) -> tuple[str, list[tuple[int, int, int]]]: ...
def takes_schema(spoken: dict[str, Any]) -> bool: ...
def command(arguments: list[str], again: list[str]) -> None: ...
def convert(
    source: Any,
    reading: dict[str, Any],
    spoken: dict[str, Any],
    lossy: bool = False,
    threads: int = 1,
    target: Any = None,
    progress: Callable[[int], object] | None = None,
) -> tuple[bytes, int, str]: ...
def decode(data: Any, reading: dict[str, Any]) -> Any: ...
def encode(object: Any, spoken: dict[str, Any], lossy: bool = False) -> tuple[bytes, str]: ...
def write(data: Any, target: Any, spoken: dict[str, Any], lossy: bool = False) -> tuple[int, str]: ...
def inspect(
    source: Any,
    reading: dict[str, Any],
    depth: int = 0,
    width: int = 100,
    full: bool = False,
    progress: Callable[[int], object] | None = None,
) -> tuple[str, str, int, Any]: ...
def formats() -> list[dict[str, Any]]: ...
def compare(
    source: Any,
    reading: dict[str, Any],
    formats: list[str] | None = None,
    time: float | None = None,
    runs: int = 1,
    sort: str | None = None,
    purpose: str | None = None,
    whole: bool = False,
    progress: Callable[[str, str, int, int], object] | None = None,
) -> tuple[str, str, str]: ...
def read(source: Any, reading: dict[str, Any], bad: str = "fail", progress: Callable[[int], object] | None = None) -> Messages: ...
def panic_for_a_test() -> None: ...
def check(
    old: Any,
    new: Any,
    language: str | None = None,
    direction: str | None = None,
    type: str | None = None,
    include: list[Any] = ...,
    strict: bool = False,
) -> tuple[bool, str, str]: ...
def infer_schema(
    source: Any,
    reading: dict[str, Any],
    name: str | None = None,
    threads: int = 1,
    progress: Callable[[int], object] | None = None,
) -> Schema: ...
