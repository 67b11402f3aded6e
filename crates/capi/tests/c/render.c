/* docs/spec/psyc.md 11.3 to 11.5. */
#include <stdlib.h>

#include "test.h"

/* Renders a packet into a block of exactly its length, and a shorter one. */
static void is_rendered(PsycPacket *p, const char *expected, size_t length, int line)
{
	char *out = (char *) malloc(p->length);

	check(psyc_render(p, out, p->length) == PSYC_RENDER_SUCCESS, "rendered", __FILE__, line);
	check_bytes(out, p->length, expected, length, "rendered", __FILE__, line);
	check(psyc_render(p, out, p->length - 1) == PSYC_RENDER_ERROR, "too small", __FILE__, line);
	free(out);
}
#define IS_RENDERED(p, literal) is_rendered(p, literal, sizeof(literal) - 1, __LINE__)

static void packets(void)
{
	PsycModifier routing[1], entity[2];
	PsycPacket p;

	psyc_packet_init(&p, NULL, 0, NULL, 0, NULL, 0, NULL, 0, PSYC_STATE_NOOP, PSYC_PACKET_CHECK_LENGTH);
	IS_RENDERED(&p, "|\n");

	psyc_modifier_init(&routing[0], PSYC_OPERATOR_SET, PSYC_C2ARG("_source"), PSYC_C2ARG("psyc://h/~a"), PSYC_MODIFIER_ROUTING);
	psyc_modifier_init(&entity[0], PSYC_OPERATOR_SET, PSYC_C2ARG("_topic"), PSYC_C2ARG("weather"), PSYC_MODIFIER_CHECK_LENGTH);
	psyc_modifier_init(&entity[1], PSYC_OPERATOR_ASSIGN, PSYC_C2ARG("_text"), PSYC_C2ARG("fine weather"), PSYC_MODIFIER_CHECK_LENGTH);
	psyc_packet_init(&p, routing, 1, entity, 2, PSYC_C2ARG("_message"), PSYC_C2ARG("ok"), PSYC_STATE_NOOP, PSYC_PACKET_CHECK_LENGTH);
	IS_RENDERED(&p, ":_source\tpsyc://h/~a\n51\n:_topic\tweather\n=_text 12\tfine weather\n_message\nok\n|\n");
	psyc_packet_init(&p, routing, 1, entity, 1, PSYC_C2ARG("_m"), NULL, 0, PSYC_STATE_RESET, PSYC_PACKET_CHECK_LENGTH);
	IS_RENDERED(&p, ":_source\tpsyc://h/~a\n\n=\n:_topic\tweather\n_m\n|\n");
	psyc_packet_init(&p, NULL, 0, NULL, 0, NULL, 0, NULL, 0, PSYC_STATE_RESYNC, PSYC_PACKET_NEED_LENGTH);
	IS_RENDERED(&p, "2\n?\n|\n");

	psyc_packet_init(&p, NULL, 0, NULL, 0, PSYC_C2ARG("_m"), PSYC_C2ARG("|"), PSYC_STATE_NOOP, PSYC_PACKET_CHECK_LENGTH);
	IS_RENDERED(&p, "5\n_m\n|\n|\n");
	psyc_packet_init(&p, NULL, 0, NULL, 0, PSYC_C2ARG("_m"), PSYC_C2ARG("a\n|\nb"), PSYC_STATE_NOOP, PSYC_PACKET_CHECK_LENGTH);
	IS_RENDERED(&p, "9\n_m\na\n|\nb\n|\n");
	/* psyc-D12: such data would be read otherwise without a length. */
	psyc_packet_init(&p, NULL, 0, NULL, 0, PSYC_C2ARG("_m"), PSYC_C2ARG("|\nb"), PSYC_STATE_NOOP, PSYC_PACKET_CHECK_LENGTH);
	IS_RENDERED(&p, "7\n_m\n|\nb\n|\n");
	psyc_packet_init(&p, NULL, 0, NULL, 0, PSYC_C2ARG("_m"), PSYC_C2ARG("123456789"), PSYC_STATE_NOOP, PSYC_PACKET_CHECK_LENGTH);
	IS_RENDERED(&p, "\n_m\n123456789\n|\n");
	psyc_packet_init(&p, NULL, 0, NULL, 0, PSYC_C2ARG("_m"), PSYC_C2ARG("1234567890"), PSYC_STATE_NOOP, PSYC_PACKET_CHECK_LENGTH);
	IS_RENDERED(&p, "14\n_m\n1234567890\n|\n");
	psyc_packet_init(&p, NULL, 0, NULL, 0, PSYC_C2ARG("_m"), PSYC_C2ARG("1234567890"), PSYC_STATE_NOOP, PSYC_PACKET_NO_LENGTH);
	IS_RENDERED(&p, "\n_m\n1234567890\n|\n");

	psyc_packet_init_raw(&p, routing, 1, PSYC_C2ARG("_m\na\n|\nb\n"), PSYC_PACKET_NEED_LENGTH);
	IS_RENDERED(&p, ":_source\tpsyc://h/~a\n9\n_m\na\n|\nb\n|\n");
	psyc_packet_init_raw(&p, routing, 1, PSYC_C2ARG("_m\nab\n"), PSYC_PACKET_NO_LENGTH);
	IS_RENDERED(&p, ":_source\tpsyc://h/~a\n\n_m\nab\n|\n");
}

