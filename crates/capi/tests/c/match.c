/* docs/spec/psyc.md 12.1 and 12.4. */
#include "test.h"

#define INHERITS(sho, lon) psyc_inherits(PSYC_C2ARG(sho), PSYC_C2ARG(lon))
#define MATCHES(sho, lon) psyc_matches(PSYC_C2ARG(sho), PSYC_C2ARG(lon))

static void inherits(void)
{
	CHECK_NUM(INHERITS("_notice", "_notice_update_fast"), 0);
	CHECK_NUM(INHERITS("_notice_update", "_notice_update_fast"), 0);
	CHECK_NUM(INHERITS("_notice", "_notice"), 0);
	CHECK_NUM(INHERITS("_info", "_notice_x"), 1);
	CHECK_NUM(INHERITS("", "_a"), -2);
	CHECK_NUM(INHERITS("_a", ""), -2);
	CHECK_NUM(INHERITS("a", "_a"), -2);
	CHECK_NUM(INHERITS("_a", "ab"), -2);
	CHECK_NUM(INHERITS("_notice_update", "_notice"), -3);
	CHECK_NUM(INHERITS("_not", "_notice"), -4);
	CHECK_NUM(psyc_inherits(NULL, 0, NULL, 0), -2);
}

static void matches(void)
{
	CHECK_NUM(MATCHES("_b", "_a_b"), 0);
	CHECK_NUM(MATCHES("_b", "_a_b_c"), 0);
	CHECK_NUM(MATCHES("_a_c", "_a_b_c"), 0);
	CHECK_NUM(MATCHES("_c_a", "_a_b_c"), 1);
	CHECK_NUM(MATCHES("_b", "_bc_a"), 1);
	CHECK_NUM(MATCHES("_a", "_a"), 0);
	CHECK_NUM(MATCHES("_a", "_b"), -4);
	CHECK_NUM(MATCHES("_a_b_c", "_a_b"), -3);
	CHECK_NUM(MATCHES("a", "_a"), -2);
	CHECK_NUM(MATCHES("", "_a"), -2);
	CHECK_NUM(MATCHES("_a_a", "_a_b_c"), 1);
	CHECK_NUM(MATCHES("_update", "_notice_update_fast"), 0);
	CHECK_NUM(MATCHES("_fast_update", "_notice_update_fast"), 1);
	CHECK_NUM(psyc_matches(NULL, 0, NULL, 0), -2);
}

static void lookup(void)
{
	int one, two, three;
	PsycMap map[3];
	PsycMapInt numbers[3];

	map[0].key = PSYC_C2STR("_a_b");
	map[0].value = &one;
	map[1].key = PSYC_C2STR("_a");
	map[1].value = &two;
	map[2].key = PSYC_C2STR("_c");
	map[2].value = &three;
	CHECK(psyc_map_lookup(map, 3, PSYC_C2ARG("_a"), PSYC_NO) == &two);
	CHECK(psyc_map_lookup(map, 3, PSYC_C2ARG("_a_b"), PSYC_NO) == &one);
	CHECK(psyc_map_lookup(map, 3, PSYC_C2ARG("_a_x"), PSYC_NO) == NULL);
	CHECK(psyc_map_lookup(map, 3, PSYC_C2ARG("_a_x"), PSYC_YES) == &two);
	CHECK(psyc_map_lookup(map, 3, PSYC_C2ARG("_a_b_c"), PSYC_YES) == &one);
	CHECK(psyc_map_lookup(map, 3, PSYC_C2ARG("_ax"), PSYC_YES) == NULL);
	CHECK(psyc_map_lookup(map, 3, PSYC_C2ARG("_c"), PSYC_YES) == &three);
	CHECK(psyc_map_lookup(map, 3, PSYC_C2ARG("_"), PSYC_YES) == NULL);
	CHECK(psyc_map_lookup(map, 3, PSYC_C2ARG(""), PSYC_YES) == NULL);
	CHECK(psyc_map_lookup(map, 3, PSYC_C2ARG("a"), PSYC_YES) == NULL);
	CHECK(psyc_map_lookup(NULL, 0, PSYC_C2ARG("_a"), PSYC_YES) == NULL);

	numbers[0].key = PSYC_C2STR("_a_b");
	numbers[0].value = 1;
	numbers[1].key = PSYC_C2STR("_a");
	numbers[1].value = -2;
	numbers[2].key = PSYC_C2STR("_c");
	numbers[2].value = INTPTR_MIN;
	CHECK_NUM(psyc_map_lookup_int(numbers, 3, PSYC_C2ARG("_a_b_x"), PSYC_YES), 1);
	CHECK_NUM(psyc_map_lookup_int(numbers, 3, PSYC_C2ARG("_a_x"), PSYC_YES), -2);
	CHECK_NUM(psyc_map_lookup_int(numbers, 3, PSYC_C2ARG("_c"), PSYC_NO), INTPTR_MIN);
	CHECK_NUM(psyc_map_lookup_int(numbers, 3, PSYC_C2ARG("_d"), PSYC_YES), 0);
}

void test_match(void)
{
	inherits();
	matches();
	lookup();
}
