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
 * A number that is not known.
 */
#define POLYWIRE_UNKNOWN UINT64_MAX

/**
 * The answer of a callback: go on, and into the value that is announced.
 */
#define POLYWIRE_ENTER 0

/**
 * The answer of a callback to `open` or `field`: step over the value. Its framing and limits are
 * checked, its contents are not, and it has no `close`.
 */
#define POLYWIRE_SKIP 1

/**
 * The answer of a callback: end the walk of all messages, without an error.
 */
#define POLYWIRE_STOP 2

/**
 * A value in parts comes as one scalar.
 */
#define POLYWIRE_NEEDS_WHOLE_TEXT 1

/**
 * Repeated fields come once, as one list.
 */
#define POLYWIRE_NEEDS_GROUPED 2

/**
 * Fields come in the order of their schema.
 */
#define POLYWIRE_NEEDS_SCHEMA_ORDER 4

/**
 * Values that no schema describes come as the format's best guess, not as bytes.
 */
#define POLYWIRE_NEEDS_GUESSES 8

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
 * The kind of a container. Later versions may add kinds.
 */
enum polywire_container
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * Values in order.
     */
    POLYWIRE_CONTAINER_LIST = 0,
    /**
     * Pairs of key and value. A key that is text comes as a field, another one as a value.
     */
    POLYWIRE_CONTAINER_MAP = 1,
    /**
     * A fixed number of values in order, each with its own meaning.
     */
    POLYWIRE_CONTAINER_TUPLE = 2,
    /**
     * Named fields. `name` is the name of the type.
     */
    POLYWIRE_CONTAINER_RECORD = 3,
    /**
     * A case of a sum type, with 0, 1 or more values. `name` is the case's, `code` its index.
     */
    POLYWIRE_CONTAINER_VARIANT = 4,
    /**
     * One value that a format marks as special, such as a tag of CBOR. `name` is the numbering
     * that `code` belongs to.
     */
    POLYWIRE_CONTAINER_TAGGED = 5,
    /**
     * A container that this library cannot name. A walk does not have any today.
     */
    POLYWIRE_CONTAINER_OTHER = 6,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum polywire_container polywire_container;
#else
typedef uint32_t polywire_container;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * The kind of a scalar. Later versions may add kinds.
 */
enum polywire_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * No value.
     */
    POLYWIRE_KIND_NULL = 0,
    /**
     * A truth value: `boolean`.
     */
    POLYWIRE_KIND_BOOL = 1,
    /**
     * A whole number below zero: `integer`.
     */
    POLYWIRE_KIND_INT = 2,
    /**
     * A whole number from zero up: `natural`.
     */
    POLYWIRE_KIND_UINT = 3,
    /**
     * IEEE 754 binary32: `real` has its value.
     */
    POLYWIRE_KIND_FLOAT32 = 4,
    /**
     * IEEE 754 binary64: `real`.
     */
    POLYWIRE_KIND_FLOAT64 = 5,
    /**
     * A whole number that fits neither int64_t nor uint64_t: `text` has its decimal digits, with a
     * minus sign if it is negative.
     */
    POLYWIRE_KIND_BIG = 6,
    /**
     * A decimal number that a double would change: `text` has it in JSON's number syntax.
     */
    POLYWIRE_KIND_DECIMAL = 7,
    /**
     * Unicode text: `text`.
     */
    POLYWIRE_KIND_TEXT = 8,
    /**
     * Binary data: `text` has the bytes.
     */
    POLYWIRE_KIND_BYTES = 9,
    /**
     * Text in a character set that the format does not name: `text` has the bytes.
     */
    POLYWIRE_KIND_OCTETS = 10,
    /**
     * A moment in time: `time`.
     */
    POLYWIRE_KIND_TIME = 11,
    /**
     * A kind that this library cannot hand over. A walk does not have any today.
     */
    POLYWIRE_KIND_OTHER = 12,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum polywire_kind polywire_kind;
#else
typedef uint32_t polywire_kind;
#endif // __STDC_VERSION__ >= 202311L
#endif // __cplusplus

/**
 * The kind of a note. Later versions may add kinds.
 */
enum polywire_note_kind
#if defined(__cplusplus) || __STDC_VERSION__ >= 202311L
  : uint32_t
