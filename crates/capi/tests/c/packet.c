/* docs/spec/psyc.md 11.1, 11.2 and 15: flags, lengths and packet ids. */
#include "test.h"

static void modifiers(void)
{
	static char ten[] = "0123456789", nine[] = "012345678", line[] = "a\nb", name[] = "_name";
	PsycModifier m;

	psyc_modifier_init(&m, PSYC_OPERATOR_ASSIGN, name, 5, ten, 10, PSYC_MODIFIER_CHECK_LENGTH);
	CHECK_NUM(m.flag, PSYC_MODIFIER_NEED_LENGTH);
	CHECK_NUM(m.oper, '=');
	CHECK(m.name.data == name && m.name.length == 5 && m.value.data == ten && m.value.length == 10);
	CHECK_NUM(psyc_modifier_length(&m), 1 + 5 + 3 + 1 + 10 + 1);
	psyc_modifier_init(&m, PSYC_OPERATOR_SET, name, 5, nine, 9, PSYC_MODIFIER_CHECK_LENGTH);
	CHECK_NUM(m.flag, PSYC_MODIFIER_NO_LENGTH);
	CHECK_NUM(psyc_modifier_length(&m), 1 + 5 + 1 + 9 + 1);
	psyc_modifier_init(&m, PSYC_OPERATOR_SET, name, 5, line, 3, PSYC_MODIFIER_CHECK_LENGTH);
	CHECK_NUM(m.flag, PSYC_MODIFIER_NEED_LENGTH);
	psyc_modifier_init(&m, PSYC_OPERATOR_SET, name, 5, NULL, 0, PSYC_MODIFIER_CHECK_LENGTH);
	CHECK_NUM(m.flag, PSYC_MODIFIER_NO_LENGTH);
	CHECK_NUM(psyc_modifier_length(&m), 1 + 5 + 1 + 1);
	psyc_modifier_init(&m, PSYC_OPERATOR_SET, name, 5, nine, 9, PSYC_MODIFIER_NEED_LENGTH);
	CHECK_NUM(m.flag, PSYC_MODIFIER_NEED_LENGTH);
	CHECK_NUM(psyc_modifier_length(&m), 1 + 5 + 2 + 1 + 9 + 1);
	CHECK_NUM(psyc_modifier_length_check(&m), PSYC_MODIFIER_NO_LENGTH);
	psyc_modifier_init(&m, PSYC_OPERATOR_SET, name, 5, ten, 10, PSYC_MODIFIER_NO_LENGTH);
	CHECK_NUM(m.flag, PSYC_MODIFIER_NO_LENGTH);
	CHECK_NUM(psyc_modifier_length_check(&m), PSYC_MODIFIER_NEED_LENGTH);
	psyc_modifier_init(&m, PSYC_OPERATOR_SET, name, 5, ten, 10, PSYC_MODIFIER_ROUTING);
	CHECK_NUM(m.flag, PSYC_MODIFIER_ROUTING | PSYC_MODIFIER_NO_LENGTH);
	CHECK_NUM(psyc_modifier_length(&m), 1 + 5 + 1 + 10 + 1);

	/* A modifier that was not initialised is written with its length. */
	m = PSYC_MODIFIER(PSYC_OPERATOR_SET, PSYC_C2STR("_a"), PSYC_C2STR("b"), PSYC_MODIFIER_CHECK_LENGTH);
	CHECK_NUM(psyc_modifier_length(&m), 1 + 2 + 2 + 1 + 1 + 1);
	m = PSYC_MODIFIER(PSYC_OPERATOR_SET, PSYC_C2STR(""), PSYC_C2STR(""), PSYC_MODIFIER_NO_LENGTH);
	CHECK_NUM(psyc_modifier_length(&m), 2);
}

