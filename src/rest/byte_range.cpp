#include "rest/byte_range.h"

#include "http/syntax.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace ladder::rest {
namespace {

constexpr std::string_view kUnit = "bytes=";

// More than fits is as good as the largest that does: no blob reaches it.
std::int64_t number(std::string_view digits) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return error == std::errc() ? value : std::numeric_limits<std::int64_t>::max();
}

ByteRange last_bytes(std::int64_t count, std::int64_t size) {
  if (count == 0 || size == 0) return {ByteRange::Kind::kUnsatisfiable, 0, 0};
  const std::int64_t length = std::min(count, size);
  return {ByteRange::Kind::kPart, size - length, length};
}

}  // namespace

ByteRange byte_range(std::optional<std::string_view> range_header, std::int64_t size) {
  const ByteRange whole{ByteRange::Kind::kWhole, 0, size};
  if (!range_header || range_header->size() <= kUnit.size()) return whole;
  if (!http::equal_without_case(range_header->substr(0, kUnit.size()), kUnit)) return whole;
  const std::string_view spec = http::trimmed(range_header->substr(kUnit.size()));
  const auto dash = spec.find('-');
  if (dash == std::string_view::npos) return whole;
  const std::string_view first = spec.substr(0, dash), last = spec.substr(dash + 1);
  if (first.empty()) return http::is_digits(last) ? last_bytes(number(last), size) : whole;
  if (!http::is_digits(first) || (!last.empty() && !http::is_digits(last))) return whole;
  const std::int64_t from = number(first);
  const std::int64_t to = last.empty() ? size - 1 : std::min(number(last), size - 1);
  if (!last.empty() && number(last) < from) return whole;
  if (from >= size) return {ByteRange::Kind::kUnsatisfiable, 0, 0};
  return {ByteRange::Kind::kPart, from, to - from + 1};
}

bool names_etag(std::string_view header, std::string_view etag) {
  if (http::trimmed(header) == "*") return true;
  for (auto open = header.find('"'); open != std::string_view::npos; open = header.find('"', open)) {
    const auto close = header.find('"', open + 1);
    if (close == std::string_view::npos) return false;
    if (header.substr(open, close + 1 - open) == etag) return true;
    open = close + 1;
  }
  return false;
}

}  // namespace ladder::rest