#endif // defined(__cplusplus) || __STDC_VERSION__ >= 202311L
 {
    /**
     * Bytes that the reader stepped over without understanding them.
     */
    POLYWIRE_NOTE_KIND_UNKNOWN = 0,
    /**
     * A comment.
     */
    POLYWIRE_NOTE_KIND_COMMENT = 1,
    /**
     * An instruction to the document's processor, verbatim.
     */
    POLYWIRE_NOTE_KIND_DIRECTIVE = 2,
    /**
     * White space between values.
     */
    POLYWIRE_NOTE_KIND_LAYOUT = 3,
    /**
     * A description of bytes around the values, such as a header.
     */
    POLYWIRE_NOTE_KIND_FRAME = 4,
    /**
     * A remark on a value that the reader changed in form.
     */
    POLYWIRE_NOTE_KIND_COERCED = 5,
    /**
     * A note that this library cannot name.
     */
    POLYWIRE_NOTE_KIND_OTHER = 6,
};
#ifndef __cplusplus
#if __STDC_VERSION__ >= 202311L
typedef enum polywire_note_kind polywire_note_kind;
#else
typedef uint32_t polywire_note_kind;
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
 * A walk of an input whose bytes the program brings as they come. One thread at a time uses it.
 * Free it with polywire_stream_free().
 */
typedef struct polywire_stream polywire_stream;

/**
 * Reads bytes of an input into `buffer`, at most `length`. Returns their number, 0 at the end of
 * the input, or -1 if reading failed.
 */
typedef ptrdiff_t (*polywire_read)(void *user, uint8_t *buffer, size_t length);

/**
 * Writes bytes of an output. Returns 0, or another number if writing failed.
 */
typedef int32_t (*polywire_write)(void *user, const uint8_t *bytes, size_t length);

/**
 * A byte range in the input. It is empty for things that are not on the wire, such as defaults.
 */
typedef struct polywire_span {
    /**
     * Offset of the first byte.
     */
    uint64_t start;
    /**
     * Offset after the last byte.
     */
    uint64_t end;
} polywire_span;

/**
 * Text in UTF-8, or bytes. No byte 0 follows. It lives until the callback returns.
 */
typedef struct polywire_slice {
    /**
     * The first byte.
     */
    const uint8_t *data;
    /**
     * Number of bytes.
     */
    size_t length;
} polywire_slice;

/**
 * The start of a container.
 */
typedef struct polywire_open {
    /**
     * The kind of the container.
     */
    polywire_container kind;
    /**
     * A name; of length 0 if there is none.
     */
    struct polywire_slice name;
    /**
     * Number of a variant's case or of a tag, otherwise 0.
     */
    uint64_t code;
    /**
     * Number of entries (in a map: of pairs), or POLYWIRE_UNKNOWN. It comes from the wire: never
     * allocate by it.
     */
    uint64_t length;
} polywire_open;

/**
 * The name of the value that follows: a record's field, or a map's key that is text.
 */
typedef struct polywire_field {
    /**
     * Name or key.
     */
    struct polywire_slice name;
    /**
     * Number of the field on the wire, in formats that number them, or POLYWIRE_UNKNOWN.
     */
    uint64_t id;
    /**
     * Index of the field in the schema's record, or POLYWIRE_UNKNOWN.
     */
    uint64_t slot;
} polywire_field;

/**
 * A moment: seconds since 1970-01-01T00:00:00Z, without leap seconds.
 */
typedef struct polywire_time {
    /**
     * Seconds, rounded down.
     */
    int64_t seconds;
    /**
     * Nanoseconds after these, below 10^9.
     */
    uint32_t nanoseconds;
} polywire_time;

/**
 * The value of a scalar. Its kind says which member holds it.
 */
typedef union polywire_value {
    bool boolean;
    int64_t integer;
    uint64_t natural;
    double real;
    struct polywire_slice text;
    struct polywire_time time;
} polywire_value;

/**
 * A value without parts.
 */
typedef struct polywire_scalar {
    /**
     * The kind of the value.
     */
    polywire_kind kind;
    /**
     * The value.
     */
    union polywire_value value;
    /**
     * The digits of a number as they came, such as "1.50"; a null pointer if the format does not
     * write digits, or they say no more than the value.
     */
    struct polywire_slice digits;
} polywire_scalar;

/**
 * A piece of a text or of bytes that come in parts.
 */
typedef struct polywire_part {
    /**
     * The kind of the value that the pieces make: text, bytes or octets.
     */
    polywire_kind kind;
    /**
     * True for the last piece.
     */
    bool last;
    /**
     * The bytes of this piece.
     */
    struct polywire_slice bytes;
    /**
     * Length of the whole, or POLYWIRE_UNKNOWN. It comes from the wire: never allocate by it.
     */
    uint64_t total;
} polywire_part;

/**
 * Something in the message that is no value.
 */
