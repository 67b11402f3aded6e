/* Functions that are inline in the headers are symbols of the library too, and both do the same. */

/* The inline ones under other names. */
#define psyc_parse_state_init inline_parse_state_init
#define psyc_parse_list_state_init inline_parse_list_state_init
#define psyc_parse_dict_state_init inline_parse_dict_state_init
#define psyc_parse_index_state_init inline_parse_index_state_init
#define psyc_parse_update_state_init inline_parse_update_state_init
#define psyc_parse_buffer_set inline_parse_buffer_set
#define psyc_parse_list_buffer_set inline_parse_list_buffer_set
#define psyc_parse_dict_buffer_set inline_parse_dict_buffer_set
#define psyc_parse_index_buffer_set inline_parse_index_buffer_set
#define psyc_parse_update_buffer_set inline_parse_update_buffer_set
#define psyc_parse_content_length inline_parse_content_length
#define psyc_parse_content_length_found inline_parse_content_length_found
#define psyc_parse_value_length inline_parse_value_length
#define psyc_parse_value_length_found inline_parse_value_length_found
#define psyc_parse_cursor inline_parse_cursor
#define psyc_parse_buffer_length inline_parse_buffer_length
#define psyc_parse_remaining_length inline_parse_remaining_length
#define psyc_parse_remaining_buffer inline_parse_remaining_buffer
#define psyc_is_oper inline_is_oper
#define psyc_is_numeric inline_is_numeric
#define psyc_is_alpha inline_is_alpha
#define psyc_is_alpha_numeric inline_is_alpha_numeric
#define psyc_is_kw_char inline_is_kw_char
#define psyc_is_name_char inline_is_name_char
#define psyc_is_host_char inline_is_host_char
#define psyc_text_state_init inline_text_state_init
#define psyc_text_state_init_custom inline_text_state_init_custom
#define psyc_text_buffer_set inline_text_buffer_set
#define psyc_text_bytes_written inline_text_bytes_written
#define psyc_template inline_template
#define psyc_entity_type inline_entity_type

#include "test.h"

#undef psyc_parse_state_init
#undef psyc_parse_list_state_init
#undef psyc_parse_dict_state_init
#undef psyc_parse_index_state_init
#undef psyc_parse_update_state_init
#undef psyc_parse_buffer_set
#undef psyc_parse_list_buffer_set
#undef psyc_parse_dict_buffer_set
#undef psyc_parse_index_buffer_set
#undef psyc_parse_update_buffer_set
#undef psyc_parse_content_length
#undef psyc_parse_content_length_found
#undef psyc_parse_value_length
#undef psyc_parse_value_length_found
#undef psyc_parse_cursor
#undef psyc_parse_buffer_length
#undef psyc_parse_remaining_length
#undef psyc_parse_remaining_buffer
#undef psyc_is_oper
#undef psyc_is_numeric
#undef psyc_is_alpha
#undef psyc_is_alpha_numeric
#undef psyc_is_kw_char
#undef psyc_is_name_char
#undef psyc_is_host_char
#undef psyc_text_state_init
#undef psyc_text_state_init_custom
#undef psyc_text_buffer_set
#undef psyc_text_bytes_written
#undef psyc_template
#undef psyc_entity_type

