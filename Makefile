# Benchmarks, fuzzing, and the build's budget. Everything else is cargo's; all tests are ./test.sh.

PEERS = cargo run --profile dist --manifest-path peers/Cargo.toml --features native --locked --

# Seconds of each measurement. There are some 830; the longest ones take their least number of rounds, whatever the time.
TIME ?= 0.1

# File of the figures, beside their page: by date and machine. For example, make bench MACHINE=amd-epyc.
MACHINE ?= $(shell uname -n)
RECORD ?= peers/record/$(shell date +%F)-$(MACHINE).json

FUZZ = cargo run --quiet --manifest-path fuzz/Cargo.toml -p polywire-fuzz-runner --locked --

# Processor minutes of each fuzz target; those of its kind if empty. TARGETS chooses some by the start of their names, JOBS run at once, and
# SUITES names the folder of the public suites, whose files are seeds.
MINUTES ?=
JOBS ?= 1
TARGETS ?=
export SUITES

# Makes the files of a release for this machine, in target/release-files. Parts and other targets: tools/dist.sh.
dist:
	tools/setup.sh dist
	tools/dist.sh

.PHONY: attack bench bench-columns bench-psyc bench-setup book check-build check-engines check-more dist fuzz fuzz-report picture suites

# Runs every benchmark beside the other libraries, and draws the page. Fails if a limit of the workloads is not kept.
bench: bench-setup
	$(PEERS) --time $(TIME) --record $(RECORD)

# Prints the figures of one format, and keeps nothing: make bench-psyc, or for example make bench-psyc-parse.
bench-%: bench-setup
	$(PEERS) --time $(TIME) --only $*

# Measures bytes to Arrow and back beside the libraries of Python, and keeps the figures. Fails if a limit is not kept.
bench-columns:
	tools/bench-columns.sh --record python/bench/record/$(shell date +%F)-$(MACHINE).json

bench-setup:
	tools/setup.sh peers

# Runs the fuzz targets at low priority, keeps their corpora small, and adds what was run to fuzz/record.json. Fails if there is a finding.
fuzz:
	tools/setup.sh fuzz
	$(FUZZ) run --jobs $(JOBS) $(if $(MINUTES),--minutes $(MINUTES)) $(TARGETS)

# Writes docs/security.md from fuzz/record.json.
fuzz-report:
	$(FUZZ) report

# Builds the first command of the README from nothing, and the shipped program; prints time and sizes. Fails beyond the budget.
check-build:
	tools/check-build.sh

# Runs what a maintainer runs before a release, beside ./test.sh. One part: tools/check-more.sh PART.
check-more:
	tools/setup.sh more
	tools/check-more.sh

# Tests the Python package in Spark, then in Ray, in an environment of its own in target/engines. It needs Java 17.
check-engines:
	tools/check-engines.sh

# Attacks the gateway at loopback. attack/README.md has the options.
attack:
	tools/attack

# Runs the public test suites in the folder SUITES, and those of target/suites; writes docs/conformance.md if all ran. For example,
# make suites SUITES=../suites. suites/README.md lists them.
suites:
	tools/suites --write docs/conformance.md

# Writes the pages as a book to target/book, and fails on a link in it that leads nowhere.
book:
	tools/setup.sh book
	target/tools/bin/mdbook build
	tools/book.py check target/book

# Draws the picture of the README anew, with the program as users build it.
picture:
	cargo build --release --locked
	PICTURE=target/release/polywire cargo test --quiet --locked -p polywire-cli --all-features --test picture
