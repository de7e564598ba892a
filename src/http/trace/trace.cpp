#include "http/trace/trace.h"

#include "crypto/random.h"

#include <algorithm>

namespace ladder::http {
namespace {

constexpr std::size_t kTraceAt = 3, kTraceDigits = 32, kParentAt = 36, kParentDigits = 16, kFlagsAt = 53, kVersionZeroSize = 55;
constexpr std::size_t kTraceBytes = kTraceDigits / 2, kSpanBytes = kParentDigits / 2;

bool is_hex(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

bool is_zero(std::string_view text) { return text.find_first_not_of('0') == std::string_view::npos; }

bool is_usable_state(std::string_view text) {
  return text.size() <= kMaxStateBytes && std::ranges::all_of(text, [](char c) { return c >= 0x20 && c < 0x7F; });
}

thread_local const Scope* innermost = nullptr;

}  // namespace

Parent parse_traceparent(std::string_view text) {
  if (text.size() < kVersionZeroSize) return {};
  const std::string_view version = text.substr(0, 2), trace = text.substr(kTraceAt, kTraceDigits),
                         parent = text.substr(kParentAt, kParentDigits), flags = text.substr(kFlagsAt, 2);
  const bool dashes = text[kTraceAt - 1] == '-' && text[kParentAt - 1] == '-' && text[kFlagsAt - 1] == '-';
  // A later version may have more after the flags; version 00 may not, and ff is invalid.
  const bool ends = text.size() == kVersionZeroSize || (version != "00" && text[kVersionZeroSize] == '-');
  if (!dashes || !ends || version == "ff" || !is_hex(version) || !is_hex(trace) || !is_hex(parent) || !is_hex(flags)) return {};
  if (is_zero(trace) || is_zero(parent)) return {};
  constexpr std::string_view kOdd = "13579bdf";  // the last bit means sampled
  return {trace, parent, kOdd.find(flags.back()) != std::string_view::npos};
}

std::string SpanContext::traceparent() const { return "00-" + trace_id + "-" + span_id + (sampled ? "-01" : "-00"); }

SpanContext begin_trace() { return {crypto::random_hex(kTraceBytes), crypto::random_hex(kSpanBytes), {}, {}, true}; }

SpanContext continue_trace(const Parent& parent, std::string_view state) {
  return {std::string(parent.trace_id), crypto::random_hex(kSpanBytes), std::string(parent.parent_id),
          is_usable_state(state) ? std::string(state) : std::string(), parent.sampled};
}

SpanContext child_of(const SpanContext& parent) {
  return {parent.trace_id, crypto::random_hex(kSpanBytes), parent.span_id, parent.state, parent.sampled};
}

Scope::Scope(const SpanContext& context, SpanSink* sink) : context_(context), sink_(sink), outer_(innermost) { innermost = this; }
Scope::~Scope() { innermost = outer_; }
const Scope* Scope::current() { return innermost; }

}  // namespace ladder::http
