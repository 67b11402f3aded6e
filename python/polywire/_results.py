"""Results that are more than one value."""

from __future__ import annotations

from typing import Any

from polywire._errors import Error

_FRAME = '<iframe srcdoc="{page}" sandbox="allow-scripts" style="width: 100%; height: 640px; border: 0"></iframe>'


class Comparison:
    """What messages cost in every format. A notebook shows it with charts; `str` gives tables."""

    def __init__(self, json: str, html: str, table: str) -> None:
        self._json, self._html, self._table = json, html, table

    @property
    def reports(self) -> list[dict[str, Any]]:
        """The reports: one for each kind of messages, the largest kind first."""
        import json

        report = json.loads(self._json)
        return report if isinstance(report, list) else [report]

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The formats, in order, for the largest kind of messages."""
        return self.reports[0]["rows"]

    def to_json(self) -> str:
        """Returns the report as `polywire compare --report json` prints it."""
        return self._json

    def to_html(self) -> str:
        """Returns the page that `polywire compare --html` writes: one file, without requests."""
        return self._html

    def __str__(self) -> str:
        return self._table

    def __repr__(self) -> str:
        report = self.reports[0]
        return f"<polywire.Comparison of {report['input']['messages']} messages in {len(report['rows'])} formats>"

    def _repr_html_(self) -> str:
        from html import escape

        return _FRAME.format(page=escape(self._html, quote=True))


class Inspection:
    """The meaning of bytes. `str` gives the text that `polywire inspect` prints."""

    def __init__(self, text: str, rows: str, messages: int, error: Error | None) -> None:
        self._text, self._rows = text, rows
        self.messages = messages
        "The number of whole messages."
        self.error = error
        "The error that ended the rows, or None."

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The rows: each byte belongs to exactly one."""
        import json

        return [json.loads(row) for row in self._rows.splitlines()]

    def to_json(self) -> str:
        """Returns the rows as `polywire inspect --report json` prints them, one object on each line."""
        return self._rows

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return self._text


class Verdict:
    """The comparison of two versions of a schema. It is true if they are compatible; `str` explains it."""

    def __init__(self, holds: bool, text: str, json: str) -> None:
        self.holds = holds
        "True if the new version is compatible with the old one."
        self._text, self._json = text, json

    @property
    def findings(self) -> list[dict[str, Any]]:
        """The changes, each with its effect and an example message that shows it."""
        import json

        return [finding for pair in json.loads(self._json)["pairs"] for finding in pair["findings"]]

    def to_json(self) -> str:
        """Returns the verdict as `polywire schema check --report json` prints it."""
        return self._json

    def __bool__(self) -> bool:
        return self.holds

    def __str__(self) -> str:
        return self._text

    def __repr__(self) -> str:
        return self._text
