/*
 * Text templates with variables (docs/spec/psyc.md 14).
 *
 * Sections are those of docs/spec/psyc.md in https://github.com/polywire/polywire.
 */
#ifndef PSYC_TEXT_H
#define PSYC_TEXT_H

#include "base.h"
#include "method.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
	/* Nothing was substituted or written: use the template as it is. */
	PSYC_TEXT_NO_SUBST = -1,
	PSYC_TEXT_COMPLETE = 0,
	/* The buffer is full: set the next one and call again. */
	PSYC_TEXT_INCOMPLETE = 1
} PsycTextRC;

typedef enum {
	PSYC_TEXT_VALUE_NOT_FOUND = -1,
	PSYC_TEXT_VALUE_FOUND = 0
} PsycTextValueRC;

typedef struct {
	/* The number of bytes of the template read. */
	size_t cursor;
	/* The number of bytes in the current buffer. */
	size_t written;
	PsycString tmpl;
	PsycString buffer;
	/* The braces around names. */
	PsycString open;
	PsycString close;
} PsycTextState;

/* Looks up the value of a name. `cls` is the argument of psyc_text. */
typedef PsycTextValueRC (*PsycTextCB)(void *cls, const char *name, size_t namelen, PsycString *value);

/* Initialises a template with names in square brackets. */
static inline void psyc_text_state_init(PsycTextState *state, char *tmpl, size_t tmplen, char *buffer, size_t buflen)
{
	state->cursor = 0;
	state->written = 0;
	state->tmpl.length = tmplen;
	state->tmpl.data = tmpl;
	state->buffer.length = buflen;
	state->buffer.data = buffer;
	state->open.length = 1;
	state->open.data = (char *) "[";
	state->close.length = 1;
	state->close.data = (char *) "]";
}

/* Initialises a template with names between other strings. */
static inline void psyc_text_state_init_custom(PsycTextState *state, char *tmpl, size_t tmplen, char *buffer, size_t buflen, char *open,
                                               size_t openlen, char *close, size_t closelen)
{
	psyc_text_state_init(state, tmpl, tmplen, buffer, buflen);
	state->open.length = openlen;
	state->open.data = open;
	state->close.length = closelen;
	state->close.data = close;
}

/* Sets the next buffer. */
static inline void psyc_text_buffer_set(PsycTextState *state, char *buffer, size_t length)
{
	state->buffer.length = length;
	state->buffer.data = buffer;
	state->written = 0;
}

/* Returns the number of bytes written to the current buffer. */
static inline size_t psyc_text_bytes_written(PsycTextState *state)
{
	return state->written;
}

/*
 * Writes the template, with values in the place of names. Each value, and the text between two
 * values, is written in one piece.
 */
PsycTextRC psyc_text(PsycTextState *state, PsycTextCB get_value, void *cls);

/* The default templates, each with a NUL at the end. */
extern const PsycTemplates psyc_templates;

/* Returns the default template of a method, and sets `len`, if not NULL, to its length. */
static inline const char *psyc_template(PsycMethod mc, size_t *len)
{
	size_t at = (int) mc > 0 && (int) mc < (int) PSYC_METHODS_NUM ? (size_t) mc : 0;
	if (len)
		*len = psyc_templates.a[at].length;
	return psyc_templates.a[at].data;
}

#ifdef __cplusplus
}
#endif

#endif
