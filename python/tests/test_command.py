"""The command, which is the program in another process."""

import os
import re
import signal
import subprocess
import sys
import sysconfig
import urllib.request
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
COMMAND = Path(sysconfig.get_path("scripts")) / "polywire"


def run(*arguments, **more):
    return subprocess.run([COMMAND, *arguments], cwd=ROOT, capture_output=True, **more)


@pytest.mark.parametrize(
    "arguments, code",
    [
        (["--version"], 0),
        (["--help"], 0),
        (["formats"], 0),
        (["convert", "examples/tickets.jsonl", "--to", "cbor"], 0),
        (["no-such-verb"], 2),
        ([], 2),
        (["convert", "examples/tickets.jsonl", "--to", "no-such"], 2),
        (["convert", "Cargo.toml", "--from", "json", "--to", "cbor"], 3),
        (["convert", "no-such-file", "--to", "cbor"], 4),
        (["diff", "examples/tickets.jsonl", "examples/tickets-2.json"], 1),
    ],
)
def test_exit_codes(arguments, code):
    done = run(*arguments)
    assert done.returncode == code, done.stderr


def test_it_is_the_module_too():
    done = subprocess.run([sys.executable, "-m", "polywire", "--version"], capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout.startswith("polywire ")


def test_names_in_reports_are_the_commands_own():
    done = run("compare", "examples/tickets.jsonl", "--formats", "json,cbor", "--time", "0.001", "--report", "json", text=True)
    assert '"polywire",' in done.stdout and "tickets.jsonl" in done.stdout and str(COMMAND) not in done.stdout


@pytest.mark.skipif(os.name == "nt", reason="pipes and signals are Unix's")
def test_a_reader_that_leaves_ends_it_well():
    line = f"'{COMMAND}' convert examples/tickets.jsonl --to jsonl | head -n 1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", line], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "0" and done.stderr == ""


@pytest.mark.skipif(os.name == "nt", reason="signals are Unix's")
def test_ctrl_c_ends_it_by_the_signal():
    arguments = ["convert", "--from", "jsonl", "--to", "jsonl", "--unbuffered"]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    command = subprocess.Popen([COMMAND, *arguments], **pipes)
    command.stdin.write(b'{"id":1}\n')
    command.stdin.flush()
    assert command.stdout.readline() == b'{"id":1}\n'
    command.send_signal(signal.SIGINT)
    assert command.wait() == -signal.SIGINT and command.stderr.read() == b""


@pytest.mark.skipif(os.name == "nt", reason="the gateway needs Unix")
def test_the_gateway_runs_hooks_in_processes_of_its_own(tmp_path):
    for folder in ["tables", "routes"]:
        (tmp_path / folder).mkdir()
    (tmp_path / "tables/lib.js").write_text("exports.fine = function (text) { return text + '!'; };")
    route = 'u = require("tables/lib.js")\nx = u.fine("a")\nreturn "{x}" via route \'/fine\' using method get'
    (tmp_path / "routes/fine.ql").write_text(route)
    # Neither the working folder nor the environment leads to the package.
    gateway = subprocess.Popen([COMMAND, "serve", tmp_path, "--port", "0"], cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    try:
        address = re.search(r"http://\S+", gateway.stderr.readline()).group()
        with urllib.request.urlopen(f"{address}/fine", timeout=60) as reply:
            assert reply.read() == b'"a!"'
        if sys.platform == "linux":
            workers = [line for line in map(command_line, Path("/proc").glob("[0-9]*")) if b"hooks-worker" in line and b"polywire" in line]
            assert workers and all(line.startswith(sys.executable.encode()) for line in workers)
    finally:
        gateway.send_signal(signal.SIGTERM)
        assert gateway.wait() == 0


def command_line(process):
    try:
        return (process / "cmdline").read_bytes()
    except OSError:
        return b""
