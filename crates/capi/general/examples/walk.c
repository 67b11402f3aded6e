/* Lists the values of a MessagePack stream with their bytes: walk FILE. The file is read in pieces. */
#include <inttypes.h>
#include <polywire.h>
#include <stdio.h>

static uint32_t on_field(void *user, const polywire_field *field, polywire_span at)
{
    (void)user, (void)at;
    printf("%.*s = ", (int)field->name.length, (const char *)field->name.data);
    return POLYWIRE_ENTER;
}

static uint32_t on_open(void *user, const polywire_open *open, polywire_span at)
{
    (void)user, (void)at;
    printf("%s\n", open->kind == POLYWIRE_CONTAINER_LIST ? "list" : "record");
    return POLYWIRE_ENTER;
}

static uint32_t on_scalar(void *user, const polywire_scalar *scalar, polywire_span at)
{
    uint64_t *count = user;
    ++*count;
    switch (scalar->kind) {
    case POLYWIRE_KIND_NULL: printf("null"); break;
    case POLYWIRE_KIND_BOOL: printf(scalar->value.boolean ? "true" : "false"); break;
    case POLYWIRE_KIND_INT: printf("%" PRId64, scalar->value.integer); break;
    case POLYWIRE_KIND_UINT: printf("%" PRIu64, scalar->value.natural); break;
    case POLYWIRE_KIND_FLOAT32:
    case POLYWIRE_KIND_FLOAT64: printf("%g", scalar->value.real); break;
    case POLYWIRE_KIND_TIME: printf("%" PRId64 " s", scalar->value.time.seconds); break;
    case POLYWIRE_KIND_BYTES:
    case POLYWIRE_KIND_OCTETS: printf("%zu bytes", scalar->value.text.length); break;
    default: printf("%.*s", (int)scalar->value.text.length, (const char *)scalar->value.text.data);
    }
    printf(" (bytes %" PRIu64 " to %" PRIu64 ")\n", at.start, at.end);
    return POLYWIRE_ENTER;
}

int main(int argc, char **argv)
{
    polywire_sink sink = {.size = sizeof sink, .needs = POLYWIRE_NEEDS_WHOLE_TEXT,
                          .open = on_open, .field = on_field, .scalar = on_scalar};
    polywire_format *format = NULL;
    polywire_stream *stream = NULL;
    polywire_error *error = NULL;
    polywire_status status;
    uint64_t count = 0;
    uint8_t piece[4096];
    size_t got;
    FILE *file;

    if (argc != 2 || !(file = fopen(argv[1], "rb"))) {
        fprintf(stderr, "usage: walk FILE\n");
        return 2;
    }
    status = polywire_format_find("msgpack", &format, &error);
    if (status == POLYWIRE_STATUS_OK)
        status = polywire_stream_new(format, NULL, &sink, &count, &stream, &error);
    while (status == POLYWIRE_STATUS_OK && (got = fread(piece, 1, sizeof piece, file)) > 0)
        status = polywire_stream_feed(stream, piece, got, &error);
    if (status == POLYWIRE_STATUS_OK)
        status = polywire_stream_end(stream, &error);
    if (status == POLYWIRE_STATUS_OK)
        printf("%" PRIu64 " values in %" PRIu64 " messages\n", count, polywire_stream_messages(stream));
    else
        fprintf(stderr, "%s\n", polywire_error_text(error));
    polywire_error_free(error);
    polywire_stream_free(stream);
    polywire_format_free(format);
    fclose(file);
    return status == POLYWIRE_STATUS_OK ? 0 : 1;
}
