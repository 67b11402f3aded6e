// The two sinks of a library's visit: one for the clock, one for the check. Both see the same calls.
#ifndef POLYWIRE_DIGEST_HPP
#define POLYWIRE_DIGEST_HPP

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

// Counts, and touches each value once: the cheapest visit that can't be left out.
struct Fold {
  uint64_t seen = 0;

  void touch(const char *data, size_t length) { seen += length + (length ? static_cast<unsigned char>(*data) : 0); }

  void open(char kind) { seen += static_cast<unsigned char>(kind); }
  void close(char kind) { seen += static_cast<unsigned char>(kind); }
  void key(const char *data, size_t length) { touch(data, length); }
  void text(const char *data, size_t length) { touch(data, length); }
  void number(double value) {
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof bits);
    seen += bits;
  }
  void literal(char kind) { seen += static_cast<unsigned char>(kind); }

  void element(const char *name, size_t length) { touch(name, length); }
  void attribute(const char *name, size_t name_length, const char *value, size_t length) {
    touch(name, name_length);
    touch(value, length);
  }
  void characters(const char *data, size_t length) { touch(data, length); }
  void end() { seen += 1; }
};

// FNV-1a of 64 bits over all values, a mark before each. The fields of an object and the attributes of an element are summed, so their order
// doesn't matter; XML text may come in any number of parts, and is left out if it is white space alone.
class Digest {
 public:
  uint64_t values = 0;

  void open(char kind) {
    value(kind);
    if (kind == '{') {
      outer.push_back({hash, sum});
      hash = sum = 0;
    }
  }
  void close(char kind) {
    if (kind == '}') {
      uint64_t fields = sum + hash;
      hash = outer.back().hash;
      sum = outer.back().sum;
      outer.pop_back();
      run(reinterpret_cast<const char *>(&fields), sizeof fields);
    }
    byte(kind);
  }
  void key(const char *data, size_t length) {
    sum += hash;
    hash = START;
    marked('k', data, length);
  }
  void text(const char *data, size_t length) {
    values++;
    marked('s', data, length);
  }
  void number(double number) {
    value('n');
    run(reinterpret_cast<const char *>(&number), sizeof number);
  }
  void literal(char kind) { value(kind); }

  void element(const char *name, size_t length) {
    flush();
    values++;
    marked('e', name, length);
  }
  void attribute(const char *name, size_t name_length, const char *text, size_t length) {
    Digest alone;
    alone.marked('a', name, name_length);
    alone.marked('=', text, length);
    values++;
    sum += alone.hash;
  }
  void characters(const char *data, size_t length) { pending.append(data, length); }
  void end() {
    flush();
    byte('/');
  }

  uint64_t digest() const { return hash + sum; }

 private:
  static constexpr uint64_t START = 0xcbf29ce484222325;

  // Of an object that another one is in: what came before in its field, and its other fields.
  struct Outer {
    uint64_t hash, sum;
  };

  uint64_t hash = START;
  uint64_t sum = 0;
  std::vector<Outer> outer;
  std::string pending;

  void byte(char c) { hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3; }
  void run(const char *data, size_t length) {
    for (size_t at = 0; at < length; at++) byte(data[at]);
  }
  void value(char kind) {
    values++;
    byte(kind);
  }
  void marked(char kind, const char *data, size_t length) {
    byte(kind);
    run(data, length);
    byte('\xff');
  }
  void flush() {
    if (pending.find_first_not_of(" \t\r\n") != std::string::npos) {
      values++;
      marked('t', pending.data(), pending.size());
    }
    pending.clear();
  }
};

#endif
