/* Runs all tests of the C library. Its arguments are files of packets to be rendered again. */
#include "test.h"

int main(int argc, char **argv)
{
	int i;

	test_base();
	test_layout();
	test_exported();
	test_match();
	test_method();
	test_variable();
	test_number();
	test_parse();
	test_list();
	test_dict();
	test_index();
	test_update();
	test_packet();
	test_render();
	test_text();
	test_uniform();
	for (i = 1; i < argc; i++)
		test_rerender(argv[i]);

	printf("%u checks passed, %u failed\n", checks_passed, checks_failed);
	return checks_failed || !checks_passed ? 1 : 0;
}
