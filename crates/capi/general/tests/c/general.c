/* What the header promises, with right and with hostile arguments. */
#include <polywire.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int checks;

#define CHECK(what) \
    do { \
        checks++; \
        if (!(what)) { \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #what); \
            exit(1); \
        } \
    } while (0)

static const uint8_t *bytes_of(const char *text) { return (const uint8_t *)text; }

static bool is(const char *text, const char *expected) { return text && strcmp(text, expected) == 0; }

static bool has(const char *text, const char *part) { return text && strstr(text, part); }

static const char *text_of(const polywire_result *result) { return (const char *)polywire_result_bytes(result, NULL); }

/* The status of a conversion, whose result and error are dropped. */
static polywire_status status(const void *bytes, size_t length, const char *from, const char *to)
{
    polywire_result *result = NULL;
    polywire_error *error = NULL;
    polywire_status code = polywire_convert(bytes, length, from, to, NULL, &result, &error);
    CHECK((code == POLYWIRE_STATUS_OK) == (error == NULL));
    CHECK((code == POLYWIRE_STATUS_OK) == (result != NULL));
    CHECK(polywire_error_status(error) == code);
    polywire_error_free(error);
    polywire_result_free(result);
    return code;
}

static void converts(void)
{
    polywire_result *result;
    polywire_error *error;
    size_t length = 0;
    static const uint8_t cbor[] = {0xa1, 0x62, 'i', 'd', 0x07};
    CHECK(polywire_convert(bytes_of("{\"id\":7}"), 8, "json", "cbor", NULL, &result, &error) == POLYWIRE_STATUS_OK);
    CHECK(memcmp(polywire_result_bytes(result, &length), cbor, sizeof cbor) == 0 && length == sizeof cbor);
    CHECK(polywire_result_messages(result) == 1 && is(polywire_result_losses(result), "[]") && !error);
    polywire_result_free(result);
    CHECK(polywire_convert(bytes_of("{\"id\":7}"), 8, NULL, "yaml", NULL, &result, NULL) == POLYWIRE_STATUS_OK);
    CHECK(has(text_of(result), "id: 7\n"));
    polywire_result_free(result);
    /* The bytes of a result end with a byte 0 that does not count. */
    CHECK(polywire_convert(NULL, 0, "jsonl", "json", NULL, &result, NULL) == POLYWIRE_STATUS_OK);
    CHECK(is((const char *)polywire_result_bytes(result, &length), "") && length == 0);
    polywire_result_free(result);
    CHECK(polywire_convert(bytes_of("[]"), 2, "json", "cbor", NULL, NULL, NULL) == POLYWIRE_STATUS_OK);
}

static void loses_nothing_silently(void)
{
    static const uint8_t msgpack[] = {0x81, 0xa1, 'k', 0xc4, 0x01, 0x01};
    polywire_options *options = polywire_options_new();
    polywire_result *result;
    polywire_error *error;
    CHECK(polywire_convert(msgpack, sizeof msgpack, "msgpack", "json", options, &result, &error) == POLYWIRE_STATUS_LOSS);
    CHECK(!result && is(polywire_error_kind(error), "loss") && has(polywire_error_text(error), "base64"));
    polywire_error_free(error);
    polywire_options_allow_losses(options, true);
    CHECK(polywire_convert(msgpack, sizeof msgpack, "msgpack", "json", options, &result, &error) == POLYWIRE_STATUS_OK);
    CHECK(has(polywire_result_losses(result), "\"path\":\"k\",\"what\":\"bytes became base64 text\",\"count\":1"));
    polywire_result_free(result);
    polywire_options_free(options);
}

