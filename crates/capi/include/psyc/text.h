/* Text templates with variables to fill in (docs/spec/psyc.md 14). */
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
	/* How far the template was read. */
	size_t cursor;
	/* Bytes in the current buffer. */
	size_t written;
	PsycString tmpl;
	PsycString buffer;
	/* What names stand between. */
	PsycString open;
	PsycString close;
} PsycTextState;

/* Asked for the value of a name; `cls` is what the caller of psyc_text passed. */
typedef PsycTextValueRC (*PsycTextCB)(void *cls, const char *name, size_t namelen, PsycString *value);

/* A template with names in square brackets. */
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

/* A template with names between strings of one's own. */
static inline void psyc_text_state_init_custom(PsycTextState *state, char *tmpl, size_t tmplen, char *buffer, size_t buflen, char *open,
                                               size_t openlen, char *close, size_t closelen)
{
	psyc_text_state_init(state, tmpl, tmplen, buffer, buflen);
	state->open.length = openlen;
	state->open.data = open;
	state->close.length = closelen;
	state->close.data = close;
}

/* The next buffer. */
static inline void psyc_text_buffer_set(PsycTextState *state, char *buffer, size_t length)
{
	state->buffer.length = length;
	state->buffer.data = buffer;
	state->written = 0;
}

/* How many bytes of the current buffer were written. */
static inline size_t psyc_text_bytes_written(PsycTextState *state)
{
	return state->written;
}

/* Writes the template, with values in the place of names. Text between two names, and each value, is written in one piece. */
PsycTextRC psyc_text(PsycTextState *state, PsycTextCB get_value, void *cls);

/* The default templates, ended by NUL. */
extern const PsycTemplates psyc_templates;

/* The default template of a method; `len`, if not NULL, becomes its length. */
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
