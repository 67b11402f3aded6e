/* docs/spec/psyc.md 13. */
#include "test.h"

static int parse(PsycUniform *uni, const char *text)
{
	memset(uni, 0, sizeof(*uni));
	return psyc_uniform_parse(uni, text, strlen(text));
}

static void errors(void)
{
	static const struct {
		const char *text;
		int rc;
	} WRONG[] = {
		{ "", PSYC_PARSE_UNIFORM_INVALID_SCHEME },
		{ "psyc", PSYC_PARSE_UNIFORM_INVALID_SCHEME },
		{ "xmpp://h", PSYC_PARSE_UNIFORM_INVALID_SCHEME },
		{ "p%yc://h", PSYC_PARSE_UNIFORM_INVALID_SCHEME },
		{ "psyc:", PSYC_PARSE_UNIFORM_INVALID_HOST },
		{ "psyc:/", PSYC_PARSE_UNIFORM_INVALID_HOST },
		{ "psyc://", PSYC_PARSE_UNIFORM_INVALID_HOST },
		{ "psyc:///", PSYC_PARSE_UNIFORM_INVALID_HOST },
		{ "psyc://h_", PSYC_PARSE_UNIFORM_INVALID_HOST },
		{ "psyc:/x", PSYC_PARSE_UNIFORM_INVALID_SLASHES },
		{ "psyc://h:x", PSYC_PARSE_UNIFORM_INVALID_PORT },
		{ "psyc://h:1x", PSYC_PARSE_UNIFORM_INVALID_TRANSPORT },
		{ "psyc://h:1cd", PSYC_PARSE_UNIFORM_INVALID_TRANSPORT },
		{ "psyc://h:1g", PSYC_PARSE_UNIFORM_INVALID_TRANSPORT },
		{ "psyc://h/ ", PSYC_PARSE_UNIFORM_INVALID_RESOURCE },
		{ "psyc://h/@a# ", PSYC_PARSE_UNIFORM_INVALID_CHANNEL },
		{ "psyc://h/@a#b#c", PSYC_PARSE_UNIFORM_INVALID_CHANNEL },
	};
	size_t i;

	for (i = 0; i < PSYC_NUM_ELEM(WRONG); i++) {
		PsycUniform uni;

		/* The parts of an earlier address are gone. */
		CHECK_NUM(parse(&uni, "psyc://h/~a"), PSYC_SCHEME_PSYC);
		CHECK_NUM(psyc_uniform_parse(&uni, WRONG[i].text, strlen(WRONG[i].text)), WRONG[i].rc);
		CHECK_NUM(uni.valid, 0);
		CHECK_NUM(uni.full.length + uni.host.length, 0);
	}
}

void test_uniform(void)
{
	PsycUniform uni;
	int c;

	CHECK_NUM(parse(&uni, "psyc://Example.org:4404d/@lobby#main"), PSYC_SCHEME_PSYC);
	CHECK_NUM(uni.valid, 1);
	CHECK_NUM(uni.type, PSYC_SCHEME_PSYC);
	CHECK_STRING(uni.scheme, "psyc");
	CHECK_STRING(uni.slashes, "//");
	CHECK_STRING(uni.host, "Example.org");
	CHECK_STRING(uni.port, "4404");
	CHECK_STRING(uni.transport, "d");
	CHECK_STRING(uni.resource, "@lobby");
	CHECK_STRING(uni.channel, "main");
	CHECK_STRING(uni.full, "psyc://Example.org:4404d/@lobby#main");
	CHECK_STRING(uni.body, "Example.org:4404d/@lobby#main");
	CHECK_STRING(uni.host_port, "Example.org:4404d");
	CHECK_STRING(uni.root, "psyc://Example.org:4404d");
	CHECK_STRING(uni.entity, "psyc://Example.org:4404d/@lobby");
	CHECK_STRING(uni.slash, "/");
	CHECK_STRING(uni.path, "/@lobby#main");
	CHECK_STRING(uni.nick, "lobby");
	CHECK_STRING(uni.user, "");
	CHECK_STRING(uni.pass, "");
	CHECK_STRING(uni.query, "");
	CHECK_STRING(uni.user_host, "");

	CHECK_NUM(parse(&uni, "psyc://h"), PSYC_SCHEME_PSYC);
	CHECK_STRING(uni.host_port, "h");
	CHECK_STRING(uni.entity, "psyc://h");
	CHECK_NUM(uni.path.length + uni.slash.length + uni.nick.length + uni.port.length, 0);
	CHECK_NUM(parse(&uni, "psyc://h/a/b"), PSYC_SCHEME_PSYC);
	CHECK_STRING(uni.resource, "a/b");
	CHECK_STRING(uni.nick, "/b");
	CHECK_NUM(parse(&uni, "PSYC://a.b:-77s/~eve"), PSYC_SCHEME_PSYC);
	CHECK_STRING(uni.port, "-77");
	CHECK_STRING(uni.transport, "s");
	CHECK_NUM(parse(&uni, "psyc://key:g/~k"), PSYC_SCHEME_PSYC);
	CHECK_STRING(uni.transport, "g");
	CHECK_NUM(uni.port.length, 0);
	CHECK_NUM(parse(&uni, "psyc://h:"), PSYC_SCHEME_PSYC);
	CHECK_NUM(parse(&uni, "psyc://h:-"), PSYC_SCHEME_PSYC);
	errors();

	for (c = 0; c < 256; c++)
		CHECK_NUM(psyc_entity_type((char) c), c == '~' || c == '@' || c == '$' ? c : -1);
	CHECK_NUM(PSYC_ENTITY_PERSON, '~');
	CHECK_NUM(PSYC_TRANSPORT_TLS, 's');
}
