// The header fields of RFC 9110 for a blob: Range, If-Range, If-None-Match and its media type. Only single ranges are supported.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ladder::rest {

struct ByteRange {
  enum class Kind : std::uint8_t { kWhole, kPart, kUnsatisfiable };
  Kind kind = Kind::kWhole;
  std::int64_t first = 0;
  std::int64_t length = 0;

  friend bool operator==(const ByteRange&, const ByteRange&) = default;
};

// Other units, several ranges and invalid headers select everything, as the RFC allows.
ByteRange byte_range(std::optional<std::string_view> range_header, std::int64_t size);

// Reports whether an If-None-Match list contains the tag, or is "*". `etag` includes its quotes; weak tags also match.
bool names_etag(std::string_view header, std::string_view etag);

// Returns a media type in its stored form: lower case, without parameters.
std::string bare_type(std::string_view type);

}  // namespace ladder::rest
