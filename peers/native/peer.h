// The shim that C and C++ libraries go through: one struct of functions for each way of using a library.
#ifndef POLYWIRE_PEER_H
#define POLYWIRE_PEER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// One message of a workload. At least 64 bytes behind it may be read; behind the last message they are zero.
typedef struct Message {
  const char *data;
  size_t length;
} Message;

// What the messages hold: how many values, and a digest of them in their order (see digest.hpp).
typedef struct Answer {
  uint64_t values;
  uint64_t digest;
} Answer;

// All functions but `prepare` and `release` return 0, or another number if the library has something against the messages.
typedef struct Peer {
  // Makes the library ready for messages that outlive it; null if it can't be. Parsers and buffers that may be used again are made here.
  void *(*prepare)(const Message *messages, size_t count);
  // Parses every message and visits every value: `seen` depends on each one, so that no visit can be left out.
  int (*decode)(void *self, uint64_t *seen);
  // The same visit, with every byte of every value in the answer.
  int (*check)(void *self, Answer *answer);
  // Parses every message and writes it again. The text is the library's and lives until its next call. Null if it doesn't write.
  int (*render)(void *self, const char **text, size_t *length);
  // Writes every message, of values that were made of the messages by `prepare`, each to the same place: `text` is the last one. Null if it has
  // no values of its own.
  int (*encode)(void *self, const char **text, size_t *length);
  void (*release)(void *self);
  // Bytes of all messages in the library's own format. Null if it reads and writes the messages as they are.
  size_t (*size)(void *self);
} Peer;

#ifdef __cplusplus
}
#endif
#endif
