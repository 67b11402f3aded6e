/* docs/spec/psyc.md 12.2 and 12.3. */
#include "test.h"

static void routing(void)
{
	static const char *const NAMES[] = { "_amount_fragments", "_context", "_counter", "_fragment", "_source", "_source_relay",
		                             "_tag", "_tag_relay", "_target", "_target_relay" };
	size_t i;

	CHECK_NUM(psyc_rvars_num, 10);
	for (i = 0; i < psyc_rvars_num; i++) {
		PsycString key = psyc_rvars[i].key;

		CHECK_NUM(psyc_rvars[i].value, i + 1);
		CHECK(strcmp(key.data, NAMES[i]) == 0 && key.length == strlen(NAMES[i]));
		CHECK_NUM(psyc_var_routing(PSYC_S2ARG(key)), psyc_rvars[i].value);
	}
	CHECK_NUM(psyc_var_routing(PSYC_C2ARG("_source")), PSYC_RVAR_SOURCE);
	CHECK_NUM(psyc_var_routing(PSYC_C2ARG("_source_other")), PSYC_RVAR_UNKNOWN);
	CHECK_NUM(psyc_var_routing(PSYC_C2ARG("_amount")), PSYC_RVAR_UNKNOWN);
	CHECK_NUM(psyc_var_routing(PSYC_C2ARG("")), PSYC_RVAR_UNKNOWN);
}

static void types(void)
{
	static const char *const NAMES[] = { "_amount", "_color", "_date", "_degree", "_dict", "_entity", "_flag", "_language", "_list", "_nick",
		                             "_page", "_struct", "_time", "_uniform" };
	static const PsycType TYPES[] = { PSYC_TYPE_AMOUNT, PSYC_TYPE_COLOR, PSYC_TYPE_DATE, PSYC_TYPE_DEGREE, PSYC_TYPE_DICT, PSYC_TYPE_ENTITY,
		                          PSYC_TYPE_FLAG, PSYC_TYPE_LANGUAGE, PSYC_TYPE_LIST, PSYC_TYPE_NICK, PSYC_TYPE_PAGE, PSYC_TYPE_STRUCT,
		                          PSYC_TYPE_TIME, PSYC_TYPE_UNIFORM };
	size_t i;

	CHECK_NUM(psyc_var_types_num, 14);
	for (i = 0; i < psyc_var_types_num; i++) {
		char longer[32];
		PsycString key = psyc_var_types[i].key;

		CHECK(strcmp(key.data, NAMES[i]) == 0 && key.length == strlen(NAMES[i]));
		CHECK_NUM(psyc_var_types[i].value, TYPES[i]);
		CHECK_NUM(psyc_var_type(PSYC_S2ARG(key)), TYPES[i]);
		snprintf(longer, sizeof(longer), "%s_of_mine", NAMES[i]);
		CHECK_NUM(psyc_var_type(longer, strlen(longer)), TYPES[i]);
		snprintf(longer, sizeof(longer), "%ss", NAMES[i]);
		CHECK_NUM(psyc_var_type(longer, strlen(longer)), PSYC_TYPE_UNKNOWN);
	}
	CHECK_NUM(psyc_var_type(PSYC_C2ARG("_counter")), PSYC_TYPE_UNKNOWN);
	CHECK_NUM(psyc_var_type(PSYC_C2ARG("_colorful")), PSYC_TYPE_UNKNOWN);
	CHECK_NUM(psyc_var_type(PSYC_C2ARG("list")), PSYC_TYPE_UNKNOWN);
	CHECK_NUM(psyc_var_type(PSYC_C2ARG("")), PSYC_TYPE_UNKNOWN);
}

void test_variable(void)
{
	routing();
	types();
	CHECK_NUM(psyc_var_is_list(PSYC_C2ARG("_list")), PSYC_YES);
	CHECK_NUM(psyc_var_is_list(PSYC_C2ARG("_list_friends")), PSYC_YES);
	CHECK_NUM(psyc_var_is_list(PSYC_C2ARG("_lists")), PSYC_NO);
	CHECK_NUM(psyc_var_is_list(PSYC_C2ARG("_lis")), PSYC_NO);
	CHECK_NUM(psyc_var_is_list(PSYC_C2ARG("_dict")), PSYC_NO);
	CHECK_NUM(psyc_var_is_list(PSYC_C2ARG("")), PSYC_NO);
}
