/* Tells whether a new version of a schema reads the messages of the old one: check OLD NEW. */
#include <polywire.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    polywire_schema *old_version = NULL, *new_version = NULL;
    polywire_result *findings = NULL;
    polywire_error *error = NULL;
    bool compatible = false;
    int code = 2;

    if (argc != 3) {
        fprintf(stderr, "usage: check OLD NEW\n");
        return 2;
    }
    if (polywire_schema_file(argv[1], NULL, NULL, &old_version, &error) == POLYWIRE_STATUS_OK
        && polywire_schema_file(argv[2], NULL, NULL, &new_version, &error) == POLYWIRE_STATUS_OK
        && polywire_schema_check(old_version, new_version, NULL, POLYWIRE_CHECK_BACKWARD, &compatible,
                                 &findings, &error) == POLYWIRE_STATUS_OK) {
        /* Each finding names its place, its rule, and a message that breaks. */
        printf("%s\n", compatible ? "compatible" : "not compatible");
        printf("%s", (const char *)polywire_result_bytes(findings, NULL));
        code = compatible ? 0 : 1;
    } else {
        fprintf(stderr, "%s\n", polywire_error_text(error));
    }
    polywire_error_free(error);
    polywire_result_free(findings);
    polywire_schema_free(old_version);
    polywire_schema_free(new_version);
    return code;
}
