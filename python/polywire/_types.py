"""Values that Python has no class of its own for."""

from __future__ import annotations

from typing import Any, NamedTuple


class Tagged(NamedTuple):
    """One value that a format marks as special, such as CBOR's tags and MessagePack's extensions.

    >>> import polywire
    >>> polywire.decode(b"\\xd8\\x64\\x07", "cbor")
    Tagged(space='cbor', code=100, value=7)
    """

    space: str
    "The name of the numbering that `code` belongs to."
    code: int
    "The number of the tag."
    value: Any
    "The tagged value."


class Variant(NamedTuple):
    """A case of a sum type, which holds no value, one, or several."""

    name: str
    "The name of the case."
    values: tuple[Any, ...] = ()
    "The values of the case."
    index: int = 0
    "The index of the case in its type."


class Timestamp(NamedTuple):
    """A moment that a `datetime` does not hold: with nanoseconds, or before the year 1 or after 9999."""

    seconds: int
    "The seconds since 1970-01-01T00:00:00Z, rounded down."
    nanos: int = 0
    "The nanoseconds after `seconds`."


class Octets(bytes):
    """Text in a character set that the format does not name."""

    def __repr__(self) -> str:
        return f"Octets({super().__repr__()})"


class Record(dict[str, Any]):
    """A record whose type has a name on the wire."""

    def __init__(self, name: str, fields: Any = ()) -> None:
        super().__init__(fields)
        self.name = name

    def __repr__(self) -> str:
        return f"Record({self.name!r}, {super().__repr__()})"

    def __reduce__(self):
        return Record, (self.name, dict(self))


class Pairs(list[tuple[Any, Any]]):
    """A map whose keys no `dict` holds: lists and maps as keys, or equal ones such as `1` and `True`."""

    def __repr__(self) -> str:
        return f"Pairs({super().__repr__()})"


def moment(seconds: int, nanos: int) -> Any:
    """Returns the `datetime` of a moment, or a `Timestamp` where that would lose something."""
    from datetime import datetime, timedelta, timezone

    if nanos % 1000 == 0:
        try:
            return datetime(1970, 1, 1, tzinfo=timezone.utc) + timedelta(seconds=seconds, microseconds=nanos // 1000)
        except OverflowError:
            pass
    return Timestamp(seconds, nanos)


def digits(number: int) -> str:
    """Returns the decimal digits of a whole number of any length."""
    try:
        return str(int(number))
    except ValueError:
        import decimal

        # Conversions to text are bounded since CVE-2020-10735, decimals are not.
        with decimal.localcontext(decimal.Context(prec=decimal.MAX_PREC, Emax=decimal.MAX_EMAX)):
            return format(decimal.Decimal(int(number)), "f")


def taken(value: Any) -> tuple[str, tuple[Any, ...]] | None:
    """Returns the parts of an object of a class that is written, or None."""
    from datetime import datetime, timedelta, timezone
    from decimal import Decimal

    if isinstance(value, Decimal):
        sign, numbers, exponent = value.as_tuple()
        if not isinstance(exponent, int):
            return "refused", (f"the decimal {value}", "a finite number")
        text = "".join(map(str, numbers)).lstrip("0") or "0"
        return "decimal", (("-" if sign else "") + text, exponent)
    if isinstance(value, Timestamp):
        return "time", (value.seconds, value.nanos)
    if isinstance(value, datetime):
        if value.tzinfo is None or value.utcoffset() is None:
            return "refused", ("a datetime without a time zone", "one with a zone, such as datetime.now(timezone.utc)")
        since = value - datetime(1970, 1, 1, tzinfo=timezone.utc)
        seconds, rest = divmod(since, timedelta(seconds=1))
        return "time", (seconds, rest.microseconds * 1000)
    # Numbers of other libraries, such as numpy's.
    if hasattr(value, "__index__"):
        return "int", (value.__index__(),)
    if hasattr(value, "dtype") and hasattr(value, "__float__") and getattr(value, "ndim", 1) == 0:
        return "float", (float(value),)
    return None
