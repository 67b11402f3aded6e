/*
 * Packets, lists and dicts before they are rendered (docs/spec/psyc.md 4, 5, 11 and 15).
 *
 * Sections are those of docs/spec/psyc.md in https://github.com/polywire/polywire.
 */
#ifndef PSYC_PACKET_H
#define PSYC_PACKET_H

#include <math.h>

#include "base.h"
#include "method.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The first byte of the end mark. */
#define PSYC_PACKET_DELIMITER_CHAR '|'
/* The end of data without a length. */
#define PSYC_PACKET_DELIMITER "\n|\n"

#define PSYC_LIST_ELEM_START '|'
#define PSYC_DICT_KEY_START '{'
#define PSYC_DICT_KEY_END '}'
#define PSYC_DICT_VALUE_START PSYC_DICT_KEY_END
#define PSYC_DICT_VALUE_END PSYC_DICT_KEY_START

/*
 * Nominal limits in bytes of content, values and elements without a length. Nothing enforces them.
 */
#define PSYC_CONTENT_SIZE_MAX 512
#define PSYC_MODIFIER_SIZE_MAX 256
#define PSYC_ELEM_SIZE_MAX 128

/*
 * Data, values and elements longer than this, in bytes, are rendered with their length unless a
 * flag decides otherwise. The library was built with these numbers.
 */
#define PSYC_CONTENT_SIZE_THRESHOLD 9
#define PSYC_MODIFIER_SIZE_THRESHOLD 9
#define PSYC_ELEM_SIZE_THRESHOLD 9

/*
 * The length of a modifier's value is written: as decided when the modifier is initialised, always,
 * or never (docs/spec/psyc.md 11.1).
 */
typedef enum {
	PSYC_MODIFIER_CHECK_LENGTH = 0,
	PSYC_MODIFIER_NEED_LENGTH = 1,
	PSYC_MODIFIER_NO_LENGTH = 2,
	/* A line of the routing header, which never has a length. */
	PSYC_MODIFIER_ROUTING = 4
} PsycModifierFlag;

/* The same for elements of lists, and for keys and values of dicts. */
typedef enum {
	PSYC_ELEM_CHECK_LENGTH = 0,
	PSYC_ELEM_NEED_LENGTH = 1,
	PSYC_ELEM_NO_LENGTH = 2
} PsycElemFlag;

/* The same for the content of a packet. */
typedef enum {
	PSYC_PACKET_CHECK_LENGTH = 0,
	PSYC_PACKET_NEED_LENGTH = 1,
	PSYC_PACKET_NO_LENGTH = 2
} PsycPacketFlag;

/* The effect on a variable (docs/spec/psyc.md 4.2). */
typedef enum {
	PSYC_OPERATOR_SET = ':',
	PSYC_OPERATOR_ASSIGN = '=',
	PSYC_OPERATOR_AUGMENT = '+',
	PSYC_OPERATOR_DIMINISH = '-',
	PSYC_OPERATOR_UPDATE = '@',
	PSYC_OPERATOR_QUERY = '?'
} PsycOperator;

/* The state line (docs/spec/psyc.md 4.3). */
typedef enum {
	PSYC_STATE_NOOP = 0,
	PSYC_STATE_RESET = '=',
	PSYC_STATE_RESYNC = '?'
} PsycStateOp;

/* The elements of a packet id (docs/spec/psyc.md 15). */
typedef enum {
	PSYC_PACKET_ID_CONTEXT = 0,
	PSYC_PACKET_ID_SOURCE = 1,
	PSYC_PACKET_ID_TARGET = 2,
	PSYC_PACKET_ID_COUNTER = 3,
	PSYC_PACKET_ID_FRAGMENT = 4,
	PSYC_PACKET_ID_ELEMS = 5
} PsycPacketId;

/* An element of a list, or a value of a dict. `length` is the rendered length. */
typedef struct {
	PsycString type;
	PsycString value;
	size_t length;
	PsycElemFlag flag;
} PsycElem;

typedef struct {
	PsycString value;
	size_t length;
	PsycElemFlag flag;
} PsycDictKey;

typedef struct {
	PsycElem value;
	PsycDictKey key;
} PsycDictElem;

/* `type` is the default type, empty if there is none. `length` is the rendered length. */
typedef struct {
	PsycString type;
	PsycDictElem *elems;
	size_t num_elems;
	size_t length;
} PsycDict;

typedef struct {
	PsycString type;
	PsycElem *elems;
	size_t num_elems;
	size_t length;
} PsycList;

/* A line of a header. */
typedef struct {
	PsycString name;
	PsycString value;
	PsycModifierFlag flag;
	char oper;
} PsycModifier;

typedef struct {
	size_t lines;
	PsycModifier *modifiers;
} PsycHeader;

