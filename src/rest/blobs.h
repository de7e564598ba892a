// Range, If-Range and If-None-Match of RFC 9110 for one representation of known size: one range, or everything.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace ladder::rest {

struct ByteRange {
  enum class Kind : std::uint8_t { kWhole, kPart, kUnsatisfiable };
  Kind kind = Kind::kWhole;
  std::int64_t first = 0;
  std::int64_t length = 0;

  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

// Another unit, several ranges and what cannot be read mean everything, as the RFC allows.
ByteRange byte_range(std::optional<std::string_view> range_header, std::int64_t size);

// Says whether the list of an If-None-Match names the tag, or is "*". `etag` with its quotes; weak ones match, too.
bool names_etag(std::string_view header, std::string_view etag);

}  // namespace ladder::rest