static void errors(void)
{
	PsycModifier nameless = PSYC_MODIFIER(PSYC_OPERATOR_SET, PSYC_C2STR(""), PSYC_C2STR("x"), PSYC_MODIFIER_NO_LENGTH);
	PsycModifier wrong = PSYC_MODIFIER('*', PSYC_C2STR("_a"), PSYC_C2STR("x"), PSYC_MODIFIER_NO_LENGTH);
	PsycPacket p;
	char out[64];

	psyc_packet_init(&p, &nameless, 1, NULL, 0, NULL, 0, NULL, 0, PSYC_STATE_NOOP, PSYC_PACKET_CHECK_LENGTH);
	CHECK_NUM(psyc_render(&p, out, sizeof(out)), PSYC_RENDER_ERROR_MODIFIER_NAME_MISSING);
	CHECK_NUM(psyc_render(&p, out, 0), PSYC_RENDER_ERROR);
	psyc_packet_init(&p, NULL, 0, &nameless, 1, PSYC_C2ARG("_m"), NULL, 0, PSYC_STATE_NOOP, PSYC_PACKET_CHECK_LENGTH);
	CHECK_NUM(psyc_render(&p, out, sizeof(out)), PSYC_RENDER_ERROR_MODIFIER_NAME_MISSING);
	psyc_packet_init(&p, NULL, 0, NULL, 0, NULL, 0, PSYC_C2ARG("data"), PSYC_STATE_NOOP, PSYC_PACKET_CHECK_LENGTH);
	CHECK_NUM(psyc_render(&p, out, sizeof(out)), PSYC_RENDER_ERROR_METHOD_MISSING);
	psyc_packet_init(&p, &wrong, 1, NULL, 0, NULL, 0, NULL, 0, PSYC_STATE_NOOP, PSYC_PACKET_CHECK_LENGTH);
	CHECK_NUM(psyc_render(&p, out, sizeof(out)), PSYC_RENDER_ERROR);
	psyc_packet_init(&p, NULL, 0, NULL, 0, NULL, 0, NULL, 0, 'x', PSYC_PACKET_CHECK_LENGTH);
	CHECK_NUM(psyc_render(&p, out, sizeof(out)), PSYC_RENDER_ERROR);
	CHECK_NUM(psyc_render(NULL, out, sizeof(out)), PSYC_RENDER_ERROR);
}

static void modifier(void)
{
	PsycModifier m;
	char out[64];

	psyc_modifier_init(&m, PSYC_OPERATOR_DIMINISH, PSYC_C2ARG("_list"), PSYC_C2ARG("| a\n| bcdef"), PSYC_MODIFIER_CHECK_LENGTH);
	CHECK_NUM(psyc_render_modifier(&m, out), psyc_modifier_length(&m));
	CHECK_BYTES(out, psyc_modifier_length(&m), "-_list 11\t| a\n| bcdef\n");
	psyc_modifier_init(&m, PSYC_OPERATOR_QUERY, PSYC_C2ARG("_x"), NULL, 0, PSYC_MODIFIER_NEED_LENGTH);
	CHECK_NUM(psyc_render_modifier(&m, out), 5);
	CHECK_BYTES(out, 5, "?_x\t\n");
	psyc_modifier_init(&m, PSYC_OPERATOR_SET, PSYC_C2ARG(""), PSYC_C2ARG("x"), PSYC_MODIFIER_CHECK_LENGTH);
	CHECK_NUM(psyc_render_modifier(&m, out), 1);
	CHECK_NUM(out[0], ':');
}