typedef struct polywire_note {
    /**
     * The kind of the note.
     */
    polywire_note_kind kind;
    /**
     * Its text or bytes.
     */
    struct polywire_slice contents;
} polywire_note;

/**
 * The functions that a walk calls. Set `size` to sizeof(polywire_sink), and what is not wanted to
 * null. A record is `open`, then `field` and its value for each field, then `close`; entries of
 * other containers are values.
 *
 * Each function gets the pointer `user`, and the byte range of what it is about. It returns
 * POLYWIRE_ENTER, POLYWIRE_SKIP or POLYWIRE_STOP. It may not use the stream that calls it.
 */
typedef struct polywire_sink {
    /**
     * sizeof(polywire_sink), by which the library knows the version of the header.
     */
    size_t size;
    /**
     * A sum of POLYWIRE_NEEDS_… values, or 0.
     */
    uint32_t needs;
    /**
     * A message begins. `message` counts from 1. POLYWIRE_SKIP passes over it.
     */
    uint32_t (*begin)(void *user, uint64_t message, struct polywire_span at);
    /**
     * A container starts; `at` are the bytes that open it.
     */
    uint32_t (*open)(void *user, const struct polywire_open *open, struct polywire_span at);
    /**
     * The name of the value that follows.
     */
    uint32_t (*field)(void *user, const struct polywire_field *field, struct polywire_span at);
    /**
     * A value without parts.
     */
    uint32_t (*scalar)(void *user, const struct polywire_scalar *scalar, struct polywire_span at);
    /**
     * A piece of a text or of bytes.
     */
    uint32_t (*part)(void *user, const struct polywire_part *part, struct polywire_span at);
    /**
     * The innermost container ends; `at` are the bytes that close it.
     */
    uint32_t (*close)(void *user, struct polywire_span at);
    /**
     * Something that is no value.
     */
    uint32_t (*note)(void *user, const struct polywire_note *note, struct polywire_span at);
    /**
     * The message ends. It was read without an error.
     */
    uint32_t (*end)(void *user, uint64_t message);
} polywire_sink;

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
 * Sets the bytes that one message of polywire_stream_feed() may have. Default 1 GiB.
 */
void polywire_options_set_max_message(struct polywire_options *options, uint64_t bytes);

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
 * Binds a format to a message type of a schema in memory, as polywire_format_bind() does with a
 * file. The schema cannot import files; a descriptor set of Protocol Buffers has its imports in it
 * (`protoc --include_imports --descriptor_set_out`). The bytes are not kept.
 */
polywire_status polywire_format_bind_text(const char *name,
                                          const uint8_t *schema,
                                          size_t length,
                                          const char *type,
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
 * Walks all messages of `bytes`, and calls the functions of `sink`. Null for `format` means the
 * one that the bytes look like.
 */
polywire_status polywire_walk(const uint8_t *bytes,
                              size_t length,
                              const struct polywire_format *format,
                              const struct polywire_options *options,
                              const struct polywire_sink *sink,
                              void *user,
                              struct polywire_error **error);

/**
 * Walks all messages that `read` returns. Memory: a buffer, and at most twice the longest message.
 */
polywire_status polywire_walk_stream(polywire_read read,
                                     void *read_user,
                                     const struct polywire_format *format,
                                     const struct polywire_options *options,
                                     const struct polywire_sink *sink,
                                     void *user,
                                     struct polywire_error **error);

/**
 * Makes a stream. The struct `sink` is copied; `user` has to live as long as the stream.
 */
polywire_status polywire_stream_new(const struct polywire_format *format,
                                    const struct polywire_options *options,
                                    const struct polywire_sink *sink,
                                    void *user,
                                    struct polywire_stream **stream,
                                    struct polywire_error **error);

/**
 * Takes the next bytes of the input, in pieces of any length, and walks each message that is
 * complete. The bytes of an unfinished one are kept: polywire_options_set_max_message() bounds
 * them. Nothing can be fed after an error; what is fed after POLYWIRE_STOP is passed over.
 */
polywire_status polywire_stream_feed(struct polywire_stream *stream,
                                     const uint8_t *bytes,
                                     size_t length,
                                     struct polywire_error **error);

/**
 * Ends the input, and walks a last message that only the end of the input ends.
 */
polywire_status polywire_stream_end(struct polywire_stream *stream, struct polywire_error **error);

/**
 * Returns the number of messages that were begun.
 */
uint64_t polywire_stream_messages(const struct polywire_stream *stream);

/**
 * Frees a stream. Null is fine.
 */
void polywire_stream_free(struct polywire_stream *stream);

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
