/* docs/spec/psyc.md 6: the examples of docs/spec/psyc.md 18, every code, cuts, and the two other modes. */
#include "test.h"

#define ALL(input) trace_packet(PSYC_PARSE_ALL, PSYC_C2ARG(input), 0)
#define ROUTING_ONLY(input) trace_packet(PSYC_PARSE_ROUTING_ONLY, PSYC_C2ARG(input), 0)
#define CONTENT(input) trace_packet(PSYC_PARSE_START_AT_CONTENT, PSYC_C2ARG(input), 0)

static void examples(void)
{
	CHECK_TRACE(ALL("|\n"), "13@2");
	CHECK_TRACE(ALL(":_source\tpsyc://h/~ann\n\n_message\nHi all\n|\n"), "2:_source\"psyc://h/~ann\"@22 12_message\"Hi all\"@40 13@42");
	CHECK_TRACE(ALL(":_source\tpsyc://h/~ann\n\n_message\nHi a"), "2:_source\"psyc://h/~ann\"@22 1@24");
	CHECK_TRACE(ALL("27\n=_note 5\ta\n|\nb\n_data\nx\n|\ny\n|\n"), "8=_note\"a\\n|\\nb\"/5@17 12_data\"x\\n|\\ny\"/5@29 13@32");
	CHECK_TRACE(ALL(":_context\tpsyc://h/@r\n\n=\n=_list_members\t| ann| bob\n|\n"),
	            "2:_context\"psyc://h/@r\"@21 4=@24 8=_list_members\"| ann| bob\"@50 13@53");
	CHECK_TRACE(ALL("\n?\n|\n"), "3?@2 13@5");
	CHECK_TRACE(ALL("|\n|\n|\n"), "13@2 13@4 13@6");
	CHECK_TRACE(ALL("\n_m\n|\n\n_m\n\n|\n"), "12_m\"\"@4 13@6 12_m\"\"@11 13@13");
}

static void errors(void)
{
	CHECK_TRACE(ALL("12x\n"), "-2@2");
	CHECK_TRACE(ALL("\n:\tv\n"), "-3@2");
	CHECK_TRACE(ALL(":_a 3\tfoo\n"), "-4@3");
	CHECK_TRACE(ALL("\n:_a x\tv\n"), "-5@5");
	CHECK_TRACE(ALL("\n:_a 3\tfood\n"), "8:_a\"foo\"/3@10 -6@10");
	CHECK_TRACE(ALL("\n_m x\n"), "-7@3");
	CHECK_TRACE(ALL("\n*\n"), "-8@1");
	CHECK_TRACE(ALL("6\n_m\nabcdef\n|\n"), "12_m\"ab\"/2@7 -8@7");
	CHECK_TRACE(ALL("5\n_message_private\nx\n|\n"), "-2@7");
	CHECK_TRACE(ALL("\n:_a 18446744073709551610\tfoo\n"), "-5@24");
	CHECK_TRACE(ALL("|x"), "-8@1");
}

/* The content of a packet with a declared size comes in parts. */
static void parts(void)
{
	static const char PACKET[] = "27\n=_note 5\ta\n|\nb\n_data\nx\n|\ny\n|\n";
	static const char EVENTS[] = "8=_note\"a\\n|\\nb\"/5 12_data\"x\\n|\\ny\"/5 13";

	CHECK_TRACE(trace_packet(PSYC_PARSE_ALL, PACKET, sizeof(PACKET) - 1, 14), "5=_note\"a\\n\"/5 1 7\"|\\nb\"/5 9_data\"x\\n|\\n\"/5 1 11\"y\"/5 13");
	CHECK_TRACE(trace_packet(PSYC_PARSE_ALL, PACKET, sizeof(PACKET) - 1, 40), EVENTS);
	CHECK_TRACE(trace_packet(PSYC_PARSE_ALL, PACKET, sizeof(PACKET) - 1, 12), "5=_note\"\"/5 1 7\"a\\n|\\nb\"/5 9_data\"\"/5 1 12\"x\\n|\\ny\"/5 13");
}

static void modes(void)
{
	CHECK_TRACE(ROUTING_ONLY(":_source\ta\n\n:_x\ty\n_m\nbody\n|\n"), "2:_source\"a\"@10 12\":_x\\ty\\n_m\\nbody\\n\"@26 13@28");
	CHECK_TRACE(ROUTING_ONLY("9\n_m\na\n|\nb\n|\n"), "12\"_m\\na\\n|\\nb\\n\"/9@11 13@13");
	CHECK_TRACE(ROUTING_ONLY("\n|\n"), "12\"\"@1 13@3");
	CHECK_TRACE(ROUTING_ONLY("|\n"), "13@2");
	CHECK_TRACE(ROUTING_ONLY("\n:_a x\tnot parsed\n|\n"), "12\":_a x\\tnot parsed\\n\"@18 13@20");
	CHECK_TRACE(CONTENT(":_x\ty\n_m\nbody\n"), "8:_x\"y\"@5 12_m\"body\"/4@13 13@14");
	CHECK_TRACE(CONTENT("=\n=_a\tb\n"), "4=@1 8=_a\"b\"@7 13@8");
	CHECK_TRACE(CONTENT(""), "13@0");
	CHECK_TRACE(CONTENT("\n"), "13@1");
}

