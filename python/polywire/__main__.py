"""`python -m polywire` is the command."""

from polywire._command import main

main()
