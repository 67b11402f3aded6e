/* Uniforms, the addresses of PSYC (docs/spec/psyc.md 13). */
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

/* What is wrong with an address: the first byte that does not fit decides. */
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

/* An address in parts, views into the text; a part that is not there is empty. */
typedef struct {
	/* 1 if the address is right, else 0. */
	uint8_t valid;
	PsycScheme type;
	PsycString scheme;
	/* Never set, like pass, query and user_host. */
	PsycString user;
	PsycString pass;
	PsycString host;
	/* With its '-'. */
	PsycString port;
	PsycString transport;
	PsycString resource;
	PsycString query;
	PsycString channel;
	/* All of it. */
	PsycString full;
	/* What follows the slashes. */
	PsycString body;
	PsycString user_host;
	/* Host, port and transport. */
	PsycString host_port;
	/* From the start to the end of host_port. */
	PsycString root;
	/* The root and the resource. */
	PsycString entity;
	PsycString slashes;
	/* The one after the host. */
	PsycString slash;
	/* From that slash to the end. */
	PsycString path;
	/* The resource without its first byte. */
	PsycString nick;
} PsycUniform;

/* Takes an address apart. Returns its PsycScheme, or a PsycParseUniformRC. */
int psyc_uniform_parse(PsycUniform *uni, const char *str, size_t length);

/* The PsycEntityType that the first byte of a resource says, or -1. */
static inline int psyc_entity_type(char c)
{
	return c == PSYC_ENTITY_PERSON || c == PSYC_ENTITY_PLACE || c == PSYC_ENTITY_SERVICE ? c : -1;
}

#ifdef __cplusplus
}
#endif

#endif