/* The uses that programs make of the state, its accessors and its fields. */
static void accessors(void)
{
	static const char PACKET[] = ":_source\tx\n19\n:_a 3\tfoo\n_m\n12345\n|\n";
	PsycParseState state;
	char oper = 'u';
	PsycString name = PSYC_C2STR("unset"), value = PSYC_C2STR("unset");

	psyc_parse_state_init(&state, PSYC_PARSE_ALL);
	CHECK_NUM(state.part, PSYC_PART_ROUTING);
	psyc_parse_buffer_set(&state, PACKET, 4);
	CHECK_NUM(psyc_parse(&state, &oper, &name, &value), PSYC_PARSE_INSUFFICIENT);
	CHECK_NUM(oper, 'u');
	CHECK_STRING(name, "unset");
	CHECK_STRING(value, "unset");
	CHECK_NUM(psyc_parse_remaining_length(&state), 4);
	CHECK(psyc_parse_remaining_buffer(&state) == PACKET);

	psyc_parse_buffer_set(&state, PACKET, sizeof(PACKET) - 1);
	CHECK_NUM(psyc_parse_buffer_length(&state), sizeof(PACKET) - 1);
	CHECK_NUM(psyc_parse(&state, &oper, &name, &value), PSYC_PARSE_ROUTING);
	CHECK(name.data == PACKET + 1);
	CHECK_NUM(psyc_parse_content_length_found(&state), PSYC_NO);
	CHECK_NUM(psyc_parse(&state, &oper, &name, &value), PSYC_PARSE_ENTITY);
	CHECK_NUM(state.part, PSYC_PART_CONTENT);
	CHECK_NUM(psyc_parse_content_length_found(&state), PSYC_YES);
	CHECK_NUM(psyc_parse_content_length(&state), 19);
	CHECK_NUM(psyc_parse_value_length_found(&state), PSYC_YES);
	CHECK_NUM(psyc_parse_value_length(&state), 3);
	CHECK_NUM(state.valuelen, 3);
	CHECK_NUM(state.routinglen, 11);
	CHECK_NUM(psyc_parse(&state, &oper, &name, &value), PSYC_PARSE_BODY);
	CHECK_STRING(name, "_m");
	CHECK_STRING(value, "12345");
	CHECK_NUM(oper, ':');
	CHECK_NUM(state.content_parsed, 18);
	CHECK_NUM(psyc_parse(&state, &oper, &name, &value), PSYC_PARSE_COMPLETE);
	CHECK_NUM(state.part, PSYC_PART_RESET);
	CHECK_NUM(psyc_parse_content_length(&state), 19);
	CHECK_NUM(psyc_parse_remaining_length(&state), 0);
	CHECK_NUM(psyc_parse_cursor(&state), sizeof(PACKET) - 1);
	CHECK_NUM(psyc_parse(&state, &oper, &name, &value), PSYC_PARSE_INSUFFICIENT);
	CHECK_NUM(psyc_parse_content_length_found(&state), PSYC_NO);
}

/* States that no parser made, and no place for results. */
static void misuse(void)
{
	PsycParseState state;

	psyc_parse_state_init(&state, PSYC_PARSE_ALL);
	CHECK_NUM(psyc_parse(&state, NULL, NULL, NULL), PSYC_PARSE_INSUFFICIENT);
	psyc_parse_buffer_set(&state, PSYC_C2ARG(":_a\tb\n|\n"));
	CHECK_NUM(psyc_parse(&state, NULL, NULL, NULL), PSYC_PARSE_ROUTING);
	state.cursor = 1000;
	CHECK_NUM(psyc_parse(&state, NULL, NULL, NULL), PSYC_PARSE_ERROR);
	CHECK_NUM(psyc_parse(NULL, NULL, NULL, NULL), PSYC_PARSE_ERROR);

	psyc_parse_state_init(&state, PSYC_PARSE_ALL);
	psyc_parse_buffer_set(&state, PSYC_C2ARG("x"));
	CHECK_NUM(psyc_parse(&state, NULL, NULL, NULL), PSYC_PARSE_ERROR_END);
	psyc_parse_buffer_set(&state, PSYC_C2ARG("|\n"));
	CHECK_NUM(psyc_parse(&state, NULL, NULL, NULL), PSYC_PARSE_ERROR_END);
}

void test_parse(void)
{
	examples();
	errors();
	parts();
	modes();
	accessors();
	misuse();
}