static void explains(void)
{
    const char *text = "{\"a\":[1,\n  2,!]}";
    polywire_error *error;
    uint64_t offset = 9, line = 9, column = 9, message = 9;
    CHECK(polywire_convert(bytes_of(text), strlen(text), "json", "cbor", NULL, NULL, &error) == POLYWIRE_STATUS_DATA);
    CHECK(is(polywire_error_kind(error), "syntax") && is(polywire_error_fault(error), "data"));
    CHECK(is(polywire_error_seen(error), "'!'") && polywire_error_expected(error) && !polywire_error_hint(error));
    CHECK(is(polywire_error_format(error), "json") && is(polywire_error_path(error), "a"));
    CHECK(polywire_error_offset(error, &offset) && offset == 13);
    CHECK(polywire_error_line(error, &line) && line == 2 && polywire_error_column(error, &column) && column == 5);
    CHECK(polywire_error_message(error, &message) && message == 1);
    CHECK(has(polywire_error_text(error), "at byte 13") && has(polywire_error_json(error), "\"kind\":\"syntax\""));
    polywire_error_free(error);
    CHECK(polywire_convert(NULL, 0, "no-format", "cbor", NULL, NULL, &error) == POLYWIRE_STATUS_CALLER);
    CHECK(!polywire_error_offset(error, &offset) && offset == 13 && !polywire_error_path(error));
    CHECK(has(polywire_error_expected(error), "msgpack"));
    polywire_error_free(error);
}

static void refuses_hostile_arguments(void)
{
    char deep[5000];
    polywire_format *format;
    polywire_schema *schema;
    polywire_options *options = polywire_options_new();
    polywire_result *result;
    bool compatible = true;
    memset(deep, '[', sizeof deep);
    CHECK(status(NULL, 1, "json", "cbor") == POLYWIRE_STATUS_CALLER);
    CHECK(status("[]", SIZE_MAX, "json", "cbor") == POLYWIRE_STATUS_CALLER);
    CHECK(status("[]", 2, "json", NULL) == POLYWIRE_STATUS_CALLER);
    CHECK(status("[]", 2, "\xff", "cbor") == POLYWIRE_STATUS_CALLER);
    CHECK(status("\x01\x02", 2, "protobuf", "json") != POLYWIRE_STATUS_OK);
    CHECK(status(NULL, 0, NULL, "json") == POLYWIRE_STATUS_CALLER);
    CHECK(status("[1,2", 4, "json", "cbor") == POLYWIRE_STATUS_DATA);
    CHECK(status(deep, sizeof deep, "json", "cbor") == POLYWIRE_STATUS_DATA);
    CHECK(status("\xdd\xff\xff\xff\xff", 5, "msgpack", "json") == POLYWIRE_STATUS_DATA);
    CHECK(polywire_convert_between(bytes_of("[]"), 2, NULL, NULL, NULL, NULL, NULL) == POLYWIRE_STATUS_CALLER);
    CHECK(polywire_convert_stream(NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL) == POLYWIRE_STATUS_CALLER);
    CHECK(polywire_format_find(NULL, &format, NULL) == POLYWIRE_STATUS_CALLER && !format);
    CHECK(polywire_format_find("nothing", &format, NULL) == POLYWIRE_STATUS_CALLER && !format);
    CHECK(polywire_format_bind("json", "x.proto", NULL, NULL, &format, NULL) == POLYWIRE_STATUS_CALLER && !format);
    CHECK(polywire_format_bind("protobuf", "nowhere.proto", NULL, NULL, &format, NULL) != POLYWIRE_STATUS_OK && !format);
    CHECK(polywire_format_set(NULL, "separator", ";", NULL) == POLYWIRE_STATUS_CALLER);
    CHECK(!polywire_format_name(NULL) && !polywire_recognise(NULL, 5, true) && !polywire_recognise(NULL, 0, true));
    CHECK(polywire_schema_file("no.such", NULL, NULL, &schema, NULL) == POLYWIRE_STATUS_CALLER && !schema);
    CHECK(polywire_schema_check(NULL, NULL, NULL, 0, &compatible, &result, NULL) == POLYWIRE_STATUS_CALLER);
    CHECK(!compatible && !result);
    CHECK(polywire_inspect(NULL, 4, NULL, NULL, NULL, NULL) == POLYWIRE_STATUS_CALLER);
    CHECK(polywire_schema_infer(bytes_of("1"), 1, NULL, NULL, NULL, NULL, NULL, NULL) == POLYWIRE_STATUS_CALLER);
    /* Null pointers are fine where there is nothing to do. */
    polywire_error_free(NULL);
    polywire_result_free(NULL);
    polywire_options_free(NULL);
    polywire_format_free(NULL);
    polywire_schema_free(NULL);
    polywire_options_allow_losses(NULL, true);
    CHECK(!polywire_error_text(NULL) && polywire_error_status(NULL) == POLYWIRE_STATUS_OK && !polywire_result_bytes(NULL, NULL));
    /* Limits hold. */
    polywire_options_set_max_depth(options, 2);
    polywire_options_set_max_items(options, 100);
    polywire_options_set_max_digits(options, 10);
    polywire_options_set_max_decoded(options, 1000);
    polywire_options_set_threads(options, 0);
    CHECK(polywire_convert(bytes_of("[[]]"), 4, "json", "cbor", options, NULL, NULL) == POLYWIRE_STATUS_OK);
    CHECK(polywire_convert(bytes_of("[[[]]]"), 6, "json", "cbor", options, NULL, NULL) == POLYWIRE_STATUS_DATA);
    CHECK(polywire_convert(bytes_of("[12345678901]"), 13, "json", "cbor", options, NULL, NULL) == POLYWIRE_STATUS_DATA);
    polywire_options_free(options);
}

