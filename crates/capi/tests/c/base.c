/* Constants, and the macros of psyc.h and packet.h. */
#include "test.h"

static const PsycString IN_AN_INITIALISER = PSYC_C2STRI("static");

static size_t sum(const char *data, size_t length)
{
	return (data[0] == 'a') * 100 + length;
}

static size_t sum2(size_t length, const char *data)
{
	return sum(data, length);
}

void test_base(void)
{
	PsycString s = PSYC_C2STR("a\0b");
	PsycString t = PSYC_STRING(s.data + 1, 2);
	int numbers[7];
	char text[32];
	PsycElem e = PSYC_ELEM("_t", 2, "value", 5, PSYC_ELEM_NEED_LENGTH);
	PsycElem tv = PSYC_ELEM_TV("_t", 2, "value", 5);
	PsycElem vf = PSYC_ELEM_VF("value", 5, PSYC_ELEM_NO_LENGTH);
	PsycElem v = PSYC_ELEM_V("value", 5);
	PsycDictElem d = PSYC_DICT_ELEM(PSYC_DICT_KEY("key", 3, PSYC_ELEM_NEED_LENGTH), PSYC_ELEM_V("value", 5));
	PsycDictElem dv = PSYC_DICT_ELEM(PSYC_DICT_KEY("key", 3, PSYC_ELEM_CHECK_LENGTH), v);
	PsycModifier m = PSYC_MODIFIER(PSYC_OPERATOR_ASSIGN, PSYC_C2STR("_name"), s, PSYC_MODIFIER_NEED_LENGTH);
	PsycElem elems[] = { PSYC_ELEM_V("one", 3), PSYC_ELEM_TV("_t", 2, "two", 3) };

	CHECK_NUM(PSYC_VERSION, 1);
	CHECK_NUM(PSYC_EPOCH, 1440444041);
	CHECK_NUM(PSYC_CONTENT_SIZE_MAX, 512);
	CHECK_NUM(PSYC_MODIFIER_SIZE_MAX, 256);
	CHECK_NUM(PSYC_ELEM_SIZE_MAX, 128);
	CHECK_NUM(PSYC_CONTENT_SIZE_THRESHOLD, 9);
	CHECK_NUM(PSYC_MODIFIER_SIZE_THRESHOLD, 9);
	CHECK_NUM(PSYC_ELEM_SIZE_THRESHOLD, 9);
	CHECK_BYTES(PSYC_PACKET_DELIMITER, sizeof(PSYC_PACKET_DELIMITER) - 1, "\n|\n");
	CHECK_NUM(PSYC_PACKET_DELIMITER_CHAR, '|');
	CHECK_NUM(PSYC_LIST_ELEM_START, '|');
	CHECK_NUM(PSYC_DICT_KEY_START, '{');
	CHECK_NUM(PSYC_DICT_KEY_END, '}');
	CHECK_NUM(PSYC_DICT_VALUE_START, '}');
	CHECK_NUM(PSYC_DICT_VALUE_END, '{');

	CHECK_STRING(s, "a\0b");
	CHECK_STRING(t, "\0b");
	CHECK_STRING(IN_AN_INITIALISER, "static");
	CHECK_NUM(sum(PSYC_C2ARG("abc")), 103);
	CHECK_NUM(sum(PSYC_C2ARG1("abc")), 104);
	CHECK_NUM(sum2(PSYC_C2ARG2("abc")), 103);
	CHECK_NUM(sum(PSYC_S2ARG(s)), 103);
	CHECK_NUM(sum2(PSYC_S2ARG2(s)), 103);
	CHECK_NUM(PSYC_NUM_ELEM(numbers), 7);
	CHECK_NUM(PSYC_NUM_ELEM(elems), 2);
	snprintf(text, sizeof(text), "<%.*s>", PSYC_S2ARGP(IN_AN_INITIALISER));
	CHECK_BYTES(text, strlen(text), "<static>");

	CHECK_STRING(e.type, "_t");
	CHECK_STRING(e.value, "value");
	CHECK_NUM(e.length, 0);
	CHECK_NUM(e.flag, PSYC_ELEM_NEED_LENGTH);
	CHECK_STRING(tv.type, "_t");
	CHECK_STRING(tv.value, "value");
	CHECK_NUM(tv.flag, PSYC_ELEM_CHECK_LENGTH);
	CHECK_NUM(vf.type.length, 0);
	CHECK(vf.type.data == NULL);
	CHECK_STRING(vf.value, "value");
	CHECK_NUM(vf.flag, PSYC_ELEM_NO_LENGTH);
	CHECK_STRING(v.value, "value");
	CHECK_NUM(v.type.length + v.length + (size_t) v.flag, 0);
	CHECK_STRING(d.key.value, "key");
	CHECK_NUM(d.key.flag, PSYC_ELEM_NEED_LENGTH);
	CHECK_STRING(d.value.value, "value");
	CHECK_STRING(dv.value.value, "value");
	CHECK_STRING(m.name, "_name");
	CHECK_STRING(m.value, "a\0b");
	CHECK_NUM(m.oper, '=');
	CHECK_NUM(m.flag, PSYC_MODIFIER_NEED_LENGTH);
	CHECK_STRING(elems[1].type, "_t");
}
