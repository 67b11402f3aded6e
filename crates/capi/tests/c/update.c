/* docs/spec/psyc.md 10. The type of the value comes where the value does. */
#include "test.h"

#define UPDATE(input) trace_update(PSYC_C2ARG(input), 0)
#define PIECES(input, piece) trace_update(PSYC_C2ARG(input), piece)

void test_update(void)
{
	PsycParseUpdateState state;
	char oper;
	PsycString value;

	CHECK_TRACE(UPDATE("#1 = blue"), "3#1 21=\"\" 26\"blue\"");
	CHECK_TRACE(UPDATE("._name =_nick:3 bob"), "5\"_name\" 21=\"_nick\" 26\"bob\"");
	CHECK_TRACE(UPDATE("{k} +:4 a\nb "), "10\"k\" 21+\"\" 26\"a\\nb \"");
	CHECK_TRACE(UPDATE("{k} +:3 abcignored"), "10\"k\" 21+\"\" 26\"abc\"");
	CHECK_TRACE(UPDATE("{3 foo} + a"), "10\"foo\" 21+\"\" 26\"a\"");
	CHECK_TRACE(UPDATE("#2 =_list"), "3#2 22=\"_list\"");
	CHECK_TRACE(UPDATE("#1"), "1");
	CHECK_TRACE(UPDATE("._a"), "1");
	CHECK_TRACE(UPDATE("#1 "), "3#1 1");
	CHECK_TRACE(UPDATE("#1 =:"), "3#1 21=\"\" 1");
	CHECK_TRACE(UPDATE("#1 =:3"), "3#1 21=\"\" 1");
	CHECK_TRACE(UPDATE("#1 =_t:3"), "3#1 21=\"_t\" 1");
	CHECK_TRACE(UPDATE("x"), "-2");
	CHECK_TRACE(UPDATE("#1 *"), "3#1 -21");
	CHECK_TRACE(UPDATE("#1 =_t!"), "3#1 -22");
	CHECK_TRACE(UPDATE("#1 =:x"), "3#1 21=\"\" -23");
	CHECK_TRACE(UPDATE("#1 =:3x"), "3#1 21=\"\" -23");
	CHECK_TRACE(UPDATE("{3 abcX"), "10\"abc\" -6");
	CHECK_TRACE(PIECES("#1 =_ty:9 123456789", 9), "3#1 21=\"_ty\" 1 23\"12345678\" 25\"9\"");

	/* A bare operator is delivered with the end. */
	psyc_parse_update_state_init(&state);
	psyc_parse_update_buffer_set(&state, PSYC_C2ARG("#2 -"));
	CHECK_NUM(psyc_parse_update(&state, &oper, &value), PSYC_PARSE_UPDATE_INDEX_LIST);
	CHECK_NUM(state.elemlen_found, 0);
	CHECK_NUM(psyc_parse_update(&state, &oper, &value), PSYC_PARSE_UPDATE_END);
	CHECK_NUM(oper, '-');
}
