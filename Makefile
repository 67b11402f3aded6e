# Benchmarks. Everything else is cargo's; all tests are ./test.sh.

PEERS = cargo run --profile dist --manifest-path peers/Cargo.toml --features native --locked --

# Seconds of each measurement. There are some 830, and of the longest passes each has its least number of rounds, whatever this says.
TIME ?= 0.1

# Where the figures and their page are kept: by date and machine. For example, make bench MACHINE=amd-epyc.
MACHINE ?= $(shell uname -n)
RECORD ?= peers/record/$(shell date +%F)-$(MACHINE).json

.PHONY: bench bench-psyc bench-setup

# Runs every benchmark beside the other libraries, and draws the page. Fails if a limit of the workloads is not kept.
bench: bench-setup
	$(PEERS) --time $(TIME) --record $(RECORD)

# Prints those of one format, and keeps nothing: make bench-psyc, or for example make bench-psyc-parse.
bench-%: bench-setup
	$(PEERS) --time $(TIME) --only $*

bench-setup:
	tools/setup.sh peers
