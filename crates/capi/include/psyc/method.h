/*
 * Methods with a number: their families, flags and texts (docs/spec/psyc.md 12.5 and 14).
 *
 * Sections are those of docs/spec/psyc.md in https://github.com/polywire/polywire.
 */
#ifndef PSYC_METHOD_H
#define PSYC_METHOD_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum {
	/* The data is a text template. */
	PSYC_METHOD_TEMPLATE = 1,
	/* It is a reply. */
	PSYC_METHOD_REPLY = 2,
	/* It is shown to the user. */
	PSYC_METHOD_VISIBLE = 4,
	/* It is kept in logs. */
	PSYC_METHOD_LOGGABLE = 8,
	/* A user wrote it. */
	PSYC_METHOD_MANUAL = 16
} PsycMethodFlag;

typedef enum {
	PSYC_MC_UNKNOWN = 0,
	PSYC_MC_CONVERSE = 1,
	PSYC_MC_DATA = 2,
	PSYC_MC_ECHO = 3,
	PSYC_MC_ECHO_CONTEXT_ENTER = 4,
	PSYC_MC_ECHO_CONTEXT_LEAVE = 5,
	PSYC_MC_ECHO_HELLO = 6,
	PSYC_MC_ERROR = 7,
	PSYC_MC_FAILURE = 8,
	PSYC_MC_FAILURE_ALIAS_NONEXISTANT = 9,
	PSYC_MC_FAILURE_ALIAS_UNAVAILABLE = 10,
	PSYC_MC_INFO = 11,
	PSYC_MC_MESSAGE = 12,
	PSYC_MC_MESSAGE_ACTION = 13,
	PSYC_MC_NOTICE = 14,
	PSYC_MC_NOTICE_ALIAS_ADD = 15,
	PSYC_MC_NOTICE_ALIAS_CHANGE = 16,
	PSYC_MC_NOTICE_ALIAS_REMOVE = 17,
	PSYC_MC_NOTICE_CONTEXT_ENTER = 18,
	PSYC_MC_NOTICE_CONTEXT_LEAVE = 19,
	PSYC_MC_NOTICE_FRIENDSHIP = 20,
	PSYC_MC_NOTICE_LINK = 21,
	PSYC_MC_NOTICE_PEER_CONNECT = 22,
	PSYC_MC_NOTICE_PEER_DISCONNECT = 23,
	PSYC_MC_NOTICE_SET = 24,
	PSYC_MC_NOTICE_UNLINK = 25,
	PSYC_MC_REQUEST = 26,
	PSYC_MC_REQUEST_CONTEXT_ENTER = 27,
	PSYC_MC_REQUEST_CONTEXT_LEAVE = 28,
	PSYC_MC_REQUEST_FRIENDSHIP = 29,
	PSYC_MC_STATUS = 30,
	PSYC_MC_STATUS_CONTEXTS_ENTERED = 31,
	PSYC_MC_STATUS_HELLO = 32,
	PSYC_MC_WARNING = 33,
	/* The number of methods, PSYC_MC_UNKNOWN included. */
	PSYC_METHODS_NUM = 34
} PsycMethod;

/* The text of each method, by number and by name; empty if there is none. */
typedef union {
	PsycString a[PSYC_METHODS_NUM];
	struct {
		PsycString _;
		PsycString _converse;
		PsycString _data;
		PsycString _echo;
		PsycString _echo_context_enter;
		PsycString _echo_context_leave;
		PsycString _echo_hello;
		PsycString _error;
		PsycString _failure;
		PsycString _failure_alias_nonexistant;
		PsycString _failure_alias_unavailable;
		PsycString _info;
		PsycString _message;
		PsycString _message_action;
		PsycString _notice;
		PsycString _notice_alias_add;
		PsycString _notice_alias_change;
		PsycString _notice_alias_remove;
		PsycString _notice_context_enter;
		PsycString _notice_context_leave;
		PsycString _notice_friendship;
		PsycString _notice_link;
		PsycString _notice_peer_connect;
		PsycString _notice_peer_disconnect;
		PsycString _notice_set;
		PsycString _notice_unlink;
		PsycString _request;
		PsycString _request_context_enter;
		PsycString _request_context_leave;
		PsycString _request_friendship;
		PsycString _status;
		PsycString _status_contexts_entered;
		PsycString _status_hello;
		PsycString _warning;
	} s;
} PsycTemplates;

/*
 * Returns the method that `method` is or inherits from. Sets `family` to the family of the method,
 * and `flag` to a set of PsycMethodFlag; either may be NULL. Not found: PSYC_MC_UNKNOWN, and both
 * become 0.
 */
PsycMethod psyc_method(char *method, size_t methodlen, PsycMethod *family, unsigned int *flag);

#ifdef __cplusplus
}
#endif

#endif
