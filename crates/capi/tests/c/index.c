/* docs/spec/psyc.md 9. */
#include "test.h"

#define INDEX(input) trace_index(PSYC_C2ARG(input), 0)
#define PIECES(input, piece) trace_index(PSYC_C2ARG(input), piece)

void test_index(void)
{
	PsycParseIndexState state;
	PsycString idx = PSYC_C2STR("unset");

	CHECK_TRACE(INDEX("#12"), "4#12");
	CHECK_TRACE(INDEX("#1{foo}._bar"), "3#1 10\"foo\" 6\"_bar\"");
	CHECK_TRACE(INDEX("{4 a}b}}#3"), "10\"a}b}\" 4#3");
	CHECK_TRACE(INDEX("{k}"), "10\"k\" 11");
	CHECK_TRACE(INDEX("._"), "6\"_\"");
	CHECK_TRACE(INDEX("._a#1"), "5\"_a\" 4#1");
	CHECK_TRACE(INDEX(""), "11");
	CHECK_TRACE(INDEX("#"), "1");
	CHECK_TRACE(INDEX("."), "1");
	CHECK_TRACE(INDEX("{"), "1");
	CHECK_TRACE(INDEX("{3"), "1");
	CHECK_TRACE(INDEX("{3 "), "1");
	CHECK_TRACE(INDEX("{3 foo"), "10\"foo\" 1");
	CHECK_TRACE(INDEX("{3 foo}{bar}"), "10\"foo\" 10\"bar\" 11");
	CHECK_TRACE(INDEX("x"), "-2");
	CHECK_TRACE(INDEX("#x"), "-3");
	CHECK_TRACE(INDEX("#99999999999999999999"), "-3");
	CHECK_TRACE(INDEX(".-"), "-4");
	CHECK_TRACE(INDEX("{3k}"), "-5");
	CHECK_TRACE(INDEX("{3 abcX"), "10\"abc\" -6");
	CHECK_TRACE(PIECES("{9 123456789}#1", 4), "7\"1\" 8\"2345\" 9\"6789\" 4#1");

	/* The number of a list step is in the length. */
	psyc_parse_index_state_init(&state);
	psyc_parse_index_buffer_set(&state, PSYC_C2ARG("#0{x}"));
	CHECK_NUM(psyc_parse_index(&state, &idx), PSYC_PARSE_INDEX_LIST);
	CHECK_NUM(idx.length, 0);
	CHECK(idx.data == NULL);
	CHECK_NUM(state.elemlen_found, 0);
}
