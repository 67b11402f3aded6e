// The headers in C++: what has no compound literal works there.
#include <psyc.h>
#include <psyc/parse.h>
#include <psyc/uniform.h>

#include <string>

static const PsycString NAME = PSYC_C2STRI("_source");

int main()
{
	std::string packet = ":_source\tpsyc://h/~ann\n\n_message\nHi all\n|\n";
	PsycParseState state;
	char oper;
	PsycString name, value;

	psyc_parse_state_init(&state, PSYC_PARSE_ALL);
	psyc_parse_buffer_set(&state, packet.data(), packet.size());
	if (psyc_parse(&state, &oper, &name, &value) != PSYC_PARSE_ROUTING || oper != PSYC_OPERATOR_SET)
		return 1;
	if (std::string(name.data, name.length) != std::string(NAME.data, NAME.length))
		return 2;
	if (psyc_parse(&state, &oper, &name, &value) != PSYC_PARSE_BODY || std::string(value.data, value.length) != "Hi all")
		return 3;
	if (psyc_parse(&state, &oper, &name, &value) != PSYC_PARSE_COMPLETE)
		return 4;

	PsycModifier modifier;
	psyc_modifier_init(&modifier, PSYC_OPERATOR_SET, PSYC_C2ARG("_a"), PSYC_C2ARG("b"), PSYC_MODIFIER_CHECK_LENGTH);
	PsycPacket p;
	psyc_packet_init(&p, nullptr, 0, &modifier, 1, PSYC_C2ARG("_m"), nullptr, 0, PSYC_STATE_NOOP, PSYC_PACKET_CHECK_LENGTH);
	std::string out(p.length, ' ');
	if (psyc_render(&p, &out[0], out.size()) != PSYC_RENDER_SUCCESS || out != "\n:_a\tb\n_m\n|\n")
		return 5;

	PsycUniform uniform;
	if (psyc_uniform_parse(&uniform, PSYC_C2ARG("psyc://h/@room")) != PSYC_SCHEME_PSYC || uniform.nick.length != 4)
		return 6;
	if (psyc_template(PSYC_MC_NOTICE_CONTEXT_ENTER, nullptr)[0] == 0 || !psyc_is_oper('=') || psyc_methods_num == 0)
		return 7;
	return 0;
}