static void lists(void)
{
	PsycElem elems[] = { PSYC_ELEM_V("a|b", 3), PSYC_ELEM_TV("_x", 2, "0123456789", 10), PSYC_ELEM_TV("_y", 2, "", 0), PSYC_ELEM_V("a", 1),
		             PSYC_ELEM("_z", 2, "b", 1, PSYC_ELEM_NEED_LENGTH), PSYC_ELEM_VF("c|", 2, PSYC_ELEM_NO_LENGTH) };
	PsycList list;
	char out[128];

	psyc_list_init(&list, elems, 0);
	CHECK_NUM(list.length, 0);
	CHECK_NUM(psyc_render_list(&list, out, 0), PSYC_RENDER_SUCCESS);
	psyc_list_init(&list, elems, PSYC_NUM_ELEM(elems));
	CHECK_NUM(psyc_render_list(&list, out, list.length), PSYC_RENDER_SUCCESS);
	CHECK_BYTES(out, list.length, "|3 a|b|=_x:10 0123456789|=_y| a|=_z:1 b| c|");
	CHECK_NUM(psyc_render_list(&list, out, list.length - 1), PSYC_RENDER_ERROR);
	list.type = PSYC_C2STR("_t");
	psyc_list_length_set(&list);
	CHECK_NUM(psyc_render_list(&list, out, sizeof(out)), PSYC_RENDER_SUCCESS);
	CHECK_BYTES(out, list.length, "_t|3 a|b|=_x:10 0123456789|=_y| a|=_z:1 b| c|");
	CHECK_NUM(psyc_render_elem(&elems[1], out, elems[1].length), PSYC_RENDER_SUCCESS);
	CHECK_BYTES(out, elems[1].length, "=_x:10 0123456789");
	CHECK_NUM(psyc_render_elem(&elems[1], out, elems[1].length - 1), PSYC_RENDER_ERROR);
}

static void dicts(void)
{
	PsycDictElem elems[] = { PSYC_DICT_ELEM(PSYC_DICT_KEY("a}", 2, PSYC_ELEM_CHECK_LENGTH), PSYC_ELEM_V("1{", 2)),
		                 PSYC_DICT_ELEM(PSYC_DICT_KEY("ab", 2, PSYC_ELEM_NEED_LENGTH), PSYC_ELEM_TV("_n", 2, "x", 1)),
		                 PSYC_DICT_ELEM(PSYC_DICT_KEY("k", 1, PSYC_ELEM_CHECK_LENGTH), PSYC_ELEM_V("|", 1)),
		                 PSYC_DICT_ELEM(PSYC_DICT_KEY("7", 1, PSYC_ELEM_CHECK_LENGTH), PSYC_ELEM_V("", 0)),
		                 PSYC_DICT_ELEM(PSYC_DICT_KEY("", 0, PSYC_ELEM_NEED_LENGTH), PSYC_ELEM_V("", 0)) };
	PsycDict dict;
	char out[128];

	psyc_dict_init(&dict, elems, PSYC_NUM_ELEM(elems));
	CHECK_NUM(psyc_render_dict(&dict, out, dict.length), PSYC_RENDER_SUCCESS);
	CHECK_BYTES(out, dict.length, "{2 a}}2 1{{2 ab}=_n x{k} |{1 7}{0 }");
	CHECK_NUM(psyc_render_dict(&dict, out, dict.length - 1), PSYC_RENDER_ERROR);
	CHECK_NUM(psyc_render_dict_key(&elems[0].key, out, sizeof(out)), PSYC_RENDER_SUCCESS);
	CHECK_BYTES(out, elems[0].key.length, "2 a}");
	CHECK_NUM(psyc_render_dict_key(&elems[0].key, out, 3), PSYC_RENDER_ERROR);
}

void test_render(void)
{
	packets();
	errors();
	modifier();
	lists();
	dicts();
}
