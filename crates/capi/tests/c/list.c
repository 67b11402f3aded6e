/* docs/spec/psyc.md 7. */
#include "test.h"

#define LIST(input) trace_list(PSYC_C2ARG(input), 0)
#define PIECES(input, piece) trace_list(PSYC_C2ARG(input), piece)

void test_list(void)
{
	CHECK_TRACE(LIST(""), "8");
	CHECK_TRACE(LIST("| ann| bob"), "6\"ann\" 7\"bob\"");
	CHECK_TRACE(LIST("|"), "7\"\"");
	CHECK_TRACE(LIST("||"), "6\"\" 7\"\"");
	CHECK_TRACE(LIST("|0 |0 "), "6\"\" 7\"\"");
	CHECK_TRACE(LIST("| a|"), "6\"a\" 7\"\"");
	CHECK_TRACE(LIST("|  a"), "7\" a\"");
	CHECK_TRACE(LIST("_type"), "8_type");
	CHECK_TRACE(LIST("_color| red|4 blue"), "2_color 6\"red\" 6\"blue\" 8");
	CHECK_TRACE(LIST("|=_nick ann|=_amount:1 7|=_flag"), "6_nick\"ann\" 6_amount\"7\" 7_flag\"\"");
	CHECK_TRACE(LIST("|=_t:0 "), "7_t\"\"");
	CHECK_TRACE(LIST("|3 red|7 or|ange| plain"), "6\"red\" 6\"or|ange\" 7\"plain\"");
	CHECK_TRACE(LIST("|5 abc"), "3\"abc\"");
	CHECK_TRACE(LIST("|3"), "1");
	CHECK_TRACE(LIST("|3 "), "1");
	CHECK_TRACE(LIST("|="), "1");
	CHECK_TRACE(LIST("|=_t:"), "1");
	CHECK_TRACE(LIST("|=_t:3"), "1");
	CHECK_TRACE(LIST("x y"), "2x -3");
	CHECK_TRACE(LIST("|3 abcd"), "6\"abc\" -3");
	CHECK_TRACE(LIST("|=:3 abc"), "-4");
	CHECK_TRACE(LIST("|=_x!"), "-4");
	CHECK_TRACE(LIST("|x"), "-5");
	CHECK_TRACE(LIST("|3abc"), "-5");
	CHECK_TRACE(LIST("|3|"), "-5");
	CHECK_TRACE(LIST("|=_x:y"), "-5");
	CHECK_TRACE(LIST("|18446744073709551610 a"), "-5");

	/* An element over several buffers. */
	CHECK_TRACE(PIECES("|9 123456789|2 ab", 4), "3\"1\" 4\"2345\" 5\"6789\" 3\"a\" 5\"b\" 8");
	CHECK_TRACE(PIECES("|=_ty:3 abc", 9), "3_ty\"a\" 5\"bc\" 8");
	CHECK_TRACE(PIECES("|=_ty:3 abc", 7), "1 6_ty\"abc\" 8");
}