/*
 * An opaque content is in `content`, instead of `entity`, `method` and `data`. The lengths are
 * those of the rendered parts.
 */
typedef struct {
	PsycHeader routing;
	PsycHeader entity;
	PsycString method;
	PsycString data;
	PsycString content;
	size_t routinglen;
	size_t contentlen;
	size_t length;
	PsycStateOp stateop;
	PsycPacketFlag flag;
} PsycPacket;

/*
 * An element: with type, value and flag; type and value; value and flag; value. Other fields are
 * zero.
 */
#define PSYC_ELEM(typ, typlen, val, vallen, flg) \
	((PsycElem) { .type = { (typlen), (typ) }, .value = { (vallen), (val) }, .flag = (flg) })
#define PSYC_ELEM_TV(typ, typlen, val, vallen) \
	((PsycElem) { .type = { (typlen), (typ) }, .value = { (vallen), (val) } })
#define PSYC_ELEM_VF(val, vallen, flg) \
	((PsycElem) { .value = { (vallen), (val) }, .flag = (flg) })
#define PSYC_ELEM_V(val, vallen) \
	((PsycElem) { .value = { (vallen), (val) } })

/* A key and a PsycElem as an element of a dict. */
#define PSYC_DICT_KEY(val, vallen, flg) \
	((PsycDictKey) { .value = { (vallen), (val) }, .flag = (flg) })
#define PSYC_DICT_ELEM(k, v) \
	((PsycDictElem) { .key = k, .value = v })

/* A modifier; name and value are PsycStrings. */
#define PSYC_MODIFIER(op, nam, val, flg) \
	((PsycModifier) { .oper = (op), .name = nam, .value = val, .flag = (flg) })

/* Returns the number of decimal digits of a number; zero has one. */
size_t psyc_num_length(size_t n);

/*
 * Returns PSYC_MODIFIER_NEED_LENGTH if a modifier needs the length of its value, else
 * PSYC_MODIFIER_NO_LENGTH.
 */
PsycModifierFlag psyc_modifier_length_check(PsycModifier *m);

/* Initialises a modifier. PSYC_MODIFIER_CHECK_LENGTH is replaced by the decision. */
void psyc_modifier_init(PsycModifier *m, PsycOperator oper, char *name, size_t namelen, char *value, size_t valuelen,
                        PsycModifierFlag flag);

/*
 * Returns PSYC_ELEM_NEED_LENGTH if an element that `end` would end needs its length, else
 * PSYC_ELEM_NO_LENGTH.
 */
PsycElemFlag psyc_elem_length_check(PsycString *value, const char end);

/* Returns the rendered length in bytes of an element or a key. */
size_t psyc_elem_length(PsycElem *elem);
size_t psyc_dict_key_length(PsycDictKey *key);

/* Sets and returns the rendered length in bytes of a list or dict. */
size_t psyc_list_length_set(PsycList *list);
size_t psyc_dict_length_set(PsycDict *dict);

/* Returns the rendered length in bytes of a modifier, LF included. */
size_t psyc_modifier_length(PsycModifier *m);

/*
 * Returns PSYC_PACKET_NEED_LENGTH if a packet needs the length of its content, else
 * PSYC_PACKET_NO_LENGTH.
 */
PsycPacketFlag psyc_packet_length_check(PsycPacket *p);

/* Sets `routinglen`, `contentlen` and `length`, and returns the latter. */
size_t psyc_packet_length_set(PsycPacket *p);

/*
 * Makes a list or dict of elements, which are not copied. Decides on their flags and sets all
 * lengths. The default type becomes empty.
 */
void psyc_list_init(PsycList *list, PsycElem *elems, size_t num_elems);
void psyc_dict_init(PsycDict *dict, PsycDictElem *elems, size_t num_elems);

/* Makes a packet of its parts, which are not copied. Decides on its flag and sets all lengths. */
void psyc_packet_init(PsycPacket *p, PsycModifier *routing, size_t routinglines, PsycModifier *entity, size_t entitylines,
                      char *method, size_t methodlen, char *data, size_t datalen, char stateop, PsycPacketFlag flag);

/* Makes a packet of a routing header and an opaque content, which includes its last LF. */
void psyc_packet_init_raw(PsycPacket *p, PsycModifier *routing, size_t routinglines, char *content, size_t contentlen,
                          PsycPacketFlag flag);

/*
 * Makes a packet id: a list of PSYC_PACKET_ID_ELEMS elements, which the caller has zeroed. Parts of
 * length 0 stay empty.
 */
void psyc_packet_id(PsycList *list, PsycElem *elems, char *context, size_t contextlen, char *source, size_t sourcelen,
                    char *target, size_t targetlen, char *counter, size_t counterlen, char *fragment, size_t fragmentlen);

#ifdef __cplusplus
}
#endif

#endif
