"""Times our walk of S1AP messages beside pycrate: `tools/judge-asn1 --times`.

    asn1_times.py PROGRAM REPOSITORY [--rounds N] [--times N]

PROGRAM is the example `per` of crates/asn1. REPOSITORY is pycrate's: it has the modules of S1AP as texts, and messages of a real network.
pycrate itself is the installed package. Before anything is timed, both write each message again, and the bytes must be the same.

In the clock of pycrate is `from_aper` of one message, which makes its Python objects. In ours is a walk of the same bytes by the module,
into a sink that counts, and in a second figure into a tree. Both are in a loop over one message, in their own process, and take turns
message by message. A figure is the median of the rounds.
"""

import argparse
import json
import platform
import statistics
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

from pycrate_asn1dir import S1AP

LIMIT = 0.01
FOLDER = Path("pycrate_asn1dir/3GPP_EUTRAN_S1AP_36413")
CAPTURE = Path("test/res/s1ap_pcapr.json")
PDU = S1AP.S1AP_PDU_Descriptions.S1AP_PDU


def messages(capture):
    """Returns the messages of a capture, which tshark wrote: one packet a line."""
    found = []
    for line in capture.read_text().splitlines():
        if line.startswith('{"timestamp"'):
            part = json.loads(line)["layers"].get("s1ap_raw", [])
            found += [bytes.fromhex(text) for text in ([part] if isinstance(part, str) else part)]
    return found


class Ours:
    """The example, which answers each line with one."""

    def __init__(self, program, folder, *times):
        self.process = subprocess.Popen([program, folder, *times], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, message):
        self.process.stdin.write(f"aper S1AP-PDU-Descriptions S1AP-PDU {message.hex()}\n")
        self.process.stdin.flush()
        word, _, rest = self.process.stdout.readline().partition(" ")
        if word != "ok":
            sys.exit(f"ours refuses {message.hex()}: {rest}")
        return rest.split()

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def same(ours, all_messages):
    """Ends the program if a message is not written again as it was."""
    for message in all_messages:
        PDU.from_aper(message)
        again = ours.ask(message)[:2]
        if PDU.to_aper() != message or again != [message.hex()] * 2:
            sys.exit(f"{message.hex()} is written otherwise: {again}, by pycrate {PDU.to_aper().hex()}")


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program")
    arguments.add_argument("repository", type=Path)
    arguments.add_argument("--rounds", type=int, default=15)
    arguments.add_argument("--times", type=int, default=100, help="walks of ours in one round of a message")
    given = arguments.parse_args()
    folder = str(given.repository / FOLDER)
    all_messages = messages(given.repository / CAPTURE)
    ours = Ours(given.program, folder)
    same(ours, all_messages)
    ours.close()

    ours = Ours(given.program, folder, str(given.times))
    theirs_ns, walk_ns, tree_ns = ([[] for _ in all_messages] for _ in range(3))
    for _ in range(given.rounds):
        for at, message in enumerate(all_messages):
            walk, tree = map(int, ours.ask(message))
            start = time.perf_counter_ns()
            PDU.from_aper(message)
            theirs_ns[at].append(time.perf_counter_ns() - start)
            walk_ns[at].append(walk)
            tree_ns[at].append(tree)
    ours.close()

    theirs, walk, tree = ([statistics.median(rounds) for rounds in kind] for kind in (theirs_ns, walk_ns, tree_ns))
    ratio = sum(walk) / sum(theirs)
    worst = max(one / other for one, other in zip(walk, theirs))
    count = len(all_messages)
    print(f"{count} messages of S1AP, {sum(map(len, all_messages))} bytes; pycrate {version('pycrate')}, Python {platform.python_version()}")
    print(f"mean of a message: pycrate {sum(theirs) / count / 1000:.0f} µs, our walk {sum(walk) / count / 1000:.2f} µs, a tree {sum(tree) / count / 1000:.2f} µs")
    print(f"our walk ÷ pycrate: {ratio:.4f}, of the worst message {worst:.4f}; a tree {sum(tree) / sum(theirs):.4f}; the limit is {LIMIT}")
    sys.exit(ratio > LIMIT)


if __name__ == "__main__":
    main()
