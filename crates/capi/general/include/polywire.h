/* Polywire for programs in C: every format, by one interface.
 *
 * Link with -lpolywire-formats (pkg-config polywire-formats). docs/c-api.md has examples. Made by
 * cbindgen from crates/capi/general: changes belong there.
 *
 * Rules:
 *
 * - A call that can fail returns a polywire_status, and stores an error object in its last
 *   argument, or null if it succeeds. Pass a null pointer to have none.
 * - Objects that a call makes are freed by the function of their kind, once. A null pointer is
 *   fine there. Where a call fails, it stores null in place of the object, unless its description
 *   says otherwise.
 * - Texts are UTF-8 and end with a byte 0. Bytes are a pointer and a length; a null pointer with
 *   length 0 stands for no bytes. Nothing that is passed has to outlive its call, unless its
 *   description says otherwise.
 * - Any number of threads may call at the same time. Threads may share objects, as long as none
 *   frees or changes one that another uses. Functions that change an object take a pointer
 *   without const.
 * - A callback must return: no longjmp and no exception of C++ may leave it.
 * - A bug in the library is POLYWIRE_STATUS_INTERNAL, and writes a line to stderr. Memory that runs
 *   out ends the process.
 * - Later versions add functions, and values of enumerations. Structs that a program makes begin
 *   with their size, and those that callbacks get may grow at their end.
 */

#ifndef POLYWIRE_H
#define POLYWIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * New readers have to read old messages.
 */
#define POLYWIRE_CHECK_BACKWARD 1

/**
 * Old readers have to read new messages.
 */
#define POLYWIRE_CHECK_FORWARD 2

/**
 * A changed name or default breaks compatibility as well.
 */
#define POLYWIRE_CHECK_STRICT 4

/**
 * The result of a call. A status other than POLYWIRE_STATUS_OK comes with an error object that
 * says more. Later versions may add further statuses.
 */
enum polywire_status
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * The call did what it is for.
     */
    POLYWIRE_STATUS_OK = 0,
    /**
     * A message is malformed, cut off, or beyond a limit: its sender has to act.
     */
    POLYWIRE_STATUS_DATA = 1,
    /**
     * A schema is malformed or does not fit: its author has to act.
     */
    POLYWIRE_STATUS_SCHEMA = 2,
    /**
     * An argument is wrong, such as a name that no format has: the program has to act.
     */
    POLYWIRE_STATUS_CALLER = 3,
    /**
     * A file, or a callback that reads or writes, failed.
     */
    POLYWIRE_STATUS_ENVIRONMENT = 4,
    /**
     * A bug in Polywire: please report it.
     */
    POLYWIRE_STATUS_INTERNAL = 5,
    /**
     * The target format cannot keep a message whole, and the options do not allow losses.
     */
    POLYWIRE_STATUS_LOSS = 6,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum polywire_status polywire_status;
#else
typedef uint32_t polywire_status;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * An error: what was seen, what was expected, where, and what to do. Free it with
 * polywire_error_free(). Texts live as long as the object.
 */
typedef struct polywire_error polywire_error;

/**
 * A format as it is spoken: by itself, with settings, or bound to a message type of a schema. Free
 * it with polywire_format_free().
 */
typedef struct polywire_format polywire_format;

/**
 * Options of a call. A null pointer in their place means the defaults. Free them with
 * polywire_options_free().
 */
typedef struct polywire_options polywire_options;

/**
 * The result of a call: bytes, and what is to be said about them. Free it with
 * polywire_result_free().
 */
typedef struct polywire_result polywire_result;

/**
 * A version of a schema: a file, or a text in memory. Free it with polywire_schema_free().
 */
typedef struct polywire_schema polywire_schema;

/**
 * Reads bytes of an input into `buffer`, at most `length`. Returns their number, 0 at the end of
 * the input, or -1 if reading failed.
 */
typedef ptrdiff_t (*polywire_read)(void *user, uint8_t *buffer, size_t length);

/**
 * Writes bytes of an output. Returns 0, or another number if writing failed.
 */
typedef int32_t (*polywire_write)(void *user, const uint8_t *bytes, size_t length);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Returns the version of the library, such as "0.2.0". The text is constant.
 */
const char *polywire_version(void);

/**
 * Returns the status that the call returned; POLYWIRE_STATUS_OK for null.
 */
polywire_status polywire_error_status(const struct polywire_error *error);

/**
 * Returns the error on one line, for people.
 */
const char *polywire_error_text(const struct polywire_error *error);

/**
 * Returns the error as a JSON object. docs/errors.md describes its fields.
 */
const char *polywire_error_json(const struct polywire_error *error);

/**
 * Returns the kind of the error in a word for programs, such as "syntax", "truncated" or "limit".
 * docs/errors.md lists them.
 */
const char *polywire_error_kind(const struct polywire_error *error);

