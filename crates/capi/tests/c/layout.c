/* Sizes, offsets and numbers of docs/spec/psyc.md Annex A, for 64-bit systems: the library was compiled with the same ones. */
#include "test.h"

#if defined(__LP64__) || defined(_LP64)

#define SIZE(type, size) _Static_assert(sizeof(type) == (size), #type)
#define AT(type, field, offset) _Static_assert(offsetof(type, field) == (offset), #type "." #field)

SIZE(PsycBool, 4);
SIZE(PsycRC, 4);
SIZE(PsycMethod, 4);
SIZE(PsycMethodFlag, 4);
SIZE(PsycModifierFlag, 4);
SIZE(PsycElemFlag, 4);
SIZE(PsycPacketFlag, 4);
SIZE(PsycOperator, 4);
SIZE(PsycStateOp, 4);
SIZE(PsycPacketId, 4);
SIZE(PsycRoutingVar, 4);
SIZE(PsycType, 4);
SIZE(PsycRenderRC, 4);
SIZE(PsycParseFlag, 4);
SIZE(PsycParseRC, 4);
SIZE(PsycPart, 4);
SIZE(PsycParseListRC, 4);
SIZE(PsycListPart, 4);
SIZE(PsycParseDictRC, 4);
SIZE(PsycDictPart, 4);
SIZE(PsycParseIndexRC, 4);
SIZE(PsycIndexPart, 4);
SIZE(PsycParseUpdateRC, 4);
SIZE(PsycUpdatePart, 4);
SIZE(PsycTextRC, 4);
SIZE(PsycTextValueRC, 4);
SIZE(PsycScheme, 4);
SIZE(PsycUniformPart, 4);
SIZE(PsycParseUniformRC, 4);
SIZE(PsycTransport, 4);
SIZE(PsycEntityType, 4);

SIZE(PsycString, 16);
AT(PsycString, length, 0);
AT(PsycString, data, 8);

SIZE(PsycMap, 24);
AT(PsycMap, value, 16);
SIZE(PsycMapInt, 24);
AT(PsycMapInt, value, 16);

SIZE(PsycTemplates, 34 * 16);
AT(PsycTemplates, s._converse, 16);
AT(PsycTemplates, s._notice_context_enter, 18 * 16);
AT(PsycTemplates, s._warning, 33 * 16);

SIZE(PsycElem, 48);
AT(PsycElem, value, 16);
AT(PsycElem, length, 32);
AT(PsycElem, flag, 40);
SIZE(PsycDictKey, 32);
AT(PsycDictKey, length, 16);
AT(PsycDictKey, flag, 24);
SIZE(PsycDictElem, 80);
AT(PsycDictElem, key, 48);
SIZE(PsycDict, 40);
AT(PsycDict, elems, 16);
AT(PsycDict, num_elems, 24);
AT(PsycDict, length, 32);
SIZE(PsycList, 40);
AT(PsycList, elems, 16);
AT(PsycList, num_elems, 24);
AT(PsycList, length, 32);
SIZE(PsycModifier, 40);
AT(PsycModifier, value, 16);
AT(PsycModifier, flag, 32);
AT(PsycModifier, oper, 36);
SIZE(PsycHeader, 16);
AT(PsycHeader, modifiers, 8);
SIZE(PsycPacket, 112);
AT(PsycPacket, entity, 16);
AT(PsycPacket, method, 32);
AT(PsycPacket, data, 48);
AT(PsycPacket, content, 64);
AT(PsycPacket, routinglen, 80);
AT(PsycPacket, contentlen, 88);
AT(PsycPacket, length, 96);
AT(PsycPacket, stateop, 104);
AT(PsycPacket, flag, 108);

