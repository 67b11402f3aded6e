/* docs/spec/psyc.md 12.5: the table of methods and its lookup. */
#include "test.h"

#define T PSYC_METHOD_TEMPLATE
#define R PSYC_METHOD_REPLY
#define V PSYC_METHOD_VISIBLE
#define L PSYC_METHOD_LOGGABLE
#define M PSYC_METHOD_MANUAL

typedef struct {
	const char *name;
	PsycMethod method;
	PsycMethod family;
	unsigned flag;
} Known;

static const Known KNOWN[] = {
	{ "_converse", PSYC_MC_CONVERSE, PSYC_MC_CONVERSE, V | L | M },
	{ "_data", PSYC_MC_DATA, PSYC_MC_DATA, 0 },
	{ "_echo", PSYC_MC_ECHO, PSYC_MC_ECHO, T | R | V },
	{ "_echo_context_enter", PSYC_MC_ECHO_CONTEXT_ENTER, PSYC_MC_ECHO, T | R | V },
	{ "_echo_context_leave", PSYC_MC_ECHO_CONTEXT_LEAVE, PSYC_MC_ECHO, T | R | V },
	{ "_echo_hello", PSYC_MC_ECHO_HELLO, PSYC_MC_ECHO, T | R | V },
	{ "_error", PSYC_MC_ERROR, PSYC_MC_ERROR, T | R | V | L },
	{ "_failure", PSYC_MC_FAILURE, PSYC_MC_FAILURE, T | R | V | L },
	{ "_failure_alias_nonexistant", PSYC_MC_FAILURE_ALIAS_NONEXISTANT, PSYC_MC_FAILURE, T | R | V | L },
	{ "_failure_alias_unavailable", PSYC_MC_FAILURE_ALIAS_UNAVAILABLE, PSYC_MC_FAILURE, T | R | V | L },
	{ "_info", PSYC_MC_INFO, PSYC_MC_INFO, T | R | V | L },
	{ "_message", PSYC_MC_MESSAGE, PSYC_MC_MESSAGE, V | L | M },
	{ "_message_action", PSYC_MC_MESSAGE_ACTION, PSYC_MC_MESSAGE, V | L | M },
	{ "_notice", PSYC_MC_NOTICE, PSYC_MC_NOTICE, T | V | L },
	{ "_notice_alias_add", PSYC_MC_NOTICE_ALIAS_ADD, PSYC_MC_NOTICE, T | V | L },
	{ "_notice_alias_change", PSYC_MC_NOTICE_ALIAS_CHANGE, PSYC_MC_NOTICE, T | V | L },
	{ "_notice_alias_remove", PSYC_MC_NOTICE_ALIAS_REMOVE, PSYC_MC_NOTICE, T | V | L },
	{ "_notice_context_enter", PSYC_MC_NOTICE_CONTEXT_ENTER, PSYC_MC_NOTICE, T | V | L },
	{ "_notice_context_leave", PSYC_MC_NOTICE_CONTEXT_LEAVE, PSYC_MC_NOTICE, T | V | L },
	{ "_notice_friendship", PSYC_MC_NOTICE_FRIENDSHIP, PSYC_MC_NOTICE, T | V | L },
	{ "_notice_link", PSYC_MC_NOTICE_LINK, PSYC_MC_NOTICE, T | V | L },
	{ "_notice_peer_connect", PSYC_MC_NOTICE_PEER_CONNECT, PSYC_MC_NOTICE, T | V | L },
	{ "_notice_peer_disconnect", PSYC_MC_NOTICE_PEER_DISCONNECT, PSYC_MC_NOTICE, T | V | L },
	{ "_notice_set", PSYC_MC_NOTICE_SET, PSYC_MC_NOTICE, T | V | L },
	{ "_notice_unlink", PSYC_MC_NOTICE_UNLINK, PSYC_MC_NOTICE, T | V | L },
	{ "_request", PSYC_MC_REQUEST, PSYC_MC_REQUEST, T | V | L },
	{ "_request_context_enter", PSYC_MC_REQUEST_CONTEXT_ENTER, PSYC_MC_REQUEST, T | V | L },
	{ "_request_context_leave", PSYC_MC_REQUEST_CONTEXT_LEAVE, PSYC_MC_REQUEST, T | V | L },
	{ "_request_friendship", PSYC_MC_REQUEST_FRIENDSHIP, PSYC_MC_REQUEST, T | V | L },
	{ "_status", PSYC_MC_STATUS, PSYC_MC_STATUS, T | R | V | L },
	{ "_status_contexts_entered", PSYC_MC_STATUS_CONTEXTS_ENTERED, PSYC_MC_STATUS, T | R | V | L },
	{ "_status_hello", PSYC_MC_STATUS_HELLO, PSYC_MC_STATUS, T | R | V | L },
	{ "_warning", PSYC_MC_WARNING, PSYC_MC_WARNING, T | R | V | L },
};

static void is_method(const char *name, PsycMethod method, PsycMethod family, unsigned flag)
{
	char copy[64];
	PsycMethod found_family = PSYC_METHODS_NUM;
	unsigned found_flag = 77;

	strcpy(copy, name);
	CHECK_NUM(psyc_method(copy, strlen(copy), &found_family, &found_flag), method);
	CHECK_NUM(found_family, family);
	CHECK_NUM(found_flag, flag);
	CHECK_NUM(psyc_method(copy, strlen(copy), NULL, NULL), method);
}

void test_method(void)
{
	size_t i, j;

	CHECK_NUM(PSYC_NUM_ELEM(KNOWN), PSYC_METHODS_NUM - 1);
	for (i = 0; i < PSYC_NUM_ELEM(KNOWN); i++) {
		char longer[64];

		CHECK_NUM(KNOWN[i].method, i + 1);
		is_method(KNOWN[i].name, KNOWN[i].method, KNOWN[i].family, KNOWN[i].flag);
		snprintf(longer, sizeof(longer), "%s_made_up", KNOWN[i].name);
		is_method(longer, KNOWN[i].method, KNOWN[i].family, KNOWN[i].flag);
	}
	is_method("_unheard", PSYC_MC_UNKNOWN, PSYC_MC_UNKNOWN, 0);
	is_method("_notices", PSYC_MC_UNKNOWN, PSYC_MC_UNKNOWN, 0);
	is_method("notice", PSYC_MC_UNKNOWN, PSYC_MC_UNKNOWN, 0);
	is_method("", PSYC_MC_UNKNOWN, PSYC_MC_UNKNOWN, 0);

	/* Every entry maps to its value, also where an earlier one could be in the way. */
	CHECK(psyc_methods_num >= 31);
	for (i = 0; i < psyc_methods_num; i++) {
		PsycString key = psyc_methods[i].key;

		CHECK_NUM(psyc_method(PSYC_S2ARG(key), NULL, NULL), psyc_methods[i].value);
		CHECK_NUM(psyc_map_lookup_int(psyc_methods, psyc_methods_num, PSYC_S2ARG(key), PSYC_YES), psyc_methods[i].value);
		CHECK_NUM(key.data[key.length], 0);
		for (j = i + 1; j < psyc_methods_num; j++)
			CHECK(psyc_inherits(PSYC_S2ARG(key), PSYC_S2ARG(psyc_methods[j].key)) != 0);
	}
}