void psyc_parse_state_init(PsycParseState *state, uint8_t flags);
void psyc_parse_list_state_init(PsycParseListState *state);
void psyc_parse_dict_state_init(PsycParseDictState *state);
void psyc_parse_index_state_init(PsycParseIndexState *state);
void psyc_parse_update_state_init(PsycParseUpdateState *state);
void psyc_parse_buffer_set(PsycParseState *state, const char *buffer, size_t length);
void psyc_parse_list_buffer_set(PsycParseListState *state, const char *buffer, size_t length);
void psyc_parse_dict_buffer_set(PsycParseDictState *state, const char *buffer, size_t length);
void psyc_parse_index_buffer_set(PsycParseIndexState *state, const char *buffer, size_t length);
void psyc_parse_update_buffer_set(PsycParseUpdateState *state, const char *buffer, size_t length);
size_t psyc_parse_content_length(PsycParseState *state);
PsycBool psyc_parse_content_length_found(PsycParseState *state);
size_t psyc_parse_value_length(PsycParseState *state);
PsycBool psyc_parse_value_length_found(PsycParseState *state);
size_t psyc_parse_cursor(PsycParseState *state);
size_t psyc_parse_buffer_length(PsycParseState *state);
size_t psyc_parse_remaining_length(PsycParseState *state);
const char *psyc_parse_remaining_buffer(PsycParseState *state);
PsycBool psyc_is_oper(char c);
char psyc_is_numeric(char c);
char psyc_is_alpha(char c);
char psyc_is_alpha_numeric(char c);
char psyc_is_kw_char(char c);
char psyc_is_name_char(char c);
char psyc_is_host_char(char c);
void psyc_text_state_init(PsycTextState *state, char *tmpl, size_t tmplen, char *buffer, size_t buflen);
void psyc_text_state_init_custom(PsycTextState *state, char *tmpl, size_t tmplen, char *buffer, size_t buflen, char *open, size_t openlen,
                                 char *close, size_t closelen);
void psyc_text_buffer_set(PsycTextState *state, char *buffer, size_t length);
size_t psyc_text_bytes_written(PsycTextState *state);
const char *psyc_template(PsycMethod mc, size_t *len);
int psyc_entity_type(char c);

static void classes(void)
{
	int i;

	for (i = 0; i < 256; i++) {
		char c = (char) i;

		CHECK_NUM(inline_is_oper(c), psyc_is_oper(c));
		CHECK_NUM(inline_is_numeric(c), psyc_is_numeric(c));
		CHECK_NUM(inline_is_alpha(c), psyc_is_alpha(c));
		CHECK_NUM(inline_is_alpha_numeric(c), psyc_is_alpha_numeric(c));
		CHECK_NUM(inline_is_kw_char(c), psyc_is_kw_char(c));
		CHECK_NUM(inline_is_name_char(c), psyc_is_name_char(c));
		CHECK_NUM(inline_is_host_char(c), psyc_is_host_char(c));
		CHECK_NUM(inline_entity_type(c), psyc_entity_type(c));
	}
}

/* Fields of two states of one type that were filled with other bytes before. */
#define SAME(State, one, other, field) CHECK(memcmp(&(one).field, &(other).field, sizeof((one).field)) == 0)
#define SAME_STRING(one, other, field) CHECK((one).field.data == (other).field.data && (one).field.length == (other).field.length)

#define STRUCTURED(State, x)                                                                                \
	do {                                                                                                \
		State one, other;                                                                           \
		memset(&one, 1, sizeof(one));                                                               \
		memset(&other, 2, sizeof(other));                                                           \
		inline_parse_##x##_state_init(&one);                                                        \
		psyc_parse_##x##_state_init(&other);                                                        \
		CHECK_NUM(other.cursor + other.startc + other.elemlen + other.elem_parsed, 0);              \
		CHECK_NUM(one.cursor + one.startc + one.elemlen + one.elem_parsed, 0);                      \
		CHECK_NUM(one.part, other.part);                                                            \
		CHECK_NUM(one.elemlen_found, other.elemlen_found);                                          \
		one.cursor = other.cursor = 7;                                                              \
		inline_parse_##x##_buffer_set(&one, bytes, 5);                                              \
		psyc_parse_##x##_buffer_set(&other, bytes, 5);                                              \
		SAME_STRING(one, other, buffer);                                                            \
		CHECK(one.buffer.data == bytes && one.buffer.length == 5 && one.cursor == 0 && other.cursor == 0); \
	} while (0)