static void elements(void)
{
	PsycString nine = PSYC_C2STR("012345678"), ten = PSYC_C2STR("0123456789"), bar = PSYC_C2STR("a|b"), brace = PSYC_C2STR("a}b"), empty = PSYC_C2STR("");
	PsycElem elems[] = { PSYC_ELEM_V("a|b", 3), PSYC_ELEM_TV("_x", 2, "0123456789", 10), PSYC_ELEM_TV("_y", 2, "", 0), PSYC_ELEM_V("a", 1) };
	PsycDictElem entries[] = { PSYC_DICT_ELEM(PSYC_DICT_KEY("a}", 2, PSYC_ELEM_CHECK_LENGTH), PSYC_ELEM_V("1{", 2)),
		                   PSYC_DICT_ELEM(PSYC_DICT_KEY("ab", 2, PSYC_ELEM_NEED_LENGTH), PSYC_ELEM_TV("_n", 2, "x", 1)) };
	PsycList list;
	PsycDict dict;

	CHECK_NUM(psyc_elem_length_check(&nine, '|'), PSYC_ELEM_NO_LENGTH);
	CHECK_NUM(psyc_elem_length_check(&ten, '|'), PSYC_ELEM_NEED_LENGTH);
	CHECK_NUM(psyc_elem_length_check(&bar, '|'), PSYC_ELEM_NEED_LENGTH);
	CHECK_NUM(psyc_elem_length_check(&bar, '{'), PSYC_ELEM_NO_LENGTH);
	CHECK_NUM(psyc_elem_length_check(&brace, '}'), PSYC_ELEM_NEED_LENGTH);
	CHECK_NUM(psyc_elem_length_check(&empty, '|'), PSYC_ELEM_NO_LENGTH);

	psyc_list_init(&list, elems, PSYC_NUM_ELEM(elems));
	CHECK(list.elems == elems && list.num_elems == 4 && list.type.length == 0);
	CHECK_NUM(elems[0].flag, PSYC_ELEM_NEED_LENGTH);
	CHECK_NUM(elems[0].length, 5);
	CHECK_NUM(elems[1].flag, PSYC_ELEM_NEED_LENGTH);
	CHECK_NUM(elems[1].length, 17);
	CHECK_NUM(elems[2].flag, PSYC_ELEM_NO_LENGTH);
	CHECK_NUM(elems[2].length, 3);
	CHECK_NUM(elems[3].flag, PSYC_ELEM_NO_LENGTH);
	CHECK_NUM(psyc_elem_length(&elems[3]), 2);
	CHECK_NUM(list.length, 5 + 17 + 3 + 2 + 4);
	list.type = PSYC_C2STR("_t");
	CHECK_NUM(psyc_list_length_set(&list), 33);
	CHECK_NUM(list.length, 33);

	psyc_dict_init(&dict, entries, PSYC_NUM_ELEM(entries));
	CHECK_NUM(entries[0].key.flag, PSYC_ELEM_NEED_LENGTH);
	CHECK_NUM(entries[0].key.length, 4);
	CHECK_NUM(entries[0].value.flag, PSYC_ELEM_NEED_LENGTH);
	CHECK_NUM(entries[0].value.length, 4);
	CHECK_NUM(psyc_dict_key_length(&entries[1].key), 4);
	CHECK_NUM(dict.length, 21);
	dict.type = PSYC_C2STR("_t");
	CHECK_NUM(psyc_dict_length_set(&dict), 23);
	CHECK_NUM(dict.length, 23);
}

