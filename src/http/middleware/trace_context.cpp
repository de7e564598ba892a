#include "http/middleware/trace_context.h"

#include <algorithm>

namespace ladder::http {
namespace {

constexpr std::size_t kTraceAt = 3, kTraceDigits = 32, kParentAt = 36, kParentDigits = 16, kFlagsAt = 53, kVersionZeroSize = 55;

bool is_hex(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool is_zero(std::string_view text) { return text.find_first_not_of('0') == std::string_view::npos; }

}  // namespace

TraceContext parse_traceparent(std::string_view header) {
  if (header.size() < kVersionZeroSize) return {};
  const std::string_view version = header.substr(0, 2), trace = header.substr(kTraceAt, kTraceDigits),
                         parent = header.substr(kParentAt, kParentDigits), flags = header.substr(kFlagsAt, 2);
  const bool dashes = header[kTraceAt - 1] == '-' && header[kParentAt - 1] == '-' && header[kFlagsAt - 1] == '-';
  // A later version may have more behind the flags; version 00 has not, and ff is none.
  const bool ends = header.size() == kVersionZeroSize || (version != "00" && header[kVersionZeroSize] == '-');
  if (!dashes || !ends || version == "ff" || !is_hex(version) || !is_hex(trace) || !is_hex(parent) || !is_hex(flags)) return {};
  if (is_zero(trace) || is_zero(parent)) return {};
  return {trace, parent};
}

TraceContext trace_of(const Request& request) {
  if (request.headers.count("traceparent") != 1) return {};
  return parse_traceparent(*request.headers.get("traceparent"));
}

}  // namespace ladder::http
