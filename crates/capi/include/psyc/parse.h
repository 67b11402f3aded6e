/*
 * Parsers of packets, lists, dicts, indexes and updates (docs/spec/psyc.md 6 to 10), and of numbers
 * (docs/spec/psyc.md 16).
 *
 * The caller owns the state of a parser. Initialise it, set a buffer, and call the parse function
 * until it reports that the buffer is used up. Each call delivers one item as views into the
 * buffer; outputs that do not concern the item are left as they were. When more bytes are needed,
 * put the remaining ones in front of the next ones. After an error, every call returns the same
 * error until the state is initialised again.
 *
 * Sections are those of docs/spec/psyc.md in https://github.com/polywire/polywire.
 */
#ifndef PSYC_PARSE_H
#define PSYC_PARSE_H

#include <stdint.h>
#include <string.h>

#include "base.h"
#include "../psyc.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The mode of a packet parser. */
typedef enum {
	PSYC_PARSE_ALL = 0,
	/* The content is delivered opaque (docs/spec/psyc.md 6.5). */
	PSYC_PARSE_ROUTING_ONLY = 1,
	/* The buffer is one whole content, without a packet around it (docs/spec/psyc.md 6.6). */
	PSYC_PARSE_START_AT_CONTENT = 2
} PsycParseFlag;

/* The results of psyc_parse (docs/spec/psyc.md 6.2). */
typedef enum {
	/* Reserved for receivers with limits: a value without a length is too long. */
	PSYC_PARSE_ERROR_MOD_NO_LEN = -10,
	/* Reserved for receivers with limits: a content without a length is too long. */
	PSYC_PARSE_ERROR_NO_LEN = -9,
	/* The end of the packet is required here. */
	PSYC_PARSE_ERROR_END = -8,
	/* No LF after the method. */
	PSYC_PARSE_ERROR_METHOD = -7,
	/* No LF after a value of the declared length. */
	PSYC_PARSE_ERROR_MOD_NL = -6,
	/* The length of a value is not a number, or too large. */
	PSYC_PARSE_ERROR_MOD_LEN = -5,
	/* No TAB before the value. */
	PSYC_PARSE_ERROR_MOD_TAB = -4,
	/* No name after the operator. */
	PSYC_PARSE_ERROR_MOD_NAME = -3,
	/* The length of the content is not a number, too large, or not that of the content. */
	PSYC_PARSE_ERROR_LENGTH = -2,
	/* The state was not made by this library. */
	PSYC_PARSE_ERROR = -1,
	/* The buffer ends here. Keep the remaining bytes, append more, and set that buffer. */
	PSYC_PARSE_INSUFFICIENT = 1,
	/* A line of the routing header. */
	PSYC_PARSE_ROUTING = 2,
	/* The state line '?'. */
	PSYC_PARSE_STATE_RESYNC = 3,
	/* The state line '='. */
	PSYC_PARSE_STATE_RESET = 4,
	/* A line of the entity header with the first part of its value, which may be empty. */
	PSYC_PARSE_ENTITY_START = 5,
	/* A further part. */
	PSYC_PARSE_ENTITY_CONT = 6,
	/* The last part. */
	PSYC_PARSE_ENTITY_END = 7,
	/* A whole line of the entity header. */
	PSYC_PARSE_ENTITY = 8,
	/*
	 * The method with the first part of the data, which may be empty. Within a body: a further
	 * part.
	 */
	PSYC_PARSE_BODY_START = 9,
	/* A further part. */
	PSYC_PARSE_BODY_CONT = 10,
	/* The last part. */
	PSYC_PARSE_BODY_END = 11,
	/* The method with all data. Within a body: the last part. */
	PSYC_PARSE_BODY = 12,
	/* An opaque content, in place of a body. */
	PSYC_PARSE_CONTENT_START = 9,
	PSYC_PARSE_CONTENT_CONT = 10,
	PSYC_PARSE_CONTENT_END = 11,
	PSYC_PARSE_CONTENT = 12,
	/* The packet ends here. The next call starts another. */
	PSYC_PARSE_COMPLETE = 13
} PsycParseRC;

/* The parts that a packet parser is in. */
typedef enum {
	PSYC_PART_RESET = -1,
	PSYC_PART_ROUTING = 0,
	PSYC_PART_LENGTH = 1,
	PSYC_PART_CONTENT = 2,
	PSYC_PART_METHOD = 3,
	PSYC_PART_DATA = 4,
	PSYC_PART_END = 5
} PsycPart;

