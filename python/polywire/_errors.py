"""The exceptions that polywire raises."""

from __future__ import annotations


class Error(Exception):
    """An error: what was seen, what was expected, where, and what to do.

    Facts that are not known are `None`. `str()` gives all of them on one line.

    >>> import polywire
    >>> try:
    ...     polywire.decode(b'{"id": 7,}', "json")
    ... except polywire.Error as error:
    ...     print(error.kind, error.offset, error.line, error.column)
    syntax 9 1 10
    """

    kind: str
    "A word for programs, such as `syntax`, `truncated` or `limit`."
    fault: str
    "The party that has to act: `data`, `schema`, `caller`, `environment` or `polywire`."
    format: str | None
    "The name of the format that was read or written."
    seen: str | None
    "What was seen."
    expected: str | None
    "What was expected."
    hint: str | None
    "Advice."
    offset: int | None
    "The byte offset in the input, from 0."
    decoded: str | None
    "The codecs that were taken off, if the offset counts decoded bytes."
    line: int | None
    "The line in a text format, from 1."
    column: int | None
    "The column in characters, from 1."
    message: int | None
    "The number of the message in the input, from 1."
    path: str | None
    "The path of the value, such as `items[3].name`."

    def __init__(self, text: str, **facts: object) -> None:
        super().__init__(text)
        for name in _FACTS:
            setattr(self, name, facts.get(name))

    def __reduce__(self):
        return Error.of, (str(self), {name: getattr(self, name) for name in _FACTS})

    @staticmethod
    def of(text: str, facts: dict[str, object]) -> Error:
        """Makes the error of these facts, of the class that fits them."""
        if facts.get("kind") == "loss":
            return LossError(text, **facts)
        return _CLASSES.get(facts.get("fault"), InternalError)(text, **facts)


class DataError(Error):
    """A message is malformed, cut off, or beyond a limit: its sender has to act."""


class SchemaError(Error):
    """A schema is malformed, or does not fit: its author has to act."""


class UsageError(Error, ValueError):
    """An argument is wrong, such as a name that no format has: the caller has to act."""


class LossError(Error, ValueError):
    """The target format cannot keep a message whole, and losses are not allowed."""


class InputError(Error, OSError):
    """A file or another program failed."""

    def __str__(self) -> str:
        return str(self.args[0])


class InternalError(Error):
    """A bug in polywire: please report it."""


_FACTS = ("kind", "fault", "format", "seen", "expected", "hint", "offset", "decoded", "line", "column", "message", "path")
_CLASSES = {
    "data": DataError,
    "schema": SchemaError,
    "caller": UsageError,
    "environment": InputError,
    "polywire": InternalError,
}
