/* What a library that was compiled for glibc calls, and musl has under the usual name alone: see tools/debian-cargo. */
#include <stdarg.h>
#include <stdio.h>
int __fprintf_chk(FILE *file, int flag, const char *format, ...) {
    va_list values;
    va_start(values, format);
    int written = vfprintf(file, format, values);
    va_end(values);
    (void)flag;
    return written;
}