/* The results of psyc_parse_list (docs/spec/psyc.md 7). */
typedef enum {
	/* Reserved for receivers with limits. */
	PSYC_PARSE_LIST_ERROR_ELEM_NO_LEN = -6,
	/* Neither a length nor a value after the bar or the type. */
	PSYC_PARSE_LIST_ERROR_ELEM_LENGTH = -5,
	/* No type after the equals sign. */
	PSYC_PARSE_LIST_ERROR_ELEM_TYPE = -4,
	/* A bar is required here. */
	PSYC_PARSE_LIST_ERROR_ELEM_START = -3,
	/* Reserved. */
	PSYC_PARSE_LIST_ERROR_TYPE = -2,
	/* The state was not made by this library. */
	PSYC_PARSE_LIST_ERROR = -1,
	/* The list goes on after the buffer. */
	PSYC_PARSE_LIST_INSUFFICIENT = 1,
	/* The default type. */
	PSYC_PARSE_LIST_TYPE = 2,
	/* The first part of an element. */
	PSYC_PARSE_LIST_ELEM_START = 3,
	/* A further part. */
	PSYC_PARSE_LIST_ELEM_CONT = 4,
	/* The last part. */
	PSYC_PARSE_LIST_ELEM_END = 5,
	/* An element. */
	PSYC_PARSE_LIST_ELEM = 6,
	/* The last element: do not call again. */
	PSYC_PARSE_LIST_ELEM_LAST = 7,
	/* The list has ended. */
	PSYC_PARSE_LIST_END = 8
} PsycParseListRC;

/* The parts that a list parser is in. */
typedef enum {
	PSYC_LIST_PART_START = 0,
	PSYC_LIST_PART_TYPE = 1,
	PSYC_LIST_PART_ELEM_START = 2,
	PSYC_LIST_PART_ELEM_TYPE = 3,
	PSYC_LIST_PART_ELEM_LENGTH = 4,
	PSYC_LIST_PART_ELEM = 5
} PsycListPart;

/* The results of psyc_parse_dict (docs/spec/psyc.md 8). */
typedef enum {
	/* Reserved. */
	PSYC_PARSE_DICT_ERROR_VALUE = -9,
	/* Neither a length nor a value after the key or the type. */
	PSYC_PARSE_DICT_ERROR_VALUE_LENGTH = -8,
	/* No type after the equals sign. */
	PSYC_PARSE_DICT_ERROR_VALUE_TYPE = -7,
	/* A closing brace is required here. */
	PSYC_PARSE_DICT_ERROR_VALUE_START = -6,
	/* Reserved. */
	PSYC_PARSE_DICT_ERROR_KEY = -5,
	/* No space after the length of a key, or it is too large. */
	PSYC_PARSE_DICT_ERROR_KEY_LENGTH = -4,
	/* An opening brace is required here. */
	PSYC_PARSE_DICT_ERROR_KEY_START = -3,
	/* Reserved. */
	PSYC_PARSE_DICT_ERROR_TYPE = -2,
	/* The state was not made by this library. */
	PSYC_PARSE_DICT_ERROR = -1,
	/* The dict goes on after the buffer. */
	PSYC_PARSE_DICT_INSUFFICIENT = 1,
	/* The default type. */
	PSYC_PARSE_DICT_TYPE = 2,
	/* The first part of a key. */
	PSYC_PARSE_DICT_KEY_START = 3,
	/* A further part. */
	PSYC_PARSE_DICT_KEY_CONT = 4,
	/* The last part. */
	PSYC_PARSE_DICT_KEY_END = 5,
	/* A key. */
	PSYC_PARSE_DICT_KEY = 6,
	/* The first part of a value. */
	PSYC_PARSE_DICT_VALUE_START = 7,
	/* A further part. */
	PSYC_PARSE_DICT_VALUE_CONT = 8,
	/* The last part. */
	PSYC_PARSE_DICT_VALUE_END = 9,
	/* A value. */
	PSYC_PARSE_DICT_VALUE = 10,
	/* The last value: do not call again. */
	PSYC_PARSE_DICT_VALUE_LAST = 11,
	/* The dict has ended. */
	PSYC_PARSE_DICT_END = 12
} PsycParseDictRC;