static void binds_schemas_in_memory(void)
{
    const char *text = "syntax = \"proto3\"; message Order { int32 id = 1; repeated string tags = 2; }";
    const char *import = "syntax = \"proto3\"; import \"other.proto\"; message Order { int32 id = 1; }";
    const char *message = "{\"id\":7,\"tags\":[\"a\"]}";
    polywire_format *order, *format = NULL;
    polywire_result *result;
    polywire_error *error;
    size_t length;
    CHECK(polywire_format_bind_text("protobuf", bytes_of(text), strlen(text), "Order", &order, NULL) == POLYWIRE_STATUS_OK);
    CHECK(is(polywire_format_name(order), "protobuf"));
    CHECK(polywire_convert_between(bytes_of(message), strlen(message), NULL, order, NULL, &result, NULL) == POLYWIRE_STATUS_OK);
    CHECK(!memcmp(polywire_result_bytes(result, &length), "\x08\x07\x12\x01" "a", 5) && length == 5);
    polywire_result_free(result);
    polywire_format_free(order);
    CHECK(polywire_format_bind_text("protobuf", bytes_of(import), strlen(import), NULL, &format, &error) == POLYWIRE_STATUS_SCHEMA);
    CHECK(!format && has(polywire_error_text(error), "other.proto"));
    polywire_error_free(error);
    CHECK(polywire_format_bind_text("protobuf", NULL, 0, "Order", &format, NULL) != POLYWIRE_STATUS_OK && !format);
    CHECK(polywire_format_bind_text("json", bytes_of(text), strlen(text), NULL, &format, NULL) == POLYWIRE_STATUS_CALLER && !format);
    CHECK(polywire_format_bind_text("protobuf", NULL, 9, NULL, &format, NULL) == POLYWIRE_STATUS_CALLER && !format);
}

static void knows_formats(void)
{
    polywire_format *csv, *json;
    polywire_result *result;
    size_t number = 0;
    while (polywire_format_at(number))
        number++;
    CHECK(number == polywire_format_count() && number > 10);
    CHECK(is(polywire_recognise(bytes_of("{\"a\":1}"), 7, true), "json"));
    CHECK(polywire_format_find("csv", &csv, NULL) == POLYWIRE_STATUS_OK && is(polywire_format_name(csv), "csv"));
    CHECK(polywire_format_find("json", &json, NULL) == POLYWIRE_STATUS_OK);
    CHECK(polywire_format_set(csv, "no-setting", ";", NULL) == POLYWIRE_STATUS_CALLER);
    CHECK(polywire_format_set(csv, "separator", ";", NULL) == POLYWIRE_STATUS_OK);
    CHECK(polywire_convert_between(bytes_of("a;b\nx;y\n"), 8, csv, json, NULL, &result, NULL) == POLYWIRE_STATUS_OK);
    CHECK(has(text_of(result), "{\"a\":\"x\",\"b\":\"y\"}"));
    polywire_result_free(result);
    polywire_format_free(csv);
    polywire_format_free(json);
}