static void lengths(void)
{
	static char data[] = "ok", method[] = "_message", content[] = "_m\na\n|\nb\n";
	PsycModifier routing[1], entity[2];
	PsycPacket p;

	CHECK_NUM(psyc_num_length(0), 1);
	CHECK_NUM(psyc_num_length(9), 1);
	CHECK_NUM(psyc_num_length(10), 2);
	CHECK_NUM(psyc_num_length(SIZE_MAX), 20);

	/* docs/spec/psyc.md 18.6. */
	psyc_modifier_init(&routing[0], PSYC_OPERATOR_SET, PSYC_C2ARG("_source"), PSYC_C2ARG("psyc://h/~a"), PSYC_MODIFIER_ROUTING);
	psyc_modifier_init(&entity[0], PSYC_OPERATOR_SET, PSYC_C2ARG("_topic"), PSYC_C2ARG("weather"), PSYC_MODIFIER_CHECK_LENGTH);
	psyc_modifier_init(&entity[1], PSYC_OPERATOR_ASSIGN, PSYC_C2ARG("_text"), PSYC_C2ARG("fine weather"), PSYC_MODIFIER_CHECK_LENGTH);
	psyc_packet_init(&p, routing, 1, entity, 2, method, 8, data, 2, PSYC_STATE_NOOP, PSYC_PACKET_CHECK_LENGTH);
	CHECK(p.routing.modifiers == routing && p.routing.lines == 1 && p.entity.modifiers == entity && p.entity.lines == 2);
	CHECK(p.method.data == method && p.data.data == data && p.content.length == 0);
	CHECK_NUM(p.flag, PSYC_PACKET_NEED_LENGTH);
	CHECK_NUM(p.stateop, PSYC_STATE_NOOP);
	CHECK_NUM(p.routinglen, 21);
	CHECK_NUM(p.contentlen, 51);
	CHECK_NUM(p.length, 77);

	p.flag = PSYC_PACKET_NO_LENGTH;
	CHECK_NUM(psyc_packet_length_set(&p), 75);
	CHECK_NUM(p.length, 75);
	CHECK_NUM(psyc_packet_length_check(&p), PSYC_PACKET_NEED_LENGTH);

	psyc_packet_init(&p, NULL, 0, entity, 1, method, 8, data, 2, PSYC_STATE_RESET, PSYC_PACKET_CHECK_LENGTH);
	CHECK_NUM(p.flag, PSYC_PACKET_NO_LENGTH);
	CHECK_NUM(p.stateop, PSYC_STATE_RESET);
	CHECK_NUM(p.contentlen, 2 + 16 + 9 + 3);
	psyc_packet_init(&p, NULL, 0, NULL, 0, NULL, 0, NULL, 0, PSYC_STATE_NOOP, PSYC_PACKET_NEED_LENGTH);
	CHECK_NUM(p.length, 2);

	psyc_packet_init_raw(&p, routing, 1, content, 9, PSYC_PACKET_NEED_LENGTH);
	CHECK(p.content.data == content && p.content.length == 9 && p.entity.lines == 0 && p.method.length == 0 && p.data.length == 0);
	CHECK_NUM(p.contentlen, 9);
	CHECK_NUM(p.length, 21 + 1 + 1 + 9 + 2);
	psyc_packet_init_raw(&p, NULL, 0, content, 5, PSYC_PACKET_CHECK_LENGTH);
	CHECK_NUM(p.flag, PSYC_PACKET_NO_LENGTH);
	/* With the delimiter inside, a size is needed (psyc-D13). */
	psyc_packet_init_raw(&p, NULL, 0, content, 9, PSYC_PACKET_CHECK_LENGTH);
	CHECK_NUM(p.flag, PSYC_PACKET_NEED_LENGTH);
}

static void packet_id(void)
{
	PsycList list;
	PsycElem elems[PSYC_PACKET_ID_ELEMS];
	char out[64];

	memset(elems, 0, sizeof(elems));
	psyc_packet_id(&list, elems, NULL, 0, PSYC_C2ARG("psyc://h/~a"), PSYC_C2ARG("psyc://h/~b"), PSYC_C2ARG("7"), NULL, 0);
	CHECK_NUM(list.num_elems, 5);
	CHECK_STRING(elems[PSYC_PACKET_ID_SOURCE].value, "psyc://h/~a");
	CHECK_STRING(elems[PSYC_PACKET_ID_FRAGMENT].value, "");
	CHECK_NUM(psyc_render_list(&list, out, sizeof(out)), PSYC_RENDER_SUCCESS);
	CHECK_BYTES(out, list.length, "|| psyc://h/~a| psyc://h/~b| 7|");
	memset(elems, 0, sizeof(elems));
	psyc_packet_id(&list, elems, PSYC_C2ARG("psyc://h/@room"), PSYC_C2ARG("psyc://h/~ann"), NULL, 0, PSYC_C2ARG("12"), NULL, 0);
	CHECK_NUM(psyc_render_list(&list, out, sizeof(out)), PSYC_RENDER_SUCCESS);
	CHECK_BYTES(out, list.length, "| psyc://h/@room| psyc://h/~ann|| 12|");
}

void test_packet(void)
{
	modifiers();
	elements();
	lengths();
	packet_id();
}
