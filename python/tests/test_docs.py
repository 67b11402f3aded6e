"""The examples of docs/python.md, and those of the README."""

import doctest
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def test_examples_of_the_page(monkeypatch):
    monkeypatch.chdir(ROOT)
    text = (ROOT / "docs/python.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    blocks = [block for block in blocks if block.startswith(">>>")]
    assert len(blocks) > 10
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "docs/python.md", "docs/python.md", 0)
    output = []
    failed, _ = doctest.DocTestRunner().run(test, out=output.append)
    assert failed == 0, "".join(output)


def test_the_script_of_the_readme(monkeypatch, capsys):
    pytest.importorskip("pandas")
    monkeypatch.chdir(ROOT)
    script = re.search(r"```python\n(.*?)```", (ROOT / "python/README.md").read_text(encoding="utf-8"), re.DOTALL).group(1)
    lines = [line for line in script.splitlines() if line and not line.startswith("#")]
    assert len(lines) <= 10
    exec(script, {})
    shown = capsys.readouterr().out
    assert shown.count("columns]") == 3, shown
