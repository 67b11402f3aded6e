/* Checks that say what failed and go on. */
#include "test.h"

unsigned checks_failed;
unsigned checks_passed;

void check(int ok, const char *what, const char *file, int line)
{
	if (ok) {
		checks_passed++;
		return;
	}
	checks_failed++;
	printf("%s:%d: %s\n", file, line, what);
}

void check_num(long long came, long long expected, const char *what, const char *file, int line)
{
	check(came == expected, what, file, line);
	if (came != expected)
		printf("  expected %lld\n  came     %lld\n", expected, came);
}

void check_bytes(const char *came, size_t came_len, const char *expected, size_t expected_len, const char *what, const char *file, int line)
{
	int ok = came_len == expected_len && (came_len == 0 || memcmp(came, expected, came_len) == 0);

	check(ok, what, file, line);
	if (!ok)
		printf("  expected %.*s\n  came     %.*s\n", (int) expected_len, expected, came ? (int) came_len : 0, came ? came : "");
}
