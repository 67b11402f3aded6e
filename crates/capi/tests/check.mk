# The tests of the C library, part of the Makefile.

# A failing program at the head of a pipe is a failure.
check-%: SHELL = bash
check-%: .SHELLFLAGS = -o pipefail -ec

TESTS = $(wildcard tests/c/*.c)
PACKETS = $(wildcard ../../testdata/packets/*.psyc)
STRICT = -Wall -Wextra -pedantic -Werror -Iinclude
CHECKS = gcc-O0 gcc-O3 clang-O0 clang-O3
VALGRIND = valgrind --quiet --error-exitcode=9 --leak-check=full
SHARED = -L$(BUILD) -lpolywire -Wl,-rpath,$(abspath $(BUILD))

SYMBOLS = sed -n 's/^.* [TDRBW] //p' | LC_ALL=C sort -u

.PHONY: check-headers check-symbols check-cxx check-asan check-static check-install $(CHECKS:%=check-%)
check: check-headers check-symbols $(CHECKS:%=check-%) check-static check-asan check-cxx check-install

# Every header comes first once, in every version of the languages.
check-headers:
	@for header in psyc $(HEADERS:include/%.h=%); do \
	    for std in c99 gnu99 c11 gnu11 c17 gnu17; do for cc in gcc clang; do \
	        printf '#include <%s.h>\n#include <psyc.h>\nint main(void) { return 0; }\n' $$header | \
	            $$cc -std=$$std $(STRICT) -x c -fsyntax-only - || exit 1; done; done; \
	    for std in c++11 c++17 c++20; do for cxx in g++ clang++; do \
	        printf '#include <%s.h>\n#include <psyc.h>\nint main() { return 0; }\n' $$header | \
	            $$cxx -std=$$std $(STRICT) -x c++ -fsyntax-only - || exit 1; done; done; \
	done
	@echo "headers: first in every order, C and C++"

# Both libraries export exactly the names of the headers.
check-symbols: all
	@grep -ohE '\bpsyc_[a-z_]+(\(|\[\]|;)|psyc_[a-z]+_num;|psyc_templates;' include/psyc/*.h | sed 's/[^a-z_]//g' | LC_ALL=C sort -u > $(BUILD)/declared
	@nm -D --defined-only $(BUILD)/libpolywire.so | $(SYMBOLS) | diff $(BUILD)/declared -
	@nm -g --defined-only $(BUILD)/libpolywire.a | $(SYMBOLS) | diff $(BUILD)/declared -
	@echo "symbols: $$(wc -l < $(BUILD)/declared), all of them of the headers"

# Valgrind does not know what newer compilers write for debuggers, but version 4.
define CHECK
check-$(1)$(2): all
	@$(1) $(2) -gdwarf-4 -std=c11 $(STRICT) $(TESTS) -o $(BUILD)/test-$(1)$(2) $(SHARED)
	@$(BUILD)/test-$(1)$(2) $(PACKETS) | sed 's/^/$(1) $(2): /'
	@$(VALGRIND) $(BUILD)/test-$(1)$(2) $(PACKETS) | sed 's/^/$(1) $(2), valgrind: /'
endef
$(eval $(call CHECK,gcc,-O0))
$(eval $(call CHECK,gcc,-O3))
$(eval $(call CHECK,clang,-O0))
$(eval $(call CHECK,clang,-O3))

check-static: all
	@gcc -O2 -std=gnu11 $(STRICT) $(TESTS) -o $(BUILD)/test-static $(BUILD)/libpolywire.a -static
	@$(BUILD)/test-static $(PACKETS) | sed 's/^/static: /'

check-asan: all
	@clang -O1 -g -std=c11 -fsanitize=address,undefined -fno-sanitize-recover=all $(STRICT) $(TESTS) -o $(BUILD)/test-asan $(BUILD)/libpolywire.a
	@$(BUILD)/test-asan $(PACKETS) | sed 's/^/address sanitizer: /'

check-cxx: all
	@for cxx in g++ clang++; do $$cxx -std=c++17 $(STRICT) tests/c/cplusplus.cc -o $(BUILD)/test-cxx $(SHARED); $(BUILD)/test-cxx; done
	@echo "C++: passed"

# A program that knows nothing but pkg-config.
check-install: all
	@rm -rf $(BUILD)/installed && $(MAKE) --no-print-directory install PSYC_NAMES=1 PREFIX=$(abspath $(BUILD)/installed) DESTDIR= > /dev/null
	@for name in psyc polywire; do \
	    export PKG_CONFIG_PATH=$(abspath $(BUILD)/installed)/lib/pkgconfig; \
	    $(CC) tests/c/installed/program.c $$(pkg-config --cflags --libs $$name) -o $(BUILD)/test-installed; \
	    LD_LIBRARY_PATH=$(abspath $(BUILD)/installed)/lib $(BUILD)/test-installed; \
	    $(CC) tests/c/installed/program.c $$(pkg-config --cflags --libs --static $$name) -static -o $(BUILD)/test-installed; \
	    $(BUILD)/test-installed; done
	@$(MAKE) --no-print-directory uninstall PREFIX=$(abspath $(BUILD)/installed) DESTDIR= > /dev/null
	@test -z "$$(find $(BUILD)/installed ! -type d)" || { echo "uninstall left: "; find $(BUILD)/installed ! -type d; exit 1; }
	@echo "installed, used by pkg-config as psyc and polywire, and taken away"