/* An input of several messages, read a few bytes at a time. */
struct source { const char *text; size_t at, step; };

static ptrdiff_t read_some(void *user, uint8_t *buffer, size_t length)
{
    struct source *source = user;
    size_t left = strlen(source->text) - source->at;
    size_t count = left < source->step ? left : source->step;
    if (count > length)
        count = length;
    memcpy(buffer, source->text + source->at, count);
    source->at += count;
    return (ptrdiff_t)count;
}

static ptrdiff_t read_badly(void *user, uint8_t *buffer, size_t length)
{
    (void)buffer;
    return user ? -1 : (ptrdiff_t)length + 1;
}

static int32_t write_some(void *user, const uint8_t *bytes, size_t length)
{
    strncat(user, (const char *)bytes, length);
    return 0;
}

static int32_t write_badly(void *user, const uint8_t *bytes, size_t length)
{
    (void)user, (void)bytes, (void)length;
    return 28;
}

static void converts_streams(void)
{
    struct source source = {"[1,2]\n[3]\n", 0, 3};
    char out[100] = "";
    polywire_format *from, *to;
    polywire_result *result;
    polywire_error *error;
    CHECK(polywire_format_find("jsonl", &from, NULL) == POLYWIRE_STATUS_OK);
    CHECK(polywire_format_find("json", &to, NULL) == POLYWIRE_STATUS_OK);
    CHECK(polywire_convert_stream(read_some, &source, write_some, out, from, to, NULL, &result, NULL) == POLYWIRE_STATUS_OK);
    CHECK(is(out, "[1,2]\n[3]\n") && polywire_result_messages(result) == 2);
    polywire_result_free(result);
    source.at = 0;
    CHECK(polywire_convert_stream(read_some, &source, write_badly, NULL, from, to, NULL, &result, &error) == POLYWIRE_STATUS_ENVIRONMENT);
    CHECK(!result && has(polywire_error_text(error), "28"));
    polywire_error_free(error);
    CHECK(polywire_convert_stream(read_badly, out, write_some, out, from, to, NULL, NULL, NULL) == POLYWIRE_STATUS_ENVIRONMENT);
    CHECK(polywire_convert_stream(read_badly, NULL, write_some, out, from, to, NULL, NULL, NULL) == POLYWIRE_STATUS_ENVIRONMENT);
    CHECK(polywire_convert_stream(NULL, NULL, NULL, NULL, from, to, NULL, NULL, NULL) == POLYWIRE_STATUS_ENVIRONMENT);
    polywire_format_free(from);
    polywire_format_free(to);
}

static void inspects(void)
{
    polywire_result *result;
    polywire_error *error;
    polywire_options *options = polywire_options_new();
    polywire_options_set_payload_depth(options, 1);
    CHECK(polywire_inspect(bytes_of("{\"a\":\"{\\\"b\\\":1}\"}"), 17, NULL, options, &result, NULL) == POLYWIRE_STATUS_OK);
    CHECK(has(text_of(result), "\"label\":\"a\"") && has(text_of(result), "\"what\":\"payload\""));
    polywire_result_free(result);
    CHECK(polywire_inspect(bytes_of("{\"a\":!"), 6, NULL, NULL, &result, &error) == POLYWIRE_STATUS_DATA);
    CHECK(has(text_of(result), "\"what\":\"unread\"") && is(polywire_error_seen(error), "'!'"));
    polywire_result_free(result);
    polywire_error_free(error);
    polywire_options_free(options);
}

static const char OLD[] = "syntax = \"proto3\"; message M { int32 a = 1; }";
static const char NEW[] = "syntax = \"proto3\"; message M { string a = 1; }";

