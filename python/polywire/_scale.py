"""What formats cost where the messages are too many for one machine: sizes by a sample, for Spark and Ray alike."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import pyarrow as pa

from polywire import _cells, _polywire

FIGURES = ("raw", "gzip", "zstd", "batch_gzip", "batch_zstd")
"The sizes of a message: as it is, compressed alone, and compressed together with its neighbours."
ALONE = 64
"The messages of a task that the driver measures times with, at most."
TIMED = 2_000
"The messages that the driver measures times with, at most."

Work = Callable[[Iterable[pa.Array], int], Iterator[bytes]]
"A task: it gets the cells of a partition and its number, and yields what the driver gets."


class Plan:
    """The choices of a comparison, for all machines."""

    def __init__(self, format, formats, schema, type, include, settings, duplicate_keys, limits, sample, block, seed, total) -> None:
        if sample < 1 or block < 1:
            raise _cells.usage(f"sample={sample}, block={block}", "expected numbers from 1 on")
        if total == 0:
            raise _cells.usage("a column without messages")
        reading, _ = _cells.asked(format, schema, type, include, settings, None, duplicate_keys, limits, "text", "column")
        self.reading = _cells.packed(reading)
        self.formats = None if formats is None else list(formats)
        self.block, self.seed, self.total = block, seed, total
        self.fraction = min(1.0, sample / total)

    def chosen(self, arrays: Iterable[pa.Array], partition: int) -> Iterator[pa.Array]:
        """Yields the blocks of the sample. A task that runs again chooses the same ones."""
        from random import Random

        number = 0
        held: list[pa.Array] = []
        count = 0
        for array in arrays:
            array = array.drop_null()
            while len(array):
                part = array[: self.block - count]
                array = array[len(part) :]
                held.append(part)
                count += len(part)
                if count == self.block:
                    if Random(f"{self.seed} {partition} {number}").random() < self.fraction:
                        yield pa.concat_arrays(held)
                    held, count, number = [], 0, number + 1
        if held and Random(f"{self.seed} {partition} {number}").random() < self.fraction:
            yield pa.concat_arrays(held)


class Look:
    """The first pass: what the sample shows about its schema, and a few messages for the driver."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan

    def __call__(self, arrays: Iterable[pa.Array], partition: int) -> Iterator[bytes]:
        reading = _cells.unpacked(self.plan.reading)
        state, some = _polywire.Inference(), []
        for block in self.plan.chosen(arrays, partition):
            state.add(block, reading)
            if len(some) < ALONE:
                some += block[: ALONE - len(some)].to_pylist()
        yield pickle.dumps((state.to_bytes(), some))


class Measure:
    """The second pass: the sizes of each block in each format."""

    def __init__(self, plan: Plan, schema: Any) -> None:
        self.plan, self.schema = plan, schema

    def __call__(self, arrays: Iterable[pa.Array], partition: int) -> Iterator[bytes]:
        reading = _cells.unpacked(self.plan.reading)
        for block in self.plan.chosen(arrays, partition):
            yield pickle.dumps(_polywire.cell_sizes(block, reading, self.plan.formats, self.schema))


def compared(plan: Plan, gather: Callable[[Work], list[bytes]], confidence: float, time: float | None) -> ScaledComparison:
    """Runs both passes, and measures times here."""
    if not 0 < confidence < 1:
        raise _cells.usage(f"confidence={confidence}", "expected a number between 0 and 1")
    state, some = _polywire.Inference(), []
    while state.samples == 0:
        for made in gather(Look(plan)):
            seen, cells = pickle.loads(made)
            state.merge(_polywire.Inference.from_bytes(seen))
            some += cells[: TIMED - len(some)]
        if state.samples == 0 and plan.fraction == 1:
            raise _cells.usage("a column without messages")
        if state.samples == 0:
            # No block was chosen.
            plan.fraction = min(1.0, plan.fraction * 8)
    blocks = [pickle.loads(made) for made in gather(Measure(plan, state.finish()))]
    import json

    reading = _cells.unpacked(plan.reading)
    report = json.loads(_polywire.compare_cells(pa.array(some), reading, plan.formats, time))
    return ScaledComparison(plan, blocks, report, confidence)


