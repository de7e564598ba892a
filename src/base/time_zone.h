// IANA time zones, read from the system's TZif files (RFC 8536) by a small reader of our own: bounded, fuzzed, no global state.
#pragma once

#include "base/result.h"
#include "base/time.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace ladder {

inline constexpr std::string_view kZoneFolder = "/usr/share/zoneinfo";

// Immutable and cheap to copy; safe to share between threads.
class TimeZone {
 public:
  static TimeZone utc();
  // By IANA name, e.g. "Europe/Berlin". kInvalidRequest for a name that is not one (no "..", no absolute path, known characters
  // only) or that the system does not have; the message says to install tzdata when the whole folder is missing.
  static Result<TimeZone> load(std::string_view name, std::string_view folder = kZoneFolder);
  // From the bytes of a TZif file, version 1 to 4. kInvalidRequest when malformed.
  static Result<TimeZone> parse(std::string_view tzif);

  const std::string& name() const { return name_; }
  // Seconds east of UTC in force at that instant.
  std::int64_t offset_at(Instant instant) const;

  struct Rules;

 private:
  std::string name_;
  std::shared_ptr<const Rules> rules_;  // null: UTC
};

}  // namespace ladder