static void works_with_schemas(void)
{
    polywire_schema *old_version, *new_version, *broken;
    polywire_result *result;
    polywire_error *error;
    bool compatible = true;
    CHECK(polywire_schema_text(bytes_of(OLD), sizeof OLD - 1, "proto", "old.proto", &old_version, NULL) == POLYWIRE_STATUS_OK);
    CHECK(polywire_schema_text(bytes_of(NEW), sizeof NEW - 1, "proto", NULL, &new_version, NULL) == POLYWIRE_STATUS_OK);
    CHECK(polywire_schema_text(bytes_of("message"), 7, "proto", NULL, &broken, NULL) == POLYWIRE_STATUS_OK);
    CHECK(polywire_schema_check(old_version, new_version, "M", 0, &compatible, &result, NULL) == POLYWIRE_STATUS_OK);
    CHECK(!compatible && has(text_of(result), "\"holds\": false") && has(text_of(result), "old.proto"));
    polywire_result_free(result);
    CHECK(polywire_schema_check(old_version, old_version, NULL, POLYWIRE_CHECK_BACKWARD | POLYWIRE_CHECK_STRICT, &compatible, &result, NULL)
          == POLYWIRE_STATUS_OK);
    CHECK(compatible);
    polywire_result_free(result);
    CHECK(polywire_schema_check(old_version, broken, NULL, 0, &compatible, &result, &error) == POLYWIRE_STATUS_SCHEMA);
    CHECK(!compatible && !result && is(polywire_error_fault(error), "schema"));
    polywire_error_free(error);
    CHECK(polywire_schema_check(old_version, new_version, NULL, 64, NULL, NULL, NULL) == POLYWIRE_STATUS_CALLER);
    polywire_schema_free(old_version);
    polywire_schema_free(new_version);
    polywire_schema_free(broken);
    CHECK(polywire_schema_infer(bytes_of("{\"id\":1}"), 8, NULL, "proto", "Item", NULL, &result, NULL) == POLYWIRE_STATUS_OK);
    CHECK(has(text_of(result), "message Item {") && polywire_result_messages(result) == 1);
    polywire_result_free(result);
}

/* What a walk calls, as one line. */
struct heard { char text[400]; uint32_t answer; const char *stop_at; };

static void hear(struct heard *heard, const char *text, size_t length)
{
    size_t at = strlen(heard->text);
    CHECK(length < sizeof heard->text - at);
    memcpy(heard->text + at, text, length);
    heard->text[at + length] = 0;
}

static uint32_t answer(struct heard *heard, const char *event)
{
    hear(heard, event, strlen(event));
    return heard->stop_at && strcmp(heard->stop_at, event) == 0 ? heard->answer : POLYWIRE_ENTER;
}

static uint32_t on_begin(void *user, uint64_t message, polywire_span at)
{
    CHECK(message > 0 && at.end >= at.start);
    return answer(user, "<");
}

static uint32_t on_open(void *user, const polywire_open *open, polywire_span at)
{
    (void)at;
    if (open->kind == POLYWIRE_CONTAINER_TAGGED)
        hear(user, (const char *)open->name.data, open->name.length);
    return answer(user, open->kind == POLYWIRE_CONTAINER_LIST ? "[" : "{");
}

static uint32_t on_field(void *user, const polywire_field *field, polywire_span at)
{
    (void)at;
    hear(user, (const char *)field->name.data, field->name.length);
    return answer(user, ":");
}

static uint32_t on_scalar(void *user, const polywire_scalar *scalar, polywire_span at)
{
    char text[64];
    const polywire_value *value = &scalar->value;
    CHECK(at.end > at.start);
    switch (scalar->kind) {
    case POLYWIRE_KIND_NULL: hear(user, "null", 4); break;
    case POLYWIRE_KIND_BOOL: hear(user, value->boolean ? "yes" : "no", value->boolean ? 3 : 2); break;
    case POLYWIRE_KIND_INT: snprintf(text, sizeof text, "%lld", (long long)value->integer), hear(user, text, strlen(text)); break;
    case POLYWIRE_KIND_UINT: snprintf(text, sizeof text, "%llu", (unsigned long long)value->natural), hear(user, text, strlen(text)); break;
    case POLYWIRE_KIND_FLOAT32:
    case POLYWIRE_KIND_FLOAT64: snprintf(text, sizeof text, "%g", value->real), hear(user, text, strlen(text)); break;
    case POLYWIRE_KIND_TIME: snprintf(text, sizeof text, "@%lld", (long long)value->time.seconds), hear(user, text, strlen(text)); break;
    default: hear(user, (const char *)value->text.data, value->text.length);
    }
    return answer(user, ",");
}

