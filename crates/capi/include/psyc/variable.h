/*
 * Routing variables, and types of variables by their names (docs/spec/psyc.md 12.2 and 12.3).
 *
 * Sections are those of docs/spec/psyc.md in https://github.com/polywire/polywire.
 */
#ifndef PSYC_VARIABLE_H
#define PSYC_VARIABLE_H

#include "base.h"
#include "match.h"
#include "method.h"
#include "packet.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Routing variables. They are known by their exact names only. */
typedef enum {
	PSYC_RVAR_UNKNOWN = 0,
	PSYC_RVAR_AMOUNT_FRAGMENTS = 1,
	PSYC_RVAR_CONTEXT = 2,
	PSYC_RVAR_COUNTER = 3,
	PSYC_RVAR_FRAGMENT = 4,
	PSYC_RVAR_SOURCE = 5,
	PSYC_RVAR_SOURCE_RELAY = 6,
	PSYC_RVAR_TAG = 7,
	PSYC_RVAR_TAG_RELAY = 8,
	PSYC_RVAR_TARGET = 9,
	PSYC_RVAR_TARGET_RELAY = 10,
	/* The number of routing variables, PSYC_RVAR_UNKNOWN included. */
	PSYC_RVARS_NUM = 11
} PsycRoutingVar;

/* The type of a variable, by the first word of its name. */
typedef enum {
	PSYC_TYPE_UNKNOWN = 0,
	PSYC_TYPE_AMOUNT = 1,
	PSYC_TYPE_COLOR = 2,
	PSYC_TYPE_COUNTER = 3,
	PSYC_TYPE_DATE = 4,
	PSYC_TYPE_DEGREE = 5,
	PSYC_TYPE_DICT = 6,
	PSYC_TYPE_ENTITY = 7,
	PSYC_TYPE_FLAG = 8,
	PSYC_TYPE_LANGUAGE = 9,
	PSYC_TYPE_LIST = 10,
	PSYC_TYPE_NICK = 11,
	PSYC_TYPE_PAGE = 12,
	PSYC_TYPE_STRUCT = 13,
	PSYC_TYPE_TIME = 14,
	PSYC_TYPE_UNIFORM = 15
} PsycType;

/* The keywords as tables for psyc_map_lookup_int. Each name has a NUL at the end. */
extern const PsycMapInt psyc_rvars[];
extern const PsycMapInt psyc_var_types[];
extern const PsycMapInt psyc_methods[];
extern const size_t psyc_rvars_num;
extern const size_t psyc_var_types_num;
extern const size_t psyc_methods_num;

/* Returns the routing variable of a name. */
PsycRoutingVar psyc_var_routing(const char *name, size_t len);
/* Returns the type of a variable by its name. */
PsycType psyc_var_type(const char *name, size_t len);
/* Returns PSYC_TRUE for list variables: _list, and names that inherit from it. */
PsycBool psyc_var_is_list(const char *name, size_t len);

#ifdef __cplusplus
}
#endif

#endif
