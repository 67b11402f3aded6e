"""The command `polywire`."""

import os
import sys

# Another process of the command, without what a start of Python looks for: environment, working folder, `site`.
_AGAIN = "import sys; sys.path.insert(0, sys.argv.pop(1)); from polywire._command import main; main()"


def main() -> None:
    """Runs the command with the arguments of this process, and ends the process.

    It answers signals as a program does that is no interpreter: Ctrl-C ends it at once.
    """
    import signal

    # Python raises an exception on Ctrl-C, and ignores the other two from the start. A program of Rust ignores SIGPIPE as well.
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    if hasattr(signal, "SIGXFSZ"):
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    from polywire._polywire import command

    folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    command(["polywire", *sys.argv[1:]], [sys.executable, "-I", "-S", "-c", _AGAIN, folder])
