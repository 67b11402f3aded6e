/* Converts a file to another format: convert FILE FORMAT. The bytes show what the file is. */
#include <polywire.h>
#include <stdio.h>
#include <stdlib.h>

static uint8_t *read_file(const char *name, size_t *length)
{
    FILE *file = fopen(name, "rb");
    uint8_t *bytes = NULL;
    size_t room = 0, got;
    *length = 0;
    if (!file)
        return NULL;
    do {
        room += 65536;
        bytes = realloc(bytes, room);
        if (!bytes)
            break;
        got = fread(bytes + *length, 1, room - *length, file);
        *length += got;
    } while (*length == room);
    fclose(file);
    return bytes;
}

int main(int argc, char **argv)
{
    polywire_options *options = polywire_options_new();
    polywire_result *result = NULL;
    polywire_error *error = NULL;
    size_t length, made;
    uint8_t *bytes;

    if (argc != 3 || !(bytes = read_file(argv[1], &length))) {
        fprintf(stderr, "usage: convert FILE FORMAT\n");
        return 2;
    }
    /* Without this, a value that the target cannot keep is POLYWIRE_STATUS_LOSS. */
    polywire_options_allow_losses(options, true);
    if (polywire_convert(bytes, length, NULL, argv[2], options, &result, &error) == POLYWIRE_STATUS_OK) {
        const uint8_t *out = polywire_result_bytes(result, &made);
        fwrite(out, 1, made, stdout);
        fprintf(stderr, "messages: %llu, lost: %s\n",
                (unsigned long long)polywire_result_messages(result), polywire_result_losses(result));
    } else {
        fprintf(stderr, "%s\n", polywire_error_text(error));
    }
    int code = error ? 1 : 0;
    polywire_error_free(error);
    polywire_result_free(result);
    polywire_options_free(options);
    free(bytes);
    return code;
}