static uint32_t on_close(void *user, polywire_span at)
{
    (void)at;
    return answer(user, "]");
}

static uint32_t on_note(void *user, const polywire_note *note, polywire_span at)
{
    (void)at;
    return note->kind == POLYWIRE_NOTE_KIND_COMMENT ? answer(user, "#") : POLYWIRE_ENTER;
}

static uint32_t on_end(void *user, uint64_t message)
{
    CHECK(message > 0);
    return answer(user, ">");
}

static const polywire_sink SINK = {.size = sizeof(polywire_sink), .needs = POLYWIRE_NEEDS_WHOLE_TEXT, .begin = on_begin, .open = on_open,
                                   .field = on_field, .scalar = on_scalar, .close = on_close, .note = on_note, .end = on_end};

/* Walks `text` whole, by a callback, and in pieces of each size, and returns what all of them heard. */
static const char *heard_of(const char *text, const char *name, uint32_t reply, const char *stop_at, polywire_status expected)
{
    static struct heard whole;
    polywire_format *format;
    size_t length = strlen(text), step;
    whole = (struct heard){"", reply, stop_at};
    CHECK(polywire_format_find(name, &format, NULL) == POLYWIRE_STATUS_OK);
    CHECK(polywire_walk(bytes_of(text), length, format, NULL, &SINK, &whole, NULL) == expected);
    for (step = 1; step <= length; step = step < 4 ? step + 1 : step * 3) {
        struct heard read = {"", reply, stop_at}, fed = {"", reply, stop_at};
        struct source source = {text, 0, step};
        polywire_stream *stream;
        polywire_status code = POLYWIRE_STATUS_OK;
        size_t at;
        CHECK(polywire_walk_stream(read_some, &source, format, NULL, &SINK, &read, NULL) == expected);
        CHECK(is(read.text, whole.text));
        CHECK(polywire_stream_new(format, NULL, &SINK, &fed, &stream, NULL) == POLYWIRE_STATUS_OK);
        for (at = 0; at < length && code == POLYWIRE_STATUS_OK; at += step)
            code = polywire_stream_feed(stream, bytes_of(text) + at, step < length - at ? step : length - at, NULL);
        if (code == POLYWIRE_STATUS_OK)
            code = polywire_stream_end(stream, NULL);
        CHECK(code == expected && is(fed.text, whole.text));
        polywire_stream_free(stream);
    }
    polywire_format_free(format);
    return whole.text;
}

