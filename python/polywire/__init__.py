"""Messages on the wire, in any format: read, write, convert, compare and explain them.

>>> import polywire
>>> polywire.decode(b"\\x82\\xa2id\\x07\\xa4name\\xa3Ada", "msgpack")
{'id': 7, 'name': 'Ada'}
>>> polywire.convert(b'{"id": 7}', "json", "cbor")
b'\\xa1bid\\x07'

`read` gives the messages of a file one by one, and `write` writes some. `encode` and `decode` are for one message.
`compare` measures what messages cost in every format, `inspect` explains each byte, `infer_schema` finds the schema of messages,
and `check` compares versions of one. Errors are exceptions below `polywire.Error`, with the place of what is wrong.
"""

from __future__ import annotations

# Names are imported when they are asked for: the command needs none of them, and starts in a few milliseconds.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from polywire._api import check, compare, convert, decode, encode, formats, infer_schema, inspect, read, write
    from polywire._errors import DataError, Error, InputError, InternalError, LossError, SchemaError, UsageError
    from polywire._polywire import Columns, Messages, Schema, __version__
    from polywire._results import Comparison, Inspection, Verdict
    from polywire._types import Octets, Pairs, Record, Tagged, Timestamp, Variant

_MODULES = {
    "_api": ("check", "compare", "convert", "decode", "encode", "formats", "infer_schema", "inspect", "read", "write"),
    "_errors": ("DataError", "Error", "InputError", "InternalError", "LossError", "SchemaError", "UsageError"),
    "_polywire": ("Columns", "Messages", "Schema", "__version__"),
    "_results": ("Comparison", "Inspection", "Verdict"),
    "_types": ("Octets", "Pairs", "Record", "Tagged", "Timestamp", "Variant"),
}

__all__ = [
    "Columns",
    "Comparison",
    "DataError",
    "Error",
    "InputError",
    "Inspection",
    "InternalError",
    "LossError",
    "Messages",
    "Octets",
    "Pairs",
    "Record",
    "Schema",
    "SchemaError",
    "Tagged",
    "Timestamp",
    "UsageError",
    "Variant",
    "Verdict",
    "__version__",
    "check",
    "compare",
    "convert",
    "decode",
    "encode",
    "formats",
    "infer_schema",
    "inspect",
    "read",
    "write",
]


def __getattr__(name: str) -> object:
    from importlib import import_module

    for module, names in _MODULES.items():
        if name in names:
            value = globals()[name] = getattr(import_module(f"polywire.{module}"), name)
            return value
    raise AttributeError(f"module 'polywire' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
