/* A program that was written for libpsyc, and knows nothing of where the library lies. */
#include <psyc.h>
#include <stdio.h>

int main(void)
{
	char out[64];
	PsycModifier source;
	PsycPacket packet;

	psyc_modifier_init(&source, PSYC_OPERATOR_SET, PSYC_C2ARG("_source"), PSYC_C2ARG("psyc://h/~ann"), PSYC_MODIFIER_ROUTING);
	psyc_packet_init(&packet, &source, 1, NULL, 0, PSYC_C2ARG("_message"), PSYC_C2ARG("Hi all"), PSYC_STATE_NOOP,
	                 PSYC_PACKET_CHECK_LENGTH);
	if (psyc_render(&packet, out, sizeof(out)) != PSYC_RENDER_SUCCESS)
		return 1;
	return packet.length != 42 || memcmp(out, ":_source\tpsyc://h/~ann\n\n_message\nHi all\n|\n", 42) != 0;
}
