/* Packets of files, parsed and rendered again: the same bytes, in both modes, cut at every place and byte by byte. */
#include <stdlib.h>

#include "test.h"

#define LINES 64

static char *copy_of(PsycString s)
{
	char *copy = (char *) malloc(s.length ? s.length : 1);

	if (s.length)
		memcpy(copy, s.data, s.length);
	return copy;
}

/* The parts collected of a packet. Everything is copied, since buffers go. */
typedef struct {
	PsycModifier routing[LINES];
	size_t routing_lines;
	PsycModifier entity[LINES];
	size_t entity_lines;
	PsycString method;
	PsycString value;
	char stateop;
} Collected;

static void append(PsycString *to, PsycString part)
{
	to->data = (char *) realloc(to->data, to->length + part.length + 1);
	if (part.length)
		memcpy(to->data + to->length, part.data, part.length);
	to->length += part.length;
}

static void drop(Collected *c)
{
	size_t i;

	for (i = 0; i < c->routing_lines; i++) {
		free(c->routing[i].name.data);
		free(c->routing[i].value.data);
	}
	for (i = 0; i < c->entity_lines; i++) {
		free(c->entity[i].name.data);
		free(c->entity[i].value.data);
	}
	free(c->method.data);
	free(c->value.data);
	memset(c, 0, sizeof(*c));
}

static void add_line(PsycModifier *lines, size_t *n, char oper, PsycString name, PsycString value, PsycModifierFlag flag)
{
	PsycString no_bytes = { 0, NULL };

	psyc_modifier_init(&lines[*n], (PsycOperator) oper, copy_of(name), name.length, NULL, 0, flag);
	lines[*n].value = no_bytes;
	append(&lines[*n].value, value);
	++*n;
}

/* Renders what was collected of a packet to `out`. */
static size_t render(Collected *c, PsycParseState *state, char *out, size_t room)
{
	PsycPacketFlag flag = psyc_parse_content_length_found(state) ? PSYC_PACKET_NEED_LENGTH : PSYC_PACKET_NO_LENGTH;
	PsycPacket p;

	if (state->flags & PSYC_PARSE_ROUTING_ONLY)
		psyc_packet_init_raw(&p, c->routing, c->routing_lines, PSYC_S2ARG(c->value), flag);
	else
		psyc_packet_init(&p, c->routing, c->routing_lines, c->entity, c->entity_lines, PSYC_S2ARG(c->method), PSYC_S2ARG(c->value),
		                 c->stateop, flag);
	CHECK_NUM(psyc_render(&p, out, room), PSYC_RENDER_SUCCESS);
	drop(c);
	return p.length;
}

/* Gives the bytes to a parser in pieces: the first of `first` bytes, the others of `piece`. Answers how many bytes were rendered. */
static size_t run(uint8_t flags, const char *bytes, size_t length, size_t first, size_t piece, char *out, size_t room)
{
	PsycParseState state;
	Collected c;
	size_t start = 0, end = first < length ? first : length, rendered = 0;

	memset(&c, 0, sizeof(c));
	psyc_parse_state_init(&state, flags);
	for (;;) {
		/* A block of its own, with what remained in front. */
		char *block = (char *) malloc(end - start ? end - start : 1);
		int rc;

		memcpy(block, bytes + start, end - start);
		psyc_parse_buffer_set(&state, block, end - start);
		do {
			char oper = 0;
			PsycString name = { 0, NULL }, value = { 0, NULL };

			rc = psyc_parse(&state, &oper, &name, &value);
			switch (rc) {
			case PSYC_PARSE_ROUTING:
				add_line(c.routing, &c.routing_lines, oper, name, value, PSYC_MODIFIER_ROUTING);
				break;
			case PSYC_PARSE_STATE_RESYNC:
			case PSYC_PARSE_STATE_RESET:
				c.stateop = oper;
				break;
			case PSYC_PARSE_ENTITY_START:
			case PSYC_PARSE_ENTITY:
				add_line(c.entity, &c.entity_lines, oper, name, value,
				         psyc_parse_value_length_found(&state) ? PSYC_MODIFIER_NEED_LENGTH : PSYC_MODIFIER_NO_LENGTH);
				break;
			case PSYC_PARSE_ENTITY_CONT:
			case PSYC_PARSE_ENTITY_END:
				append(&c.entity[c.entity_lines - 1].value, value);
				break;
			case PSYC_PARSE_BODY_START:
			case PSYC_PARSE_BODY_CONT:
			case PSYC_PARSE_BODY_END:
			case PSYC_PARSE_BODY:
				if (name.length)
					append(&c.method, name);
				append(&c.value, value);
				break;
			case PSYC_PARSE_COMPLETE:
				rendered += render(&c, &state, out + rendered, room - rendered);
				break;
			default:
				break;
			}
		} while (rc > 0 && rc != PSYC_PARSE_INSUFFICIENT);
		free(block);
		if (rc < 0 || end == length) {
			CHECK_NUM(rc, PSYC_PARSE_INSUFFICIENT);
			break;
		}
		start = end - psyc_parse_remaining_length(&state);
		end = length - end < piece ? length : end + piece;
	}
	CHECK_NUM(psyc_parse_remaining_length(&state), 0);
	drop(&c);
	return rendered;
}

static void same(uint8_t flags, const char *bytes, size_t length, size_t first, size_t piece)
{
	char out[4096];

	memset(out, 0, sizeof(out));
	CHECK_NUM(run(flags, bytes, length, first, piece, out, sizeof(out)), length);
	CHECK(memcmp(out, bytes, length) == 0);
}

void test_rerender(const char *path)
{
	char bytes[4096];
	size_t length, at;
	uint8_t flags;
	FILE *file = fopen(path, "rb");

	if (!file) {
		check(0, path, __FILE__, __LINE__);
		return;
	}
	length = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	CHECK(length > 0 && length < sizeof(bytes));
	for (flags = PSYC_PARSE_ALL; flags <= PSYC_PARSE_ROUTING_ONLY; flags++) {
		for (at = 0; at <= length; at++)
			same(flags, bytes, length, at, length);
		for (at = 1; at < 12; at++)
			same(flags, bytes, length, at, at);
	}
}
