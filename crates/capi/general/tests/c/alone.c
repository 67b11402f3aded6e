/* The header comes first, twice, in C and in C++. */
#include <polywire.h>
#include <polywire.h>

int main(void)
{
    polywire_status status = POLYWIRE_STATUS_OK;
    return status == POLYWIRE_STATUS_OK && polywire_version() ? 0 : 1;
}