/**
 * Returns the party that has to act: "data", "schema", "caller", "polywire" or "environment".
 */
const char *polywire_error_fault(const struct polywire_error *error);

/**
 * Returns what was seen, or null.
 */
const char *polywire_error_seen(const struct polywire_error *error);

/**
 * Returns what was expected, or null.
 */
const char *polywire_error_expected(const struct polywire_error *error);

/**
 * Returns advice on what to do, or null. It may name an option of the program polywire.
 */
const char *polywire_error_hint(const struct polywire_error *error);

/**
 * Returns the name of the format that was read or written, or null.
 */
const char *polywire_error_format(const struct polywire_error *error);

/**
 * Returns the path of the value, such as "items[3].name", or null.
 */
const char *polywire_error_path(const struct polywire_error *error);

/**
 * Stores the byte offset in the input, from 0. Returns false, and stores nothing, if it is not
 * known.
 */
bool polywire_error_offset(const struct polywire_error *error, uint64_t *offset);

/**
 * Stores the line, from 1, in a text format. Returns false, and stores nothing, if it is not
 * known.
 */
bool polywire_error_line(const struct polywire_error *error, uint64_t *line);

/**
 * Stores the column in characters, from 1, in a text format. Returns false, and stores nothing, if
 * it is not known.
 */
bool polywire_error_column(const struct polywire_error *error, uint64_t *column);

/**
 * Stores the number of the message in the input, from 1. Returns false, and stores nothing, if it
 * is not known.
 */
bool polywire_error_message(const struct polywire_error *error, uint64_t *message);

/**
 * Frees an error. Null is fine.
 */
void polywire_error_free(struct polywire_error *error);

/**
 * Makes options with their defaults.
 */
struct polywire_options *polywire_options_new(void);

/**
 * Frees options. Null is fine.
 */
void polywire_options_free(struct polywire_options *options);

/**
 * Allows a conversion to lose what the target cannot keep; the result lists it. Default: false, a
 * loss is an error.
 */
void polywire_options_allow_losses(struct polywire_options *options, bool allow);

/**
 * Sets the number of threads of a conversion, for formats whose messages can be found without
 * reading them, such as JSON Lines. The result is the same. Default 1.
 */
void polywire_options_set_threads(struct polywire_options *options, size_t threads);

/**
 * Sets the depth of containers within each other, at most 2048. Default 512.
 */
void polywire_options_set_max_depth(struct polywire_options *options, uint32_t depth);

/**
 * Sets the number of values and fields in one message. Default 2^32.
 */
void polywire_options_set_max_items(struct polywire_options *options, uint64_t items);

/**
 * Sets the bytes that decoding may make of one message beyond its own, as by escapes and entities.
 * Default 256 MiB.
 */
void polywire_options_set_max_decoded(struct polywire_options *options, uint64_t bytes);

/**
 * Sets the digits of one number. Default 4096.
 */
void polywire_options_set_max_digits(struct polywire_options *options, uint32_t digits);

/**
 * Sets how many messages within messages polywire_inspect() opens, at most 32. Default 0: they are
 * named, and not opened.
 */
void polywire_options_set_payload_depth(struct polywire_options *options, uint32_t depth);

/**
 * Returns the bytes, and stores their number in `length` unless that is null. A byte 0 follows
 * them, which does not count: a text without such a byte in it is a C string. They live as long as
 * the result.
 */
const uint8_t *polywire_result_bytes(const struct polywire_result *result, size_t *length);

/**
 * Returns the number of messages that were read.
 */
uint64_t polywire_result_messages(const struct polywire_result *result);

/**
 * Returns what the target could not keep, as a JSON array: "[]" if nothing was lost.
 * docs/errors.md describes its objects.
 */
const char *polywire_result_losses(const struct polywire_result *result);

/**
 * Frees a result. Null is fine.
 */
void polywire_result_free(struct polywire_result *result);

/**
 * Returns the number of formats.
 */
size_t polywire_format_count(void);

/**
 * Returns the name of a format by its number, from 0; null beyond the last. The text is constant.
 */
const char *polywire_format_at(size_t index);

/**
 * Returns the name of the format that bytes look most like; null if they look like none. `whole`
 * says that nothing follows the bytes: otherwise they are the start of an input. The text is
 * constant.
 */
const char *polywire_recognise(const uint8_t *bytes, size_t length, bool whole);

/**
 * Finds a format by its name or file extension.
 */
polywire_status polywire_format_find(const char *name,
                                     struct polywire_format **format,
                                     struct polywire_error **error);

/**
 * Binds a format to a message type of a schema file, which is in the format's own schema language:
 * `.proto` for Protocol Buffers. `type` names the type; null means the language's default.
 * `include` names a folder for imports, or is null.
 */