def estimate(blocks: list[tuple[int, int]], fraction: float, confidence: float) -> dict[str, float | None]:
    """Returns the mean of a figure for each message and its interval, from blocks of a random sample: the ratio estimator of cluster
    sampling (Cochran, Sampling Techniques, 3rd edition, 2.11 and 9A). One block alone has no interval."""
    messages, total = sum(count for count, _ in blocks), sum(figure for _, figure in blocks)
    mean = total / messages
    if fraction >= 1:
        return {"mean": mean, "low": mean, "high": mean}
    number = len(blocks)
    if number < 2:
        return {"mean": mean, "low": None, "high": None}
    variance = sum((figure - mean * count) ** 2 for count, figure in blocks) / (number - 1)
    half = student(confidence, number - 1) * (number * variance * (1 - fraction)) ** 0.5 / messages
    return {"mean": mean, "low": max(mean - half, 0.0), "high": mean + half}


def student(confidence: float, freedom: int) -> float:
    """Returns the quantile of Student's distribution for a two-sided interval (Abramowitz and Stegun 26.7.5; exact for 1 and 2)."""
    from math import pi, sqrt, tan
    from statistics import NormalDist

    if freedom == 1:
        return tan(pi * confidence / 2)
    if freedom == 2:
        return confidence * sqrt(2 / (1 - confidence**2))
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    fourth = (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160
    return z + first / freedom + second / freedom**2 + third / freedom**3 + fourth / freedom**4


class ScaledComparison:
    """What messages cost in every format, estimated from a sample. `str` gives a table, and a notebook shows one."""

    def __init__(self, plan: Plan, blocks: list[list[tuple[str, list[int] | None, str | None]]], report: Any, confidence: float) -> None:
        self.format: str = plan.reading["format"]
        "The format of the messages."
        self.messages: int = plan.total
        "The number of messages."
        self.confidence = confidence
        "The probability that an interval has the true mean."
        self.blocks = len(blocks)
        "The number of blocks that were measured."
        self.report: dict[str, Any] = report[0] if isinstance(report, list) else report
        "The driver's comparison of a few of the messages, with times: a report as `polywire.compare` has it."
        self.report["input"]["sources"] = ["a sample"]
        timed = {row["format"]: row for row in self.report["rows"]}
        self.rows: list[dict[str, Any]] = []
        """The formats, the smallest first: `sizes` has the mean bytes of a message with its interval (`mean`, `low`, `high`), by figure;
        `unfit` the share of messages that the format cannot hold and that are charged as they came; `times` what the driver measured."""
        self.refused: dict[str, str] = {}
        "The formats that were not measured, and why."
        self.measured = 0
        "The number of messages that were measured."
        for number, (name, _, _) in enumerate(blocks[0]):
            figures = [block[number][1] for block in blocks]
            why = next((block[number][2] for block in blocks if block[number][1] is None), None)
            if why is not None:
                self.refused[name] = why
                continue
            count = sum(sizes[0] for sizes in figures)
            self.measured = max(self.measured, count)
            sizes = {
                figure: estimate([(sizes[0], sizes[place]) for sizes in figures], plan.fraction, confidence)
                for place, figure in enumerate(FIGURES, 2)
            }
            times = timed.get(name, {})
            self.rows.append({"format": name, "sizes": sizes, "unfit": sum(one[1] for one in figures) / count, "times": _times(times)})
        self.rows.sort(key=lambda row: row["sizes"]["raw"]["mean"])

    def cost(
        self, *, messages: float | None = None, bytes: float | None = None, figure: str = "raw", price: float | None = None
    ) -> list[dict[str, Any]]:
        """Returns the bytes that messages would take in each format, the fewest first.

        Args:
            messages: Their number. Without it and without `bytes`, all messages of the column.
            bytes: The bytes that they take now, in their own format as it is: `10e12` for 10 TB.
            figure: The size that counts: `raw`, `gzip`, `zstd`, `batch_gzip` or `batch_zstd`.
            price: The price of 10^12 bytes, in any currency; each row then has one.

        Each row has `format`, `bytes`, and the bounds `low` and `high` of the interval, which is that of the mean size: where `bytes`
        counts the messages, their number is an estimate, too.
        """
        if figure not in FIGURES:
            raise _cells.usage(f"figure={figure!r}", f"expected one of {', '.join(FIGURES)}")
        if messages is not None and bytes is not None:
            raise _cells.usage("both messages and bytes", "either says how many there are")
        if bytes is not None:
            own = [row for row in self.rows if row["format"] == self.own]
            if not own:
                raise _cells.usage(f"bytes of {self.own}, which was not compared", "name it in formats")
            messages = bytes / own[0]["sizes"]["raw"]["mean"]
        number = self.messages if messages is None else messages

        def times(value: float | None) -> float | None:
            return None if value is None else value * number

        found = []
        for row in self.rows:
            size = row["sizes"][figure]
            one = {"format": row["format"], "bytes": times(size["mean"]), "low": times(size["low"]), "high": times(size["high"])}
            if price is not None:
                one["price"] = one["bytes"] / 1e12 * price
            found.append(one)
        return sorted(found, key=lambda row: row["bytes"])

    @property
    def own(self) -> str:
        """The format of a message that stands alone: JSON where the messages are lines of JSON."""
        return self.report["input"]["format"]

    def to_json(self) -> str:
        """Returns all figures as JSON."""
        import json

        names = ("format", "messages", "measured", "blocks", "confidence", "rows", "refused")
        return json.dumps({name: getattr(self, name) for name in names})

    def __str__(self) -> str:
        lines = [f"{self.messages} messages; {self.measured} measured, in {self.blocks} blocks; intervals of {self.confidence:.0%}"]
        lines.append(" ".join(["format".ljust(16), *(figure.rjust(18) for figure in FIGURES), "encode ns".rjust(10), "decode ns".rjust(10)]))
        for row in self.rows:
            sizes = [_shown(row["sizes"][figure]).rjust(18) for figure in FIGURES]
            times = [("" if row["times"][one] is None else f"{row['times'][one]:.0f}").rjust(10) for one in ("encode", "decode")]
            name = row["format"] + ("*" if row["unfit"] else "")
            lines.append(" ".join([name.ljust(16), *sizes, *times]))
        if any(row["unfit"] for row in self.rows):
            lines.append("* has messages that it cannot hold, which are charged as they came")
        lines += [f"{name}: {why}" for name, why in self.refused.items()]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<polywire.ScaledComparison of {self.messages} messages in {len(self.rows)} formats>"

    def _repr_html_(self) -> str:
        from html import escape

        head = "".join(f"<th>{escape(name)}</th>" for name in ("format", *FIGURES, "unfit", "encode ns", "decode ns"))
        rows = []
        for row in self.rows:
            cells = [row["format"], *(_shown(row["sizes"][figure]) for figure in FIGURES), f"{row['unfit']:.2%}"]
            cells += ["" if row["times"][one] is None else f"{row['times'][one]:.0f}" for one in ("encode", "decode")]
            rows.append("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>")
        note = escape(f"{self.messages} messages; {self.measured} measured; intervals of {self.confidence:.0%}")
        return f"<table><caption>{note}</caption><thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"


def _shown(size: dict[str, float | None]) -> str:
    if size["low"] is None:
        return f"{size['mean']:.1f} ± ?"
    return f"{size['mean']:.1f} ± {(size['high'] - size['low']) / 2:.1f}"


def _times(row: dict[str, Any]) -> dict[str, float | None]:
    """Returns the nanoseconds of a message that the driver measured."""
    times = row.get("times") or {}

    def median(name: str) -> float | None:
        spread = times.get(name)
        return spread["ns"]["median"] if spread else None

    return {"encode": median("encode"), "decode": median("decode")}
