/* Traces of what the parsers deliver. */
#include <stdarg.h>
#include <stdlib.h>

#include "test.h"

static char text[65536];
static size_t used;

static void put(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	used += (size_t) vsnprintf(text + used, sizeof(text) - used, format, args);
	va_end(args);
}

static void put_bytes(PsycString s)
{
	size_t i;

	put("\"");
	for (i = 0; i < s.length; i++) {
		if (s.data[i] == '\n')
			put("\\n");
		else if (s.data[i] == '\t')
			put("\\t");
		else
			put("%c", s.data[i]);
	}
	put("\"");
}

/* The value of outputs that no call has set. */
static char untouched[1];
static const PsycString UNSET = { 77, untouched };

static int is_set(PsycString s)
{
	return s.data != untouched || s.length != 77;
}

/* Bytes of an input that a parser is given: a block of their own, so that reading beyond them is noticed. */
typedef struct {
	const char *input;
	size_t length;
	size_t piece;
	size_t start;
	size_t end;
	char *block;
} Feed;

static Feed feed(const char *input, size_t length, size_t piece)
{
	Feed f;

	f.input = input;
	f.length = length;
	f.piece = piece ? piece : length;
	f.start = 0;
	f.end = f.piece < length ? f.piece : length;
	f.block = NULL;
	return f;
}

static const char *feed_block(Feed *f)
{
	size_t size = f->end - f->start;

	free(f->block);
	f->block = (char *) malloc(size ? size : 1);
	if (size)
		memcpy(f->block, f->input + f->start, size);
	return f->block;
}

/* Moves on by what was read. 0: there is nothing more. */
static int feed_more(Feed *f, size_t cursor)
{
	if (f->end == f->length)
		return 0;
	f->start += cursor;
	f->end = f->length - f->end < f->piece ? f->length : f->end + f->piece;
	return 1;
}

static void start(void)
{
	used = 0;
	text[0] = 0;
}

static const char *finish(Feed *f)
{
	free(f->block);
	if (used && text[used - 1] == ' ')
		text[--used] = 0;
	return text;
}

const char *trace_packet(uint8_t flags, const char *input, size_t length, size_t piece)
{
	PsycParseState state;
	Feed f = feed(input, length, piece);

	start();
	psyc_parse_state_init(&state, flags);
	psyc_parse_buffer_set(&state, feed_block(&f), f.end - f.start);
	for (;;) {
		char oper = 0;
		PsycString name = UNSET;
		PsycString value = UNSET;
		PsycParseRC rc = psyc_parse(&state, &oper, &name, &value);

		put("%d", rc);
		if (oper)
			put("%c", oper);
		if (is_set(name))
			put("%.*s", PSYC_S2ARGP(name));
		if (is_set(value)) {
			put_bytes(value);
			if (psyc_parse_value_length_found(&state))
				put("/%u", (unsigned) psyc_parse_value_length(&state));
		}
		if (piece == 0)
			put("@%u", (unsigned) psyc_parse_cursor(&state));
		put(" ");
		if (rc < 0)
			break;
		if (rc == PSYC_PARSE_INSUFFICIENT) {
			if (!feed_more(&f, psyc_parse_cursor(&state)))
				break;
			psyc_parse_buffer_set(&state, feed_block(&f), f.end - f.start);
		}
		if (rc == PSYC_PARSE_COMPLETE
		    && (flags & PSYC_PARSE_START_AT_CONTENT || (f.end == length && psyc_parse_remaining_length(&state) == 0)))
			break;
	}
	return finish(&f);
}

/* One call of a parser of structured values. */
static void put_item(int rc, char oper, PsycString type, PsycString value)
{
	put("%d", rc);
	if (oper)
		put("%c", oper);
	if (is_set(type) && type.length)
		put("%.*s", PSYC_S2ARGP(type));
	if (is_set(value) && value.data)
		put_bytes(value);
	else if (is_set(value) && value.length)
		put("#%u", (unsigned) value.length);
	put(" ");
}

/*
 * A trace of a parser of structured values. When the buffer is used up, the next piece comes; `ends` says after which codes nothing does.
 */
#define TRACE(State, init, set, call, ends, input, length, piece)                              \
	State state;                                                                           \
	Feed f = feed(input, length, piece);                                                   \
	int rc;                                                                                \
                                                                                               \
	start();                                                                               \
	init(&state);                                                                          \
	set(&state, feed_block(&f), f.end - f.start);                                          \
	for (;;) {                                                                             \
		char oper = 0;                                                                 \
		PsycString type = UNSET;                                                       \
		PsycString value = UNSET;                                                      \
                                                                                               \
		rc = (int) (call);                                                             \
		put_item(rc, oper, type, value);                                               \
		if (rc < 0)                                                                    \
			break;                                                                 \
		if (rc == 1 || state.cursor == f.end - f.start) {                              \
			if (feed_more(&f, state.cursor)) {                                     \
				set(&state, feed_block(&f), f.end - f.start);                  \
				continue;                                                      \
			}                                                                      \
		}                                                                              \
		if (rc == 1 || (ends))                                                         \
			break;                                                                 \
	}                                                                                      \
	return finish(&f)

const char *trace_list(const char *input, size_t length, size_t piece)
{
	TRACE(PsycParseListState, psyc_parse_list_state_init, psyc_parse_list_buffer_set, psyc_parse_list(&state, &type, &value),
	      rc == PSYC_PARSE_LIST_ELEM_START || rc == PSYC_PARSE_LIST_ELEM_CONT || rc == PSYC_PARSE_LIST_ELEM_LAST
	      || rc == PSYC_PARSE_LIST_END, input, length, piece);
}

const char *trace_dict(const char *input, size_t length, size_t piece)
{
	TRACE(PsycParseDictState, psyc_parse_dict_state_init, psyc_parse_dict_buffer_set, psyc_parse_dict(&state, &type, &value),
	      rc == PSYC_PARSE_DICT_KEY_START || rc == PSYC_PARSE_DICT_KEY_CONT || rc == PSYC_PARSE_DICT_VALUE_START
	      || rc == PSYC_PARSE_DICT_VALUE_CONT || rc == PSYC_PARSE_DICT_VALUE_LAST || rc == PSYC_PARSE_DICT_END, input, length, piece);
}

const char *trace_index(const char *input, size_t length, size_t piece)
{
	TRACE(PsycParseIndexState, psyc_parse_index_state_init, psyc_parse_index_buffer_set, psyc_parse_index(&state, &value),
	      rc == PSYC_PARSE_INDEX_LIST_LAST || rc == PSYC_PARSE_INDEX_STRUCT_LAST || rc == PSYC_PARSE_INDEX_DICT_START
	      || rc == PSYC_PARSE_INDEX_DICT_CONT || rc == PSYC_PARSE_INDEX_END, input, length, piece);
}

const char *trace_update(const char *input, size_t length, size_t piece)
{
	TRACE(PsycParseUpdateState, psyc_parse_update_state_init, psyc_parse_update_buffer_set, psyc_parse_update(&state, &oper, &value),
	      rc == PSYC_PARSE_UPDATE_INDEX_DICT_START || rc == PSYC_PARSE_UPDATE_INDEX_DICT_CONT || rc == PSYC_PARSE_UPDATE_TYPE_END
	      || rc == PSYC_PARSE_UPDATE_VALUE_START || rc == PSYC_PARSE_UPDATE_VALUE_CONT || rc == PSYC_PARSE_UPDATE_VALUE_END
	      || rc == PSYC_PARSE_UPDATE_VALUE || rc == PSYC_PARSE_UPDATE_END, input, length, piece);
}
