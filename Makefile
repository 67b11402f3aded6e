# Benchmarks, and the build's budget. Everything else is cargo's; all tests are ./test.sh.

PEERS = cargo run --profile dist --manifest-path peers/Cargo.toml --features native --locked --

# Seconds of each measurement. There are some 830; the longest ones take their least number of rounds, whatever the time.
TIME ?= 0.1

# File of the figures, beside their page: by date and machine. For example, make bench MACHINE=amd-epyc.
MACHINE ?= $(shell uname -n)
RECORD ?= peers/record/$(shell date +%F)-$(MACHINE).json

.PHONY: bench bench-psyc bench-setup check-build check-more suites

# Runs every benchmark beside the other libraries, and draws the page. Fails if a limit of the workloads is not kept.
bench: bench-setup
	$(PEERS) --time $(TIME) --record $(RECORD)

# Prints the figures of one format, and keeps nothing: make bench-psyc, or for example make bench-psyc-parse.
bench-%: bench-setup
	$(PEERS) --time $(TIME) --only $*

bench-setup:
	tools/setup.sh peers

# Builds the first command of the README from nothing, and the shipped program; prints time and sizes. Fails beyond the budget.
check-build:
	tools/check-build.sh

# Runs what a maintainer runs before a release, beside ./test.sh. One part: tools/check-more.sh PART.
check-more:
	tools/setup.sh more
	tools/check-more.sh

# Runs the public test suites in the folder SUITES, and those of target/suites; writes docs/conformance.md if all ran. For example,
# make suites SUITES=../suites. suites/README.md lists them.
suites:
	tools/suites --write docs/conformance.md