/* The parts that a dict parser is in. */
typedef enum {
	PSYC_DICT_PART_START = 0,
	PSYC_DICT_PART_TYPE = 1,
	PSYC_DICT_PART_KEY_START = 2,
	PSYC_DICT_PART_KEY_LENGTH = 3,
	PSYC_DICT_PART_KEY = 4,
	PSYC_DICT_PART_VALUE_START = 5,
	PSYC_DICT_PART_VALUE_TYPE = 6,
	PSYC_DICT_PART_VALUE_LENGTH = 7,
	PSYC_DICT_PART_VALUE = 8
} PsycDictPart;

/* The results of psyc_parse_index (docs/spec/psyc.md 9). */
typedef enum {
	/* A closing brace is required here. */
	PSYC_PARSE_INDEX_ERROR_DICT = -6,
	/* No space after the length of a key, or it is too large. */
	PSYC_PARSE_INDEX_ERROR_DICT_LENGTH = -5,
	/* No name after the dot. */
	PSYC_PARSE_INDEX_ERROR_STRUCT = -4,
	/* No number after the hash, or it is too large. */
	PSYC_PARSE_INDEX_ERROR_LIST = -3,
	/* A hash, a dot or a brace is required here. */
	PSYC_PARSE_INDEX_ERROR_TYPE = -2,
	/* The state was not made by this library. */
	PSYC_PARSE_INDEX_ERROR = -1,
	/* The index goes on after the buffer. */
	PSYC_PARSE_INDEX_INSUFFICIENT = 1,
	/*
	 * The index of a list element. The number is in the length of the string; its data is NULL.
	 */
	PSYC_PARSE_INDEX_LIST = 3,
	/* The same, and the index ends with it. */
	PSYC_PARSE_INDEX_LIST_LAST = 4,
	/* The name of a struct's member. */
	PSYC_PARSE_INDEX_STRUCT = 5,
	/* The same, and the index ends with it. */
	PSYC_PARSE_INDEX_STRUCT_LAST = 6,
	/* The first part of a dict's key. */
	PSYC_PARSE_INDEX_DICT_START = 7,
	/* A further part. */
	PSYC_PARSE_INDEX_DICT_CONT = 8,
	/* The last part. */
	PSYC_PARSE_INDEX_DICT_END = 9,
	/* A dict's key. */
	PSYC_PARSE_INDEX_DICT = 10,
	/* The index has ended. */
	PSYC_PARSE_INDEX_END = 11
} PsycParseIndexRC;

/* The parts that an index parser is in. */
typedef enum {
	PSYC_INDEX_PART_START = 0,
	PSYC_INDEX_PART_TYPE = 1,
	PSYC_INDEX_PART_LIST = 2,
	PSYC_INDEX_PART_STRUCT = 3,
	PSYC_INDEX_PART_DICT_LENGTH = 4,
	PSYC_INDEX_PART_DICT = 5
} PsycIndexPart;

/* The results of psyc_parse_update (docs/spec/psyc.md 10). */
typedef enum {
	/* Reserved. */
	PSYC_PARSE_UPDATE_ERROR_VALUE = -24,
	/* No length after the colon, or it is too large. */
	PSYC_PARSE_UPDATE_ERROR_LENGTH = -23,
	/* Neither a type, a length nor a value after the operator. */
	PSYC_PARSE_UPDATE_ERROR_TYPE = -22,
	/* No operator after the space. Errors of the index have the numbers of PsycParseIndexRC. */
	PSYC_PARSE_UPDATE_ERROR_OPER = -21,
	/* The state was not made by this library. */
	PSYC_PARSE_UPDATE_ERROR = -1,
	/* The update goes on after the buffer. */
	PSYC_PARSE_UPDATE_INSUFFICIENT = 1,
	/* The steps of the index, as PsycParseIndexRC has them. */
	PSYC_PARSE_UPDATE_INDEX_LIST = 3,
	PSYC_PARSE_UPDATE_INDEX_STRUCT = 5,
	PSYC_PARSE_UPDATE_INDEX_DICT_START = 7,
	PSYC_PARSE_UPDATE_INDEX_DICT_CONT = 8,
	PSYC_PARSE_UPDATE_INDEX_DICT_END = 9,
	PSYC_PARSE_UPDATE_INDEX_DICT = 10,
	/* The operator, and the type of the value, which may be empty. */
	PSYC_PARSE_UPDATE_TYPE = 21,
	/* The same, and the value is empty. */
	PSYC_PARSE_UPDATE_TYPE_END = 22,
	/* The first part of the value. */
	PSYC_PARSE_UPDATE_VALUE_START = 23,
	/* A further part. */
	PSYC_PARSE_UPDATE_VALUE_CONT = 24,
	/* The last part. */
	PSYC_PARSE_UPDATE_VALUE_END = 25,
	/* The value. */
	PSYC_PARSE_UPDATE_VALUE = 26,
	/* The update has ended. */
	PSYC_PARSE_UPDATE_END = 27
} PsycParseUpdateRC;

