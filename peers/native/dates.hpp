// Times as text: ISO 8601 with milliseconds, in UTC, by the calendar of the C library.
#ifndef POLYWIRE_DATES_HPP
#define POLYWIRE_DATES_HPP

#include <time.h>

#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>

// Both ways take and give milliseconds since 1970.
struct DateText {
  char text[40];
  size_t length = 0;

  bool write(int64_t time) {
    int milliseconds = int((time % 1000 + 1000) % 1000);
    time_t seconds = (time - milliseconds) / 1000;
    tm parts;
    if (!gmtime_r(&seconds, &parts)) return false;
    length = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &parts);
    if (!length) return false;
    length += size_t(std::snprintf(text + length, sizeof text - length, ".%03dZ", milliseconds));
    return true;
  }

  // The text ends with a zero.
  static bool read(const char *text, int64_t &time) {
    tm parts = {};
    const char *at = strptime(text, "%Y-%m-%dT%H:%M:%S", &parts);
    if (!at || *at != '.') return false;
    const char *end = at + std::strlen(at);
    int milliseconds = 0;
    auto [behind, error] = std::from_chars(at + 1, end, milliseconds);
    if (error != std::errc() || behind - at != 4 || milliseconds < 0 || std::strcmp(behind, "Z") != 0) return false;
    time = int64_t(timegm(&parts)) * 1000 + milliseconds;
    return true;
  }
};

#endif