static void walks(void)
{
    struct heard heard = {"", 0, NULL};
    char letters[60];
    polywire_sink sink = SINK;
    polywire_stream *stream;
    polywire_format *json;
    polywire_error *error;
    polywire_options *options = polywire_options_new();
    const char *text = "{\"a\":[1,-2,1.5],\"b\":null} \"x\"";
    CHECK(is(heard_of(text, "json", 0, NULL, POLYWIRE_STATUS_OK), "<{a:[1,-2,1.5,]b:null,]><x,>"));
    CHECK(is(heard_of(text, "json", POLYWIRE_SKIP, "[", POLYWIRE_STATUS_OK), "<{a:[b:null,]><x,>"));
    CHECK(is(heard_of(text, "json", POLYWIRE_SKIP, ":", POLYWIRE_STATUS_OK), "<{a:b:]><x,>"));
    CHECK(is(heard_of(text, "json", POLYWIRE_SKIP, "<", POLYWIRE_STATUS_OK), "<<"));
    CHECK(is(heard_of(text, "json", POLYWIRE_STOP, "<", POLYWIRE_STATUS_OK), "<"));
    CHECK(is(heard_of(text, "json", POLYWIRE_STOP, "[", POLYWIRE_STATUS_OK), "<{a:["));
    CHECK(is(heard_of(text, "json", POLYWIRE_STOP, ",", POLYWIRE_STATUS_OK), "<{a:[1,"));
    CHECK(is(heard_of(text, "json", POLYWIRE_STOP, "]", POLYWIRE_STATUS_OK), "<{a:[1,-2,1.5,]"));
    CHECK(is(heard_of(text, "json", POLYWIRE_STOP, ">", POLYWIRE_STATUS_OK), "<{a:[1,-2,1.5,]b:null,]>"));
    CHECK(is(heard_of(text, "json", 7, "[", POLYWIRE_STATUS_CALLER), "<{a:["));
    CHECK(has(heard_of("[1] [2,!]", "json", 0, NULL, POLYWIRE_STATUS_DATA), "<[1,]><[2,"));
    CHECK(is(heard_of("# c\na: 1\n", "yaml", 0, NULL, POLYWIRE_STATUS_OK), "<#{a:1,]>"));
    /* Arguments that are wrong. */
    CHECK(polywire_format_find("json", &json, NULL) == POLYWIRE_STATUS_OK);
    CHECK(polywire_walk(bytes_of("1"), 1, json, NULL, NULL, NULL, NULL) == POLYWIRE_STATUS_CALLER);
    sink.size = 8;
    CHECK(polywire_walk(bytes_of("1"), 1, json, NULL, &sink, NULL, NULL) == POLYWIRE_STATUS_CALLER);
    sink = (polywire_sink){.size = sizeof sink, .needs = 64};
    CHECK(polywire_walk(bytes_of("1"), 1, json, NULL, &sink, NULL, NULL) == POLYWIRE_STATUS_CALLER);
    sink.needs = 15;
    CHECK(polywire_walk(bytes_of("[1,{\"a\":2}]"), 11, json, NULL, &sink, NULL, NULL) == POLYWIRE_STATUS_OK);
    CHECK(polywire_stream_new(NULL, NULL, &SINK, NULL, &stream, NULL) == POLYWIRE_STATUS_CALLER && !stream);
    CHECK(polywire_stream_feed(NULL, NULL, 0, NULL) == POLYWIRE_STATUS_CALLER);
    CHECK(polywire_stream_end(NULL, NULL) == POLYWIRE_STATUS_CALLER && polywire_stream_messages(NULL) == 0);
    polywire_stream_free(NULL);
    /* A message that never ends is bounded, and nothing is fed behind an error. */
    polywire_options_set_max_message(options, 100);
    CHECK(polywire_stream_new(json, options, &SINK, &heard, &stream, NULL) == POLYWIRE_STATUS_OK);
    memset(letters, 'x', sizeof letters);
    CHECK(polywire_stream_feed(stream, bytes_of("\""), 1, NULL) == POLYWIRE_STATUS_OK);
    CHECK(polywire_stream_feed(stream, bytes_of(letters), 60, NULL) == POLYWIRE_STATUS_OK);
    CHECK(polywire_stream_feed(stream, bytes_of(letters), 60, &error) == POLYWIRE_STATUS_DATA);
    CHECK(is(polywire_error_kind(error), "limit"));
    polywire_error_free(error);
    CHECK(polywire_stream_feed(stream, bytes_of(letters), 60, NULL) == POLYWIRE_STATUS_CALLER);
    CHECK(polywire_stream_end(stream, NULL) == POLYWIRE_STATUS_OK);
    polywire_stream_free(stream);
    polywire_format_free(json);
    polywire_options_free(options);
}

int main(void)
{
    CHECK(polywire_version()[0] >= '0' && polywire_version()[0] <= '9');
    converts();
    loses_nothing_silently();
    explains();
    refuses_hostile_arguments();
    binds_schemas_in_memory();
    knows_formats();
    converts_streams();
    inspects();
    works_with_schemas();
    walks();
    printf("%d checks passed\n", checks);
    return 0;
}