/* The parts that an update parser is in. */
typedef enum {
	PSYC_UPDATE_PART_START = 0,
	PSYC_UPDATE_INDEX_PART_TYPE = 1,
	PSYC_UPDATE_INDEX_PART_LIST = 2,
	PSYC_UPDATE_INDEX_PART_STRUCT = 3,
	PSYC_UPDATE_INDEX_PART_DICT_LENGTH = 4,
	PSYC_UPDATE_INDEX_PART_DICT = 5,
	PSYC_UPDATE_PART_TYPE = 12,
	PSYC_UPDATE_PART_LENGTH = 13,
	PSYC_UPDATE_PART_VALUE = 14
} PsycUpdatePart;

/* The state of a packet parser. */
typedef struct {
	PsycString buffer;
	/* The offset of the next unread byte of the buffer. */
	size_t cursor;
	/* The number of bytes after the cursor that were looked at for an unfinished item. */
	size_t startc;
	/* The number of bytes of the routing header read. */
	size_t routinglen;
	/* The declared length of the content, if there is one. */
	size_t contentlen;
	/* The number of bytes of the content read. */
	size_t content_parsed;
	/*
	 * The declared length of the value, if there is one, and the number of its bytes delivered.
	 */
	size_t valuelen;
	size_t value_parsed;
	PsycPart part;
	/* A PsycParseFlag. */
	uint8_t flags;
	uint8_t contentlen_found;
	uint8_t valuelen_found;
	/* Private: the error, if there was one. */
	uint8_t failed;
} PsycParseState;

/* The state of a list parser. */
typedef struct {
	PsycString buffer;
	size_t cursor;
	size_t startc;
	/* The default type. */
	PsycString type;
	size_t elemlen;
	size_t elem_parsed;
	PsycListPart part;
	uint8_t elemlen_found;
	/* Private: the error, if there was one. */
	uint8_t failed;
} PsycParseListState;

/* The state of a dict parser. */
typedef struct {
	PsycString buffer;
	size_t cursor;
	size_t startc;
	size_t elemlen;
	size_t elem_parsed;
	PsycDictPart part;
	uint8_t elemlen_found;
	/* Private: the error, if there was one. */
	uint8_t failed;
} PsycParseDictState;

/* The state of an index parser. */
typedef struct {
	PsycString buffer;
	size_t cursor;
	size_t startc;
	size_t elemlen;
	size_t elem_parsed;
	PsycIndexPart part;
	uint8_t elemlen_found;
	/* Private: the error, if there was one. */
	uint8_t failed;
} PsycParseIndexState;

/* The state of an update parser. */
typedef struct {
	PsycString buffer;
	size_t cursor;
	size_t startc;
	size_t elemlen;
	size_t elem_parsed;
	PsycUpdatePart part;
	uint8_t elemlen_found;
	/* Private: the error, if there was one. */
	uint8_t failed;
} PsycParseUpdateState;

/* Initialises a parser; a packet parser with a PsycParseFlag. */
static inline void psyc_parse_state_init(PsycParseState *state, uint8_t flags)
{
	memset(state, 0, sizeof(*state));
	state->flags = flags;
	if (flags & PSYC_PARSE_START_AT_CONTENT)
		state->part = PSYC_PART_CONTENT;
}

static inline void psyc_parse_list_state_init(PsycParseListState *state)
{
	memset(state, 0, sizeof(*state));
}

static inline void psyc_parse_dict_state_init(PsycParseDictState *state)
{
	memset(state, 0, sizeof(*state));
}

static inline void psyc_parse_index_state_init(PsycParseIndexState *state)
{
	memset(state, 0, sizeof(*state));
}

static inline void psyc_parse_update_state_init(PsycParseUpdateState *state)
{
	memset(state, 0, sizeof(*state));
}

/* Sets the next buffer, which is read from its start. */
static inline void psyc_parse_buffer_set(PsycParseState *state, const char *buffer, size_t length)
{
	state->buffer.length = length;
	state->buffer.data = (char *) buffer;
	state->cursor = 0;
}