SIZE(PsycParseState, 80);
AT(PsycParseState, cursor, 16);
AT(PsycParseState, startc, 24);
AT(PsycParseState, routinglen, 32);
AT(PsycParseState, contentlen, 40);
AT(PsycParseState, content_parsed, 48);
AT(PsycParseState, valuelen, 56);
AT(PsycParseState, value_parsed, 64);
AT(PsycParseState, part, 72);
AT(PsycParseState, flags, 76);
AT(PsycParseState, contentlen_found, 77);
AT(PsycParseState, valuelen_found, 78);
SIZE(PsycParseListState, 72);
AT(PsycParseListState, cursor, 16);
AT(PsycParseListState, startc, 24);
AT(PsycParseListState, type, 32);
AT(PsycParseListState, elemlen, 48);
AT(PsycParseListState, elem_parsed, 56);
AT(PsycParseListState, part, 64);
AT(PsycParseListState, elemlen_found, 68);
SIZE(PsycParseDictState, 56);
AT(PsycParseDictState, cursor, 16);
AT(PsycParseDictState, startc, 24);
AT(PsycParseDictState, elemlen, 32);
AT(PsycParseDictState, elem_parsed, 40);
AT(PsycParseDictState, part, 48);
AT(PsycParseDictState, elemlen_found, 52);
SIZE(PsycParseIndexState, 56);
AT(PsycParseIndexState, elem_parsed, 40);
AT(PsycParseIndexState, part, 48);
AT(PsycParseIndexState, elemlen_found, 52);
SIZE(PsycParseUpdateState, 56);
AT(PsycParseUpdateState, elem_parsed, 40);
AT(PsycParseUpdateState, part, 48);
AT(PsycParseUpdateState, elemlen_found, 52);

SIZE(PsycTextState, 80);
AT(PsycTextState, written, 8);
AT(PsycTextState, tmpl, 16);
AT(PsycTextState, buffer, 32);
AT(PsycTextState, open, 48);
AT(PsycTextState, close, 64);

SIZE(PsycUniform, 312);
AT(PsycUniform, valid, 0);
AT(PsycUniform, type, 4);
AT(PsycUniform, scheme, 8);
AT(PsycUniform, user, 24);
AT(PsycUniform, pass, 40);
AT(PsycUniform, host, 56);
AT(PsycUniform, port, 72);
AT(PsycUniform, transport, 88);
AT(PsycUniform, resource, 104);
AT(PsycUniform, query, 120);
AT(PsycUniform, channel, 136);
AT(PsycUniform, full, 152);
AT(PsycUniform, body, 168);
AT(PsycUniform, user_host, 184);
AT(PsycUniform, host_port, 200);
AT(PsycUniform, root, 216);
AT(PsycUniform, entity, 232);
AT(PsycUniform, slashes, 248);
AT(PsycUniform, slash, 264);
AT(PsycUniform, path, 280);
AT(PsycUniform, nick, 296);

#endif

void test_layout(void)
{
	CHECK_NUM(PSYC_FALSE, 0);
	CHECK_NUM(PSYC_TRUE, 1);
	CHECK_NUM(PSYC_NO, 0);
	CHECK_NUM(PSYC_YES, 1);
	CHECK_NUM(PSYC_OK, 1);
	CHECK_NUM(PSYC_ERROR, -1);
	CHECK_NUM(PSYC_MC_NOTICE_CONTEXT_ENTER, 18);
	CHECK_NUM(PSYC_MC_WARNING, 33);
	CHECK_NUM(PSYC_METHODS_NUM, 34);
	CHECK_NUM(PSYC_RVAR_TARGET_RELAY, 10);
	CHECK_NUM(PSYC_RVARS_NUM, 11);
	CHECK_NUM(PSYC_TYPE_COUNTER, 3);
	CHECK_NUM(PSYC_TYPE_UNIFORM, 15);
	CHECK_NUM(PSYC_PART_RESET, -1);
	CHECK_NUM(PSYC_PART_END, 5);
	CHECK_NUM(PSYC_LIST_PART_ELEM, 5);
	CHECK_NUM(PSYC_DICT_PART_VALUE, 8);
	CHECK_NUM(PSYC_INDEX_PART_DICT, 5);
	CHECK_NUM(PSYC_UPDATE_INDEX_PART_DICT, 5);
	CHECK_NUM(PSYC_UPDATE_PART_VALUE, 14);
	CHECK_NUM(PSYC_PARSE_CONTENT_START, PSYC_PARSE_BODY_START);
	CHECK_NUM(PSYC_PARSE_CONTENT, 12);
	CHECK_NUM(PSYC_PARSE_ERROR_MOD_NO_LEN, -10);
	CHECK_NUM(PSYC_PARSE_UPDATE_ERROR_VALUE, -24);
	CHECK_NUM(PSYC_UNIFORM_CHANNEL, 9);
	CHECK_NUM(PSYC_PARSE_UNIFORM_INVALID_SLASHES, -7);
	CHECK_NUM(PSYC_PACKET_ID_ELEMS, 5);
}
