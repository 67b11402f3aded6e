/*
 * Uniforms, the addresses of PSYC (docs/spec/psyc.md 13).
 *
 * Sections are those of docs/spec/psyc.md in https://github.com/polywire/polywire.
 */
#ifndef PSYC_UNIFORM_H
#define PSYC_UNIFORM_H

#include "base.h"
#include "../psyc.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Only addresses of the scheme psyc are parsed. */
typedef enum {
	PSYC_SCHEME_PSYC = 0,
	PSYC_SCHEME_IRC = 1,
	PSYC_SCHEME_XMPP = 2,
	PSYC_SCHEME_SIP = 3
} PsycScheme;

typedef enum {
	PSYC_UNIFORM_SCHEME = 0,
	PSYC_UNIFORM_SLASHES = 1,
	PSYC_UNIFORM_USER = 2,
	PSYC_UNIFORM_PASS = 3,
	PSYC_UNIFORM_HOST = 4,
	PSYC_UNIFORM_PORT = 5,
	PSYC_UNIFORM_TRANSPORT = 6,
	PSYC_UNIFORM_RESOURCE = 7,
	PSYC_UNIFORM_QUERY = 8,
	PSYC_UNIFORM_CHANNEL = 9
} PsycUniformPart;

/* Errors of an address. The first wrong byte decides. */
typedef enum {
	PSYC_PARSE_UNIFORM_INVALID_SLASHES = -7,
	PSYC_PARSE_UNIFORM_INVALID_CHANNEL = -6,
	PSYC_PARSE_UNIFORM_INVALID_RESOURCE = -5,
	PSYC_PARSE_UNIFORM_INVALID_TRANSPORT = -4,
	PSYC_PARSE_UNIFORM_INVALID_PORT = -3,
	PSYC_PARSE_UNIFORM_INVALID_HOST = -2,
	PSYC_PARSE_UNIFORM_INVALID_SCHEME = -1
} PsycParseUniformRC;

typedef enum {
	PSYC_TRANSPORT_TCP = 'c',
	PSYC_TRANSPORT_UDP = 'd',
	PSYC_TRANSPORT_TLS = 's',
	PSYC_TRANSPORT_GNUNET = 'g'
} PsycTransport;

typedef enum {
	PSYC_ENTITY_ROOT = 0,
	PSYC_ENTITY_PERSON = '~',
	PSYC_ENTITY_PLACE = '@',
	PSYC_ENTITY_SERVICE = '$'
} PsycEntityType;

/* An address in parts, which are views into the text. Absent parts are empty. */
typedef struct {
	/* 1 if the address is valid, else 0. */
	uint8_t valid;
	PsycScheme type;
	PsycString scheme;
	/* Never set, like pass, query and user_host. */
	PsycString user;
	PsycString pass;
	PsycString host;
	/* The port, with its '-'. */
	PsycString port;
	PsycString transport;
	PsycString resource;
	PsycString query;
	PsycString channel;
	/* The whole address. */
	PsycString full;
	/* The bytes after the slashes. */
	PsycString body;
	PsycString user_host;
	/* Host, port and transport. */
	PsycString host_port;
	/* The bytes from the start to the end of host_port. */
	PsycString root;
	/* The root and the resource. */
	PsycString entity;
	PsycString slashes;
	/* The slash after the host. */
	PsycString slash;
	/* The bytes from that slash to the end. */
	PsycString path;
	/* The resource without its first byte. */
	PsycString nick;
} PsycUniform;

/* Parses an address. Returns its PsycScheme, or a PsycParseUniformRC. */
int psyc_uniform_parse(PsycUniform *uni, const char *str, size_t length);

/* Returns the PsycEntityType that the first byte of a resource stands for, or -1. */
static inline int psyc_entity_type(char c)
{
	return c == PSYC_ENTITY_PERSON || c == PSYC_ENTITY_PLACE || c == PSYC_ENTITY_SERVICE ? c : -1;
}

#ifdef __cplusplus
}
#endif

#endif
