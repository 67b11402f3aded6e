/* The common parts of the tests of the C library: checks that go on after a failure, and traces of parsers. */
#ifndef TEST_H
#define TEST_H

#include <psyc.h>
#include <stdio.h>

extern unsigned checks_failed;
extern unsigned checks_passed;

#define CHECK(what) check(what, #what, __FILE__, __LINE__)
/* Checks a number. */
#define CHECK_NUM(came, expected) check_num((long long) (came), (long long) (expected), #came, __FILE__, __LINE__)
/* Checks that bytes are those of a string literal. */
#define CHECK_BYTES(data, length, literal) check_bytes(data, length, literal, sizeof(literal) - 1, #data, __FILE__, __LINE__)
#define CHECK_STRING(string, literal) CHECK_BYTES((string).data, (string).length, literal)
/* Checks a trace. */
#define CHECK_TRACE(came, expected) CHECK_BYTES(came, strlen(came), expected)

void check(int ok, const char *what, const char *file, int line);
void check_num(long long came, long long expected, const char *what, const char *file, int line);
void check_bytes(const char *came, size_t came_len, const char *expected, size_t expected_len, const char *what, const char *file, int line);

/*
 * A trace is a text with the result of each call of a parser, up to an error, an end, or the end of
 * the input. A result is the code and the outputs that the call set: the operator, the name or type,
 * and the value in quotes. For packets, the declared length of the value follows a slash, and the
 * cursor an '@'. The input is cut into pieces of `piece` bytes, or not at all if that is 0; remaining
 * bytes are put before the next piece.
 */
const char *trace_packet(uint8_t flags, const char *input, size_t length, size_t piece);
const char *trace_list(const char *input, size_t length, size_t piece);
const char *trace_dict(const char *input, size_t length, size_t piece);
const char *trace_index(const char *input, size_t length, size_t piece);
const char *trace_update(const char *input, size_t length, size_t piece);

/* The suites. */
void test_base(void);
void test_dict(void);
void test_exported(void);
void test_index(void);
void test_layout(void);
void test_list(void);
void test_match(void);
void test_method(void);
void test_number(void);
void test_packet(void);
void test_parse(void);
void test_render(void);
void test_text(void);
void test_uniform(void);
void test_update(void);
void test_variable(void);

/* Parses the packets of a file and renders them again, in both modes and cut at every place. */
void test_rerender(const char *path);

#endif
