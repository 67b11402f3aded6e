/*
 * Packets, lists and dicts to bytes (docs/spec/psyc.md 11).
 *
 * Sections are those of docs/spec/psyc.md in https://github.com/polywire/polywire.
 */
#ifndef PSYC_RENDER_H
#define PSYC_RENDER_H

#include "base.h"
#include "packet.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
	/* There is data, and no method. */
	PSYC_RENDER_ERROR_METHOD_MISSING = -3,
	/* A modifier has an empty name. */
	PSYC_RENDER_ERROR_MODIFIER_NAME_MISSING = -2,
	/* The buffer is too small. */
	PSYC_RENDER_ERROR = -1,
	PSYC_RENDER_SUCCESS = 0
} PsycRenderRC;

/*
 * Writes an initialised packet, list, dict, element or key into a buffer of `buflen` bytes. The
 * output has `length` bytes, as the rendered object says, and no NUL at the end. After an error the
 * contents of the buffer are unspecified.
 */
PsycRenderRC psyc_render(PsycPacket *packet, char *buffer, size_t buflen);
PsycRenderRC psyc_render_list(PsycList *list, char *buffer, size_t buflen);
PsycRenderRC psyc_render_dict(PsycDict *dict, char *buffer, size_t buflen);
PsycRenderRC psyc_render_elem(PsycElem *elem, char *buffer, size_t buflen);
PsycRenderRC psyc_render_dict_key(PsycDictKey *key, char *buffer, size_t buflen);

/*
 * Writes a line of a header, psyc_modifier_length bytes, and returns the number of bytes written; 1
 * if the name is empty. The size of the buffer is not checked.
 */
size_t psyc_render_modifier(PsycModifier *mod, char *buffer);

#ifdef __cplusplus
}
#endif

#endif
