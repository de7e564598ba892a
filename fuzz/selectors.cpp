// Window selectors. Each line is one argument, NAME=VALUE; integers use the query string parser. What `checked` accepts
// obeys every rule of the specification, implemented here a second time, and what it rejects breaks at least one of
// them.
#include "base/limits.h"
#include "base/text/utf8.h"
#include "frame.h"
#include "model/window_selector.h"

#include <algorithm>
#include <array>
#include <set>

namespace ladder::fuzz {
namespace {

using model::SelectorKind;
using Arguments = model::WindowArguments;

const std::set<std::string> kNames = {"cursor", "q", "offset_chars", "limit_chars", "before_chars", "after_chars"};

bool is_integer_text(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

std::optional<std::int64_t> read_integer(std::string_view text) {
  const auto value = model::parse_window_integer(text, "limit_chars");
  if (!value) {
    FUZZ_CHECK(value.error().code == Code::kInvalidWindow && value.error().param == "limit_chars");
    // Rejected digits: only because the number is too large.
    if (is_integer_text(text)) FUZZ_CHECK(text.size() >= 19);
    return std::nullopt;
  }
  FUZZ_CHECK(is_integer_text(text));
  FUZZ_CHECK(model::parse_window_integer(std::to_string(*value), "limit_chars") == *value);
  return *value;
}

Arguments read(std::string_view input) {
  Arguments out;
  while (!input.empty()) {
    const std::string_view line = take_line(input);
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view name = line.substr(0, equals);
    const std::string_view value = line.substr(equals + 1);
    if (name == "cursor") out.cursor = value;
    if (name == "q") out.q = value;
    if (name == "offset_chars") out.offset_chars = read_integer(value);
    if (name == "limit_chars") out.limit_chars = read_integer(value);
    if (name == "before_chars") out.before_chars = read_integer(value);
    if (name == "after_chars") out.after_chars = read_integer(value);
    // Makes a long text from a short input.
    if (name == "q_times" && out.q) {
      const auto times = read_integer(value).value_or(1);
      const std::string once = *out.q;
      for (std::int64_t i = 1; i < std::min<std::int64_t>(times, 2000) && once.size() < 16; ++i) *out.q += once;
    }
  }
  return out;
}

bool lies_in(const std::optional<std::int64_t>& value, std::int64_t least, std::int64_t most) {
  return !value || (*value >= least && *value <= most);
}

// The rules, one per line.
bool is_allowed(const Arguments& given) {
  const bool has_context = given.before_chars || given.after_chars;
  const std::array<bool, 8> rules = {
      !(given.cursor && (given.offset_chars || given.q || has_context)),
      !(given.q && given.offset_chars),
      !(has_context && !given.q),
      lies_in(given.offset_chars, 0, INT64_MAX),
      lies_in(given.limit_chars, 1, limits::kWindowMaxChars),
      lies_in(given.before_chars, 0, limits::kContextMaxChars) && lies_in(given.after_chars, 0, limits::kContextMaxChars),
      !given.cursor || !given.cursor->empty(),
      !given.q || (!given.q->empty() && utf8::is_valid(*given.q) &&
                   utf8::count(*given.q) <= static_cast<std::int64_t>(limits::kQueryMaxChars)),
  };
  return std::ranges::all_of(rules, [](bool rule) { return rule; });
}

void check_selector(const Arguments& given, const model::WindowSelector& selector) {
  const SelectorKind kind = given.cursor ? SelectorKind::kCursor : given.q ? SelectorKind::kQuery : SelectorKind::kOffset;
  FUZZ_CHECK(selector.kind == kind);
  FUZZ_CHECK(selector.offset_chars == given.offset_chars.value_or(0));
  FUZZ_CHECK(selector.limit() == given.limit_chars.value_or(limits::kWindowDefaultChars));
  FUZZ_CHECK(selector.cursor == given.cursor.value_or("") && selector.q == given.q.value_or(""));
  if (kind != SelectorKind::kQuery) {
    FUZZ_CHECK(selector.before_chars == 0 && selector.after_chars == 0);
    return;
  }
  FUZZ_CHECK(selector.before_chars == given.before_chars.value_or(limits::kContextDefaultChars));
  FUZZ_CHECK(selector.after_chars == given.after_chars.value_or(limits::kContextDefaultChars));
  const std::int64_t match = utf8::count(selector.q);
  const std::int64_t length = selector.query_limit(match);
  FUZZ_CHECK(length >= match && length <= limits::kWindowMaxChars);
  if (given.limit_chars) {
    FUZZ_CHECK(length == std::max(*given.limit_chars, match));
  } else {
    FUZZ_CHECK(length == std::min(selector.before_chars + match + selector.after_chars, limits::kWindowMaxChars));
  }
}

}  // namespace

void run(std::string_view input) {
  const Arguments given = read(input);
  const auto selector = model::checked(given);
  FUZZ_CHECK(selector.has_value() == is_allowed(given));
  if (selector) return check_selector(given, *selector);
  FUZZ_CHECK(selector.error().code == Code::kInvalidWindow);
  FUZZ_CHECK(kNames.contains(selector.error().param) && !selector.error().message.empty());
  FUZZ_CHECK(utf8::is_valid(selector.error().message));
}

}  // namespace ladder::fuzz