static void states(void)
{
	char bytes[] = "12\n:_a 9\tb";
	uint8_t flags;

	for (flags = 0; flags <= 2; flags++) {
		PsycParseState one, other;
		char oper;
		PsycString name, value;

		memset(&one, 1, sizeof(one));
		memset(&other, 2, sizeof(other));
		inline_parse_state_init(&one, flags);
		psyc_parse_state_init(&other, flags);
		CHECK(memcmp(&one.cursor, &other.cursor, sizeof(one) - offsetof(PsycParseState, cursor)) == 0);
		one.cursor = other.cursor = 7;
		inline_parse_buffer_set(&one, bytes, sizeof(bytes) - 1);
		psyc_parse_buffer_set(&other, bytes, sizeof(bytes) - 1);
		SAME_STRING(one, other, buffer);
		CHECK_NUM(other.cursor, 0);
		psyc_parse(&one, &oper, &name, &value);
		CHECK_NUM(inline_parse_content_length(&one), psyc_parse_content_length(&one));
		CHECK_NUM(inline_parse_content_length_found(&one), psyc_parse_content_length_found(&one));
		CHECK_NUM(inline_parse_value_length(&one), psyc_parse_value_length(&one));
		CHECK_NUM(inline_parse_value_length_found(&one), psyc_parse_value_length_found(&one));
		CHECK_NUM(inline_parse_cursor(&one), psyc_parse_cursor(&one));
		CHECK_NUM(inline_parse_buffer_length(&one), psyc_parse_buffer_length(&one));
		CHECK_NUM(inline_parse_remaining_length(&one), psyc_parse_remaining_length(&one));
		CHECK(inline_parse_remaining_buffer(&one) == psyc_parse_remaining_buffer(&one));
	}
	STRUCTURED(PsycParseListState, list);
	STRUCTURED(PsycParseDictState, dict);
	STRUCTURED(PsycParseIndexState, index);
	STRUCTURED(PsycParseUpdateState, update);
}

static void texts(void)
{
	char tmpl[] = "[a]", buffer[8], open[] = "<", close[] = ">>";
	PsycTextState one, other;
	int method;

	inline_text_state_init(&one, tmpl, 3, buffer, 8);
	psyc_text_state_init(&other, tmpl, 3, buffer, 8);
	CHECK_NUM(one.cursor + one.written + other.cursor + other.written, 0);
	SAME_STRING(one, other, tmpl);
	SAME_STRING(one, other, buffer);
	CHECK_STRING(one.open, "[");
	CHECK_STRING(other.open, "[");
	CHECK_STRING(one.close, "]");
	CHECK_STRING(other.close, "]");
	inline_text_state_init_custom(&one, tmpl, 3, buffer, 8, open, 1, close, 2);
	psyc_text_state_init_custom(&other, tmpl, 3, buffer, 8, open, 1, close, 2);
	SAME_STRING(one, other, tmpl);
	SAME_STRING(one, other, buffer);
	SAME_STRING(one, other, open);
	SAME_STRING(one, other, close);
	CHECK(one.close.data == close && one.close.length == 2);
	one.written = other.written = 3;
	CHECK_NUM(inline_text_bytes_written(&one), 3);
	CHECK_NUM(psyc_text_bytes_written(&other), 3);
	inline_text_buffer_set(&one, buffer + 1, 7);
	psyc_text_buffer_set(&other, buffer + 1, 7);
	SAME_STRING(one, other, buffer);
	CHECK_NUM(one.written + other.written, 0);

	for (method = -2; method < PSYC_METHODS_NUM + 2; method++) {
		size_t inline_len = 77, len = 77;
		const char *text = inline_template((PsycMethod) method, &inline_len);

		CHECK(text == psyc_template((PsycMethod) method, &len));
		CHECK_NUM(inline_len, len);
		CHECK(text[len] == 0);
		CHECK(inline_template((PsycMethod) method, NULL) == psyc_template((PsycMethod) method, NULL));
	}
}

void test_exported(void)
{
	classes();
	states();
	texts();
}
