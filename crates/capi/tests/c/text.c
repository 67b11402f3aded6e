/* docs/spec/psyc.md 14. */
#include "test.h"

typedef struct {
	const char *name;
	PsycString value;
} Var;

static const Var VARS[] = { { "_nick", PSYC_C2STRI("Ann") }, { "_room", PSYC_C2STRI("lobby") }, { "_empty", PSYC_C2STRI("") } };

static PsycTextValueRC value_of(void *cls, const char *name, size_t namelen, PsycString *value)
{
	size_t i;

	++*(int *) cls;
	for (i = 0; i < PSYC_NUM_ELEM(VARS); i++) {
		if (strlen(VARS[i].name) == namelen && memcmp(VARS[i].name, name, namelen) == 0) {
			*value = VARS[i].value;
			return PSYC_TEXT_VALUE_FOUND;
		}
	}
	return PSYC_TEXT_VALUE_NOT_FOUND;
}

static void is_filled(const char *tmpl, const char *expected, int line)
{
	char copy[128], out[128];
	int calls = 0;
	PsycTextState state;
	PsycTextRC rc;

	strcpy(copy, tmpl);
	psyc_text_state_init(&state, copy, strlen(copy), out, sizeof(out));
	rc = psyc_text(&state, value_of, &calls);
	check(rc == (expected ? PSYC_TEXT_COMPLETE : PSYC_TEXT_NO_SUBST), tmpl, __FILE__, line);
	if (expected)
		check_bytes(out, psyc_text_bytes_written(&state), expected, strlen(expected), tmpl, __FILE__, line);
	else
		check(psyc_text_bytes_written(&state) == 0, tmpl, __FILE__, line);
}
#define IS_FILLED(tmpl, expected) is_filled(tmpl, expected, __LINE__)

/* With buffers of eight bytes. */
static void in_pieces(void)
{
	char out[8];
	int calls = 0;
	PsycTextState state;

	psyc_text_state_init(&state, PSYC_C2ARG("[_nick] joins [_room]."), out, sizeof(out));
	CHECK_NUM(psyc_text(&state, value_of, &calls), PSYC_TEXT_INCOMPLETE);
	CHECK_BYTES(out, psyc_text_bytes_written(&state), "Ann");
	psyc_text_buffer_set(&state, out, sizeof(out));
	CHECK_NUM(psyc_text_bytes_written(&state), 0);
	CHECK_NUM(psyc_text(&state, value_of, &calls), PSYC_TEXT_INCOMPLETE);
	CHECK_BYTES(out, psyc_text_bytes_written(&state), " joins ");
	psyc_text_buffer_set(&state, out, sizeof(out));
	CHECK_NUM(psyc_text(&state, value_of, &calls), PSYC_TEXT_COMPLETE);
	CHECK_BYTES(out, psyc_text_bytes_written(&state), "lobby.");
	CHECK(calls >= 2);
}

void test_text(void)
{
	char out[64];
	int calls = 0;
	size_t i, len, templates = 0;
	PsycTextState state;

	IS_FILLED("[_nick] joins [_room].", "Ann joins lobby.");
	IS_FILLED("[_nick] and [_who]", "Ann and [_who]");
	IS_FILLED("plain text", NULL);
	IS_FILLED("[_who]", NULL);
	IS_FILLED("", NULL);
	IS_FILLED("<[_empty]>", "<>");
	IS_FILLED("[[_nick]", NULL);
	IS_FILLED("[][_nick]", "[]Ann");
	IS_FILLED("[_nick][", "Ann[");
	IS_FILLED("[_nick][_room", "Ann[_room");
	in_pieces();

	psyc_text_state_init_custom(&state, PSYC_C2ARG("Dear ${_nick}!"), out, sizeof(out), PSYC_C2ARG("${"), PSYC_C2ARG("}"));
	CHECK_NUM(psyc_text(&state, value_of, &calls), PSYC_TEXT_COMPLETE);
	CHECK_BYTES(out, psyc_text_bytes_written(&state), "Dear Ann!");
	CHECK_NUM(calls, 1);

	/* The default templates, by number and by name. */
	for (i = 0; i < PSYC_METHODS_NUM; i++) {
		const char *text = psyc_template((PsycMethod) i, &len);

		CHECK_NUM(strlen(text), len);
		CHECK(psyc_templates.a[i].data == text);
		templates += len > 0;
	}
	CHECK_NUM(templates, 12);
	CHECK(strstr(psyc_templates.s._notice_context_enter.data, "[_source]") != NULL);
	CHECK(strstr(psyc_template(PSYC_MC_STATUS_HELLO, NULL), "[_hello]") != NULL);
	CHECK_NUM(psyc_templates.s._.length, 0);
}
