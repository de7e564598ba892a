#include "mcp/render/budget.h"

#include "base/text/utf8.h"
#include "json/scan/byte_runs.h"
#include "mcp/render/fence.h"

#include <algorithm>
#include <string>
#include <vector>

namespace ladder::mcp {

// Counts as json::append_escaped writes: two bytes for short escapes, six for other control characters.
std::size_t escaped_bytes(std::string_view valid_utf8) {
  const char* const end = valid_utf8.data() + valid_utf8.size();
  std::size_t bytes = valid_utf8.size();
  for (const char* at = valid_utf8.data(); (at = json::bytes::find_escapable(at, end)) != end; ++at) {
    const char c = *at;
    const bool short_escape = c == '"' || c == '\\' || c == '\n' || c == '\r' || c == '\t' || c == '\b' || c == '\f';
    bytes += short_escape ? 1 : 5;
  }
  return bytes;
}

namespace {

constexpr std::size_t kLongestEscape = 6;  // \u0001

// Counts the result without its text.
std::size_t other_bytes(const ToolResult& result) {
  std::size_t bytes = kResultFrameBytes + result.structured.size() + result.meta.size();
  for (const std::string& link : result.links) bytes += link.size() + 1;
  return bytes;
}

}  // namespace

std::size_t result_bytes(const ToolResult& result) { return other_bytes(result) + escaped_bytes(result.text); }

bool fits(const Context& context, const ToolResult& result) {
  const std::size_t most = context.options.result_bytes;
  return other_bytes(result) + kLongestEscape * result.text.size() <= most || result_bytes(result) <= most;
}

namespace {

constexpr std::string_view kImitation = "⟦U+";
constexpr std::size_t kEscapeBytes = 14;  // ⟦U+XXXXX⟧, five digits

// Returns the cost of each char in both channels: escaped in the text, unchanged in structuredContent.
std::vector<std::size_t> costs_of(std::string_view text) {
  std::vector<std::size_t> costs;
  costs.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t from = at;
    const char32_t c = utf8::next(text, at);
    const std::size_t written = escaped_bytes(text.substr(from, at - from));
    const bool escaped = is_deceptive(c) || text.substr(from).starts_with(kImitation);
    costs.push_back(written + (escaped ? kEscapeBytes : written));
  }
  return costs;
}

// Returns how many chars from the front, or from the back, fit.
std::int64_t fitting(const std::vector<std::size_t>& costs, std::size_t room, bool from_back) {
  std::int64_t count = 0;
  std::size_t taken = 0;
  while (count < std::ssize(costs)) {
    const auto index = static_cast<std::size_t>(from_back ? std::ssize(costs) - 1 - count : count);
    if (taken + costs[index] > room) break;
    taken += costs[index];
    ++count;
  }
  return count;
}

struct Around {
  std::int64_t before = 0, after = 0;
};

// Distributes context around the match, alternating between both sides.
Around fitting_context(const std::vector<std::size_t>& costs, std::int64_t match_start, std::int64_t match_end,
                       std::size_t room) {
  std::size_t taken = 0;
  for (std::int64_t i = match_start; i < match_end; ++i) taken += costs[static_cast<std::size_t>(i)];
  Around context;
  const std::int64_t most_before = match_start, most_after = std::ssize(costs) - match_end;
  bool moved = true;
  while (moved) {
    moved = false;
    const auto take = [&](std::int64_t& count, std::int64_t most, std::int64_t index) {
      if (count == most || taken + costs[static_cast<std::size_t>(index)] > room) return;
      taken += costs[static_cast<std::size_t>(index)];
      ++count;
      moved = true;
    };
    take(context.before, most_before, match_start - 1 - context.before);
    take(context.after, most_after, match_end + context.after);
  }
  return context;
}

// Returns how many chars from one end contain `lines` line ends; all of them if there are fewer.
std::int64_t chars_of_lines(std::string_view text, std::int64_t lines, bool from_end) {
  if (from_end) {
    for (std::size_t at = text.size(); at > 0; --at) {
      if (text[at - 1] == '\n' && --lines < 0) return utf8::count(text.substr(at));
    }
    return utf8::count(text);
  }
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\n' && --lines <= 0) return utf8::count(text.substr(0, at + 1));
  }
  return utf8::count(text);
}

// Lines are long, so searching for line ends is faster than checking each byte.
bool has_more_lines(std::string_view text, std::int64_t most) {
  std::size_t at = 0;
  for (std::int64_t lines = 0; lines <= most; ++lines) {
    at = text.find('\n', at);
    if (at == std::string_view::npos) return false;
    ++at;
  }
  return true;
}

}  // namespace

std::optional<model::WindowArguments> fewer_lines(const api::FieldWindow& window, const model::WindowArguments& asked,
                                                  std::int64_t most_lines) {
  if (!has_more_lines(window.text, most_lines)) return std::nullopt;
  model::WindowArguments fewer = asked;
  if (asked.q && window.match) {
    const std::int64_t start = std::max<std::int64_t>(0, window.match->start_chars - window.start_chars);
    const std::int64_t end = std::min(window.match->end_chars, window.end_chars) - window.start_chars;
    fewer.before_chars = chars_of_lines(utf8::slice(window.text, 0, start), most_lines / 2, true);
    fewer.after_chars = chars_of_lines(utf8::slice(window.text, end, window.end_chars), most_lines / 2 - 1, false);
    fewer.limit_chars.reset();
    return fewer;
  }
  // Only the server knows whether a cursor reads forward or backward.
  std::int64_t chars = chars_of_lines(window.text, most_lines, false);
  if (asked.cursor) chars = std::min(chars, chars_of_lines(window.text, most_lines, true));
  fewer.limit_chars = std::max<std::int64_t>(1, chars);
  return fewer;
}

std::optional<model::WindowArguments> shorter_window(const api::FieldWindow& window, const model::WindowArguments& asked,
                                                     std::size_t excess) {
  const std::vector<std::size_t> costs = costs_of(window.text);
  const auto size = std::ssize(costs);
  if (size <= 1) return std::nullopt;
  std::size_t all = 0;
  for (const std::size_t cost : costs) all += cost;
  // Numbers in the next response may be slightly longer, and a shortened end gets a cursor, which is repeated in several
  // places. If there is room for this estimate, it saves a read; otherwise the next read decides.
  constexpr std::size_t kLongerNumbers = 96, kNewCursor = 1'800;
  const bool keeps_its_cursors = window.has_more() && (!asked.cursor || window.start_chars > 0);
  std::size_t room = all > excess + kLongerNumbers ? all - excess - kLongerNumbers : 0;
  if (!keeps_its_cursors) room -= std::min(kNewCursor, room / 4);
  model::WindowArguments smaller = asked;

  if (asked.q && window.match) {
    const std::int64_t start = std::clamp<std::int64_t>(window.match->start_chars - window.start_chars, 0, size);
    const std::int64_t end = std::clamp<std::int64_t>(window.match->end_chars - window.start_chars, start, size);
    if (end - start >= size) return std::nullopt;
    const Around context = fitting_context(costs, start, end, room);
    smaller.before_chars = context.before;
    smaller.after_chars = context.after;
    smaller.limit_chars.reset();
    return smaller;
  }
  std::int64_t chars = fitting(costs, room, false);
  if (asked.cursor) chars = std::min(chars, fitting(costs, room, true));
  if (window.match) chars = std::max(std::min(chars, size * 3 / 4), window.match->end_chars - window.match->start_chars);
  smaller.limit_chars = std::clamp<std::int64_t>(chars, 1, size - 1);
  return smaller;
}

}  // namespace ladder::mcp