polywire_status polywire_format_bind(const char *name,
                                     const char *schema,
                                     const char *type,
                                     const char *include,
                                     struct polywire_format **format,
                                     struct polywire_error **error);

/**
 * Sets a setting of a format that is not bound, such as "separator" of "csv". `polywire convert
 * --help` lists them. No other thread may use the format meanwhile.
 */
polywire_status polywire_format_set(struct polywire_format *format,
                                    const char *name,
                                    const char *value,
                                    struct polywire_error **error);

/**
 * Returns the name of a format. The text is constant.
 */
const char *polywire_format_name(const struct polywire_format *format);

/**
 * Frees a format. Null is fine.
 */
void polywire_format_free(struct polywire_format *format);

/**
 * Converts all messages of `bytes` from one format to another, both by name: "json", "msgpack".
 * Null for `from` means the format that the bytes look like.
 *
 * Nothing is lost silently: a message that the target cannot keep whole is POLYWIRE_STATUS_LOSS,
 * unless the options allow losses.
 */
polywire_status polywire_convert(const uint8_t *bytes,
                                 size_t length,
                                 const char *from,
                                 const char *to,
                                 const struct polywire_options *options,
                                 struct polywire_result **result,
                                 struct polywire_error **error);

/**
 * Converts like polywire_convert(), between formats with settings or a schema. Null for `from`
 * means the format that the bytes look like.
 */
polywire_status polywire_convert_between(const uint8_t *bytes,
                                         size_t length,
                                         const struct polywire_format *from,
                                         const struct polywire_format *to,
                                         const struct polywire_options *options,
                                         struct polywire_result **result,
                                         struct polywire_error **error);

/**
 * Converts all messages that `read` returns, and gives them to `write` as they come. Memory: a
 * buffer, and a small multiple of the longest message. The result has the number of messages and
 * the losses, and no bytes. Messages before an error are written.
 */
polywire_status polywire_convert_stream(polywire_read read,
                                        void *read_user,
                                        polywire_write write,
                                        void *write_user,
                                        const struct polywire_format *from,
                                        const struct polywire_format *to,
                                        const struct polywire_options *options,
                                        struct polywire_result **result,
                                        struct polywire_error **error);

/**
 * Describes every byte of an input: one JSON object on each line, as `polywire inspect --report
 * json` writes them (docs/inspect.md). Null for `format` means the one that the bytes look like.
 *
 * Bytes that are broken have a status and an error, and a result too: the rows before the mistake,
 * and one for the bytes that were not understood.
 */
polywire_status polywire_inspect(const uint8_t *bytes,
                                 size_t length,
                                 const struct polywire_format *format,
                                 const struct polywire_options *options,
                                 struct polywire_result **result,
                                 struct polywire_error **error);

/**
 * Infers a schema from the messages of `bytes`, and writes it in a schema language: "proto",
 * "extprot", "usds" or "text". Null for `format` means the one that the bytes look like. `name`
 * names the message type; null leaves it to the language.
 *
 * The result's bytes are the schema's text. Its losses are what the language could not say, as
 * objects with `at` and `what`.
 */
polywire_status polywire_schema_infer(const uint8_t *bytes,
                                      size_t length,
                                      const struct polywire_format *format,
                                      const char *language,
                                      const char *name,
                                      const struct polywire_options *options,
                                      struct polywire_result **result,
                                      struct polywire_error **error);

/**
 * Takes a schema of a file, which is read when it is used. `language` is "proto", "extprot" or
 * "usds"; null means that of the file extension. `include` names a folder for imports, or is null.
 */
polywire_status polywire_schema_file(const char *path,
                                     const char *language,
                                     const char *include,
                                     struct polywire_schema **schema,
                                     struct polywire_error **error);

/**
 * Takes a schema of a text in memory, which is copied. It cannot import files. `label` names it in
 * reports; null means "schema".
 */
polywire_status polywire_schema_text(const uint8_t *bytes,
                                     size_t length,
                                     const char *language,
                                     const char *label,
                                     struct polywire_schema **schema,
                                     struct polywire_error **error);

/**
 * Frees a schema. Null is fine.
 */
void polywire_schema_free(struct polywire_schema *schema);

/**
 * Checks whether a new version of a schema is compatible with an old one, and stores the answer in
 * `compatible`. The result's bytes are the findings as JSON, as `polywire schema check --report
 * json` writes them (docs/schema-check.md).
 *
 * `root` names the message type; null means all types. `checks` is a sum of POLYWIRE_CHECK_…
 * values; without a direction, both have to hold.
 */
polywire_status polywire_schema_check(const struct polywire_schema *old,
                                      const struct polywire_schema *new_,
                                      const char *root,
                                      uint32_t checks,
                                      bool *compatible,
                                      struct polywire_result **result,
                                      struct polywire_error **error);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* POLYWIRE_H */
