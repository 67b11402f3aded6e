/*
 * Inheritance and matching of keywords, and tables that are searched by them
 * (docs/spec/psyc.md 12.1 and 12.4).
 *
 * Sections are those of docs/spec/psyc.md in https://github.com/polywire/polywire.
 */
#ifndef PSYC_MATCH_H
#define PSYC_MATCH_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
	PsycString key;
	void *value;
} PsycMap;

typedef struct {
	PsycString key;
	intptr_t value;
} PsycMapInt;

/*
 * Tests if the keyword `lon` inherits from `sho`, as _notice_update does from _notice.
 * 0: yes. 1: no. -2: one of them is empty or does not begin with '_'. -3: `sho` is the longer one.
 * -4: `lon` starts with `sho`, but the next byte is not '_'.
 */
int psyc_inherits(char *sho, size_t slen, char *lon, size_t llen);

/*
 * Tests if the words of `sho` occur in `lon` in their order.
 * 0: yes. 1: no. -2: one of them is empty or does not begin with '_'. -3: `sho` is the longer one.
 * -4: they are of one length and differ.
 */
int psyc_matches(char *sho, size_t slen, char *lon, size_t llen);

/*
 * Returns the value of `key` in a table of `size` entries. With `inherit`, an entry that `key`
 * inherits from counts too: put longer keywords before those they inherit from. Not found: NULL, 0.
 */
void *psyc_map_lookup(const PsycMap *map, size_t size, const char *key, size_t keylen, PsycBool inherit);
intptr_t psyc_map_lookup_int(const PsycMapInt *map, size_t size, const char *key, size_t keylen, PsycBool inherit);

#ifdef __cplusplus
}
#endif

#endif