static inline void psyc_parse_list_buffer_set(PsycParseListState *state, const char *buffer, size_t length)
{
	state->buffer.length = length;
	state->buffer.data = (char *) buffer;
	state->cursor = 0;
}

static inline void psyc_parse_dict_buffer_set(PsycParseDictState *state, const char *buffer, size_t length)
{
	state->buffer.length = length;
	state->buffer.data = (char *) buffer;
	state->cursor = 0;
}

static inline void psyc_parse_index_buffer_set(PsycParseIndexState *state, const char *buffer, size_t length)
{
	state->buffer.length = length;
	state->buffer.data = (char *) buffer;
	state->cursor = 0;
}

static inline void psyc_parse_update_buffer_set(PsycParseUpdateState *state, const char *buffer, size_t length)
{
	state->buffer.length = length;
	state->buffer.data = (char *) buffer;
	state->cursor = 0;
}

/*
 * Returns the declared length of the content, and if there is one. Both are valid until the call
 * after PSYC_PARSE_COMPLETE.
 */
static inline size_t psyc_parse_content_length(PsycParseState *state)
{
	return state->contentlen;
}

static inline PsycBool psyc_parse_content_length_found(PsycParseState *state)
{
	return state->contentlen_found ? PSYC_TRUE : PSYC_FALSE;
}

/* Returns the length of the value being delivered, and if it is declared. */
static inline size_t psyc_parse_value_length(PsycParseState *state)
{
	return state->valuelen;
}

static inline PsycBool psyc_parse_value_length_found(PsycParseState *state)
{
	return state->valuelen_found ? PSYC_TRUE : PSYC_FALSE;
}

/* Returns the offset of the next unread byte of the buffer, and the length of the buffer. */
static inline size_t psyc_parse_cursor(PsycParseState *state)
{
	return state->cursor;
}

static inline size_t psyc_parse_buffer_length(PsycParseState *state)
{
	return state->buffer.length;
}

/* Returns the unread bytes of the buffer. */
static inline size_t psyc_parse_remaining_length(PsycParseState *state)
{
	return state->buffer.length - state->cursor;
}

static inline const char *psyc_parse_remaining_buffer(PsycParseState *state)
{
	return state->buffer.data + state->cursor;
}

/* Parses the next item of the buffer. */
PsycParseRC psyc_parse(PsycParseState *state, char *oper, PsycString *name, PsycString *value);
PsycParseListRC psyc_parse_list(PsycParseListState *state, PsycString *type, PsycString *elem);
PsycParseDictRC psyc_parse_dict(PsycParseDictState *state, PsycString *type, PsycString *elem);
PsycParseIndexRC psyc_parse_index(PsycParseIndexState *state, PsycString *idx);
PsycParseUpdateRC psyc_parse_update(PsycParseUpdateState *state, char *oper, PsycString *value);

/*
 * Reads a number at the start of `value`, and returns the number of bytes read. Parsing succeeded
 * if that is all of them. Reading stops before a digit that would take the number out of range.
 */
size_t psyc_parse_int(const char *value, size_t len, int64_t *n);
size_t psyc_parse_uint(const char *value, size_t len, uint64_t *n);

/* Reads '#' and a number in the same way; without a '#', 0 bytes are read. */
size_t psyc_parse_list_index(const char *value, size_t len, int64_t *n);

/* Returns the number of keyword bytes that `data` starts with. */
size_t psyc_parse_keyword(const char *data, size_t len);

/* Tests the class of a byte (docs/spec/psyc.md 1). */
static inline PsycBool psyc_is_oper(char c)
{
	return c == ':' || c == '=' || c == '+' || c == '-' || c == '@' || c == '?' || c == '!' ? PSYC_TRUE : PSYC_FALSE;
}

static inline char psyc_is_numeric(char c)
{
	return c >= '0' && c <= '9';
}

static inline char psyc_is_alpha(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static inline char psyc_is_alpha_numeric(char c)
{
	return psyc_is_alpha(c) || psyc_is_numeric(c);
}

static inline char psyc_is_kw_char(char c)
{
	return psyc_is_alpha_numeric(c) || c == '_';
}

static inline char psyc_is_name_char(char c)
{
	return psyc_is_alpha(c) || (c >= '$' && c <= ';') || c == '_' || c == '!' || c == '?' || c == '=' || c == '@' || c == '~';
}

static inline char psyc_is_host_char(char c)
{
	return psyc_is_alpha_numeric(c) || c == '.' || c == '-';
}

#ifdef __cplusplus
}
#endif

#endif
