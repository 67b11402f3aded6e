/*
 * PSYC 1.0 packets for C: the programming interface of libpsyc, as Polywire offers it.
 *
 * This header brings all the others. Section numbers in the headers are those of Polywire's PSYC specification.
 * All bytes are the caller's: no function allocates, frees or keeps anything, and results are views into what the caller passed.
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
