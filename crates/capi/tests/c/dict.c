/* docs/spec/psyc.md 8. */
#include "test.h"

#define DICT(input) trace_dict(PSYC_C2ARG(input), 0)
#define PIECES(input, piece) trace_dict(PSYC_C2ARG(input), piece)

void test_dict(void)
{
	CHECK_TRACE(DICT(""), "12");
	CHECK_TRACE(DICT("_type"), "12_type");
	CHECK_TRACE(DICT("_uniform{2 a}}=_nick bob{c}7 x{y|z}w"), "2_uniform 6\"a}\" 10_nick\"bob\" 6\"c\" 10\"x{y|z}w\" 12");
	CHECK_TRACE(DICT("{a}{b}"), "6\"a\" 10\"\" 6\"b\" 11\"\"");
	CHECK_TRACE(DICT("{}"), "6\"\" 11\"\"");
	CHECK_TRACE(DICT("{k}0 "), "6\"k\" 11\"\"");
	CHECK_TRACE(DICT("{k} v"), "6\"k\" 11\"v\"");
	CHECK_TRACE(DICT("{k"), "1");
	CHECK_TRACE(DICT("{3"), "1");
	CHECK_TRACE(DICT("{0 "), "1");
	CHECK_TRACE(DICT("{k}3"), "6\"k\" 1");
	CHECK_TRACE(DICT("{k}3 "), "6\"k\" 1");
	CHECK_TRACE(DICT("{k}5 abc"), "6\"k\" 7\"abc\"");
	CHECK_TRACE(DICT("{5 abc"), "3\"abc\"");
	CHECK_TRACE(DICT("k l"), "2k -3");
	CHECK_TRACE(DICT("{3k} v"), "-4");
	CHECK_TRACE(DICT("{3 abcX 1"), "6\"abc\" -6");
	CHECK_TRACE(DICT("{3 abc"), "6\"abc\" 1");
	CHECK_TRACE(DICT("{a}=_x!"), "6\"a\" -7");
	CHECK_TRACE(DICT("{a}v"), "6\"a\" -8");
	CHECK_TRACE(DICT("{a}3{b}"), "6\"a\" -8");

	/* Keys and values over several buffers. */
	CHECK_TRACE(PIECES("{9 123456789}9 abcdefghi", 4), "3\"1\" 4\"2345\" 5\"6789\" 7\"a\" 8\"bcde\" 9\"fghi\" 12");
}
