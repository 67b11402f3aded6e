/*
 * Strings with a length, truth values, and their macros. Every other header includes this one.
 *
 * Sections are those of docs/spec/psyc.md in https://github.com/polywire/polywire.
 */
#ifndef PSYC_BASE_H
#define PSYC_BASE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of the protocol. */
#define PSYC_VERSION 1
/*
 * Time zero of _date values, in seconds of Unix time: 2015-08-24T19:20:41Z (docs/spec/psyc.md 16).
 */
#define PSYC_EPOCH 1440444041

typedef enum {
	PSYC_FALSE = 0,
	PSYC_TRUE = 1,
	PSYC_NO = 0,
	PSYC_YES = 1
} PsycBool;

typedef enum {
	PSYC_ERROR = -1,
	PSYC_OK = 1
} PsycRC;

/* Bytes of the caller, without a NUL at the end. */
typedef struct {
	size_t length;
	char *data;
} PsycString;

/* A string literal as a PsycString: in expressions, and as an initialiser. */
#define PSYC_C2STR(literal) ((PsycString) PSYC_C2STRI(literal))
#define PSYC_C2STRI(literal) { sizeof(literal) - 1, (char *) (literal) }

/*
 * A string literal as two arguments of a call: with its length; with its length and the NUL; length
 * first.
 */
#define PSYC_C2ARG(literal) (char *) (literal), sizeof(literal) - 1
#define PSYC_C2ARG1(literal) (char *) (literal), sizeof(literal)
#define PSYC_C2ARG2(literal) sizeof(literal) - 1, (char *) (literal)

/*
 * A PsycString as two arguments of a call: data first; length first; for the format "%.*s" of
 * printf.
 */
#define PSYC_S2ARG(string) (string).data, (string).length
#define PSYC_S2ARG2(string) (string).length, (string).data
#define PSYC_S2ARGP(string) (int) (string).length, (string).data

/* Data and a length as a PsycString. */
#define PSYC_STRING(dat, len) ((PsycString) { (len), (dat) })

/* The number of elements of an array. */
#define PSYC_NUM_ELEM(array) (sizeof(array) / sizeof((array)[0]))

#ifdef __cplusplus
}
#endif

#endif
