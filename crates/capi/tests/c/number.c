/* docs/spec/psyc.md 16, and the keyword scan. */
#include "test.h"

static void is_int(const char *text, size_t read, int64_t value)
{
	int64_t n = 77;

	CHECK_NUM(psyc_parse_int(text, strlen(text), &n), read);
	CHECK_NUM(n, value);
}

static void is_uint(const char *text, size_t read, uint64_t value)
{
	uint64_t n = 77;

	CHECK_NUM(psyc_parse_uint(text, strlen(text), &n), read);
	CHECK(n == value);
}

void test_number(void)
{
	int64_t n = 77;
	uint64_t u = 77;

	is_int("42", 2, 42);
	is_int("-42", 3, -42);
	is_int("", 0, 0);
	is_int("-", 1, 0);
	is_int("17x", 2, 17);
	is_int("9223372036854775807", 19, INT64_MAX);
	is_int("-9223372036854775808", 20, INT64_MIN);
	CHECK_NUM(psyc_parse_int(PSYC_C2ARG("9223372036854775808"), &n), 18);
	CHECK_NUM(psyc_parse_int(PSYC_C2ARG("-9223372036854775809"), &n), 19);
	CHECK_NUM(psyc_parse_int(NULL, 0, &n), 0);
	CHECK_NUM(psyc_parse_int(NULL, 3, &n), 0);

	is_uint("42", 2, 42);
	is_uint("", 0, 0);
	is_uint("-1", 0, 0);
	is_uint("18446744073709551615", 20, UINT64_MAX);
	CHECK_NUM(psyc_parse_uint(PSYC_C2ARG("18446744073709551616"), &u), 19);
	CHECK_NUM(psyc_parse_uint(NULL, 1, &u), 0);

	n = 77;
	CHECK_NUM(psyc_parse_list_index(PSYC_C2ARG("#12"), &n), 3);
	CHECK_NUM(n, 12);
	CHECK_NUM(psyc_parse_list_index(PSYC_C2ARG("#-3"), &n), 3);
	CHECK_NUM(n, -3);
	CHECK_NUM(psyc_parse_list_index(PSYC_C2ARG("#12{k}"), &n), 3);
	CHECK_NUM(psyc_parse_list_index(PSYC_C2ARG("12"), &n), 0);
	CHECK_NUM(psyc_parse_list_index(PSYC_C2ARG(""), &n), 0);
	CHECK_NUM(psyc_parse_list_index(NULL, 0, &n), 0);

	CHECK_NUM(psyc_parse_keyword(PSYC_C2ARG("_a_B9\tx")), 5);
	CHECK_NUM(psyc_parse_keyword(PSYC_C2ARG("_all")), 4);
	CHECK_NUM(psyc_parse_keyword(PSYC_C2ARG(" _a")), 0);
	CHECK_NUM(psyc_parse_keyword(PSYC_C2ARG("")), 0);
	CHECK_NUM(psyc_parse_keyword(PSYC_C2ARG("_\xc3\xa4")), 1);
}
