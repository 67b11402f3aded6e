/* Our C library, with the programming interface of libpsyc: its parser and renderer as a C program uses them. */
#include <psyc.h>
#include <psyc/parse.h>
#include <psyc/render.h>
#include <stdlib.h>

#include "peer.h"

/* Variables in each header of a packet. */
#define LINES 64

typedef struct {
	const Message *messages;
	size_t count;
	PsycParseState parser;
	PsycModifier routing[LINES], entity[LINES];
	char *out;
	size_t room;
} Ready;

/* What is told of a packet: the two sinks of digest.hpp, as far as PSYC needs them. */
typedef struct {
	uint64_t values, digest;
} Seen;

typedef void Told(Seen *seen, char mark, PsycString text);

/* A mark of 's' stands before text; other marks stand alone. */
static inline void fold(Seen *seen, char mark, PsycString text)
{
	if (mark == 's')
		seen->digest += text.length + (text.length ? (unsigned char) *text.data : 0);
	else
		seen->digest += (unsigned char) mark;
}

static inline void digest_byte(Seen *seen, char byte)
{
	seen->digest = (seen->digest ^ (unsigned char) byte) * 0x100000001b3;
}

static inline void digest(Seen *seen, char mark, PsycString text)
{
	seen->values++;
	digest_byte(seen, mark);
	if (mark == 's') {
		for (size_t at = 0; at < text.length; at++)
			digest_byte(seen, text.data[at]);
		digest_byte(seen, '\xff');
	}
}

static inline int visit(Ready *ready, Seen *seen, Told *told)
{
	PsycString none = { 0, NULL };

	for (size_t at = 0; at < ready->count; at++) {
		PsycParseState *parser = &ready->parser;
		int rc;

		psyc_parse_buffer_set(parser, (char *) ready->messages[at].data, ready->messages[at].length);
		do {
			char oper;
			PsycString name = none, value = none;

			rc = psyc_parse(parser, &oper, &name, &value);
			switch (rc) {
			case PSYC_PARSE_ROUTING:
			case PSYC_PARSE_ENTITY:
				told(seen, oper, none);
				told(seen, 's', name);
				told(seen, 's', value);
				break;
			case PSYC_PARSE_STATE_RESYNC:
			case PSYC_PARSE_STATE_RESET:
				told(seen, oper, none);
				break;
			case PSYC_PARSE_BODY:
				told(seen, 's', name);
				if (value.length)
					told(seen, 's', value);
				break;
			case PSYC_PARSE_COMPLETE:
				break;
			default:
				return 1;
			}
		} while (rc != PSYC_PARSE_COMPLETE);
	}
	return 0;
}

static int decode(void *self, uint64_t *seen)
{
	Seen folded = { 0, 0 };
	int failed = visit((Ready *) self, &folded, fold);

	*seen = folded.digest;
	return failed;
}

static int check(void *self, Answer *answer)
{
	Seen seen = { 0, 0xcbf29ce484222325 };
	int failed = visit((Ready *) self, &seen, digest);

	answer->values = seen.values;
	answer->digest = seen.digest;
	return failed;
}

/* Parses a packet, and writes it as it came: lengths where there were lengths. */
static int render_one(Ready *ready, const Message *message, size_t *at)
{
	PsycParseState *parser = &ready->parser;
	PsycString method = { 0, NULL }, data = { 0, NULL };
	size_t routing = 0, entity = 0;
	char stateop = PSYC_STATE_NOOP;
	PsycPacket packet;
	int rc;

	psyc_parse_buffer_set(parser, (char *) message->data, message->length);
	do {
		char oper;
		PsycString name = { 0, NULL }, value = { 0, NULL };

		rc = psyc_parse(parser, &oper, &name, &value);
		switch (rc) {
		case PSYC_PARSE_ROUTING:
			if (routing == LINES)
				return 1;
			ready->routing[routing++] = PSYC_MODIFIER(oper, name, value, PSYC_MODIFIER_ROUTING);
			break;
		case PSYC_PARSE_ENTITY:
			if (entity == LINES)
				return 1;
			ready->entity[entity++] = PSYC_MODIFIER(
			    oper, name, value, psyc_parse_value_length_found(parser) ? PSYC_MODIFIER_NEED_LENGTH : PSYC_MODIFIER_NO_LENGTH);
			break;
		case PSYC_PARSE_STATE_RESYNC:
		case PSYC_PARSE_STATE_RESET:
			stateop = oper;
			break;
		case PSYC_PARSE_BODY:
			method = name;
			data = value;
			break;
		case PSYC_PARSE_COMPLETE:
			break;
		default:
			return 1;
		}
	} while (rc != PSYC_PARSE_COMPLETE);
	psyc_packet_init(&packet, ready->routing, routing, ready->entity, entity, PSYC_S2ARG(method), PSYC_S2ARG(data), stateop,
	                 psyc_parse_content_length_found(parser) ? PSYC_PACKET_NEED_LENGTH : PSYC_PACKET_NO_LENGTH);
	if (psyc_render(&packet, ready->out + *at, ready->room - *at) != PSYC_RENDER_SUCCESS)
		return 1;
	*at += packet.length;
	return 0;
}

static int render(void *self, const char **text, size_t *length)
{
	Ready *ready = (Ready *) self;
	size_t end = 0;

	for (size_t at = 0; at < ready->count; at++)
		if (render_one(ready, &ready->messages[at], &end))
			return 1;
	*text = ready->out;
	*length = end;
	return 0;
}

static void release(void *self)
{
	free(((Ready *) self)->out);
	free(self);
}

static void *prepare(const Message *messages, size_t count)
{
	Ready *ready = (Ready *) calloc(1, sizeof(*ready));

	if (!ready)
		return NULL;
	ready->messages = messages;
	ready->count = count;
	for (size_t at = 0; at < count; at++)
		ready->room += messages[at].length;
	ready->out = (char *) malloc(ready->room);
	if (!ready->out) {
		free(ready);
		return NULL;
	}
	psyc_parse_state_init(&ready->parser, PSYC_PARSE_ALL);
	return ready;
}

extern const Peer peer_psyc_c;
const Peer peer_psyc_c = { prepare, decode, check, render, NULL, release, NULL };
