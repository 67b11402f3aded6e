/*
 * PSYC 1.0 packets for C, with the programming interface of libpsyc.
 *
 * This header includes all the others. Comments cite sections of the specification, which is
 * docs/spec/psyc.md in https://github.com/polywire/polywire.
 *
 * All memory is the caller's: no function allocates, frees or keeps anything, and results are
 * views into the bytes that the caller passed.
 */
#ifndef PSYC_H
#define PSYC_H

#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#include "psyc/base.h"
#include "psyc/match.h"
#include "psyc/method.h"
#include "psyc/packet.h"
#include "psyc/variable.h"
#include "psyc/parse.h"
#include "psyc/render.h"
#include "psyc/text.h"
#include "psyc/uniform.h"

#endif
