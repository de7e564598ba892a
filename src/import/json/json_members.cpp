// These functions expect text that passed json::check, except those that read the start of a file.
#include "import/json/json_members.h"

#include "base/text/bytes.h"
#include "base/text/format.h"
#include "base/text/number.h"
#include "crypto/hash.h"

#include <charconv>
#include <cmath>

namespace ladder::imports {
namespace {

constexpr double kLatestSecond = 253'402'300'799.0;  // the end of the year 9999
constexpr std::size_t kMaxKeyBytes = 400;            // well below the limit of record keys

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

// Returns the position after the string whose opening quote is at `at`, or the end of the text if it is not closed.
std::size_t end_of_string(std::string_view text, std::size_t at) {
  for (++at; at < text.size(); ++at) {
    if (text[at] == '\\') ++at;
    else if (text[at] == '"') return at + 1;
  }
  return text.size();
}

std::size_t skip_space(std::string_view text, std::size_t at) {
  while (at < text.size() && is_space(text[at])) ++at;
  return at;
}

std::size_t skip_mark(std::string_view text) { return skip_space(text, text.starts_with("\xEF\xBB\xBF") ? 3 : 0); }

}  // namespace

json::Value member_of(const json::Value& object, std::string_view name) {
  if (object.kind != json::Kind::kObject) return {};
  return json::member(object.text, name).value_or(json::Value{});
}

std::string text_of(const json::Value& value) {
  if (value.kind == json::Kind::kString) return json::decode_string(json::raw_content(value));
  if (value.kind == json::Kind::kNumber) return std::string(value.text);
  return {};
}

std::string text_of(const json::Value& object, std::string_view name) { return text_of(member_of(object, name)); }

bool is_true(const json::Value& value) { return value.kind == json::Kind::kBool && value.text == "true"; }

bool has_text(const json::Value& value) { return value.kind == json::Kind::kString && value.text.size() > 2; }

std::int64_t integer_or(const json::Value& value, std::int64_t otherwise) {
  return value.kind == json::Kind::kNumber ? parse_number(value.text).value_or(otherwise) : otherwise;
}

std::optional<Instant> seconds_of(const json::Value& value) {
  const std::string text = text_of(value);
  double seconds = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (text.empty() || problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (!(seconds > 0) || !(seconds <= kLatestSecond)) return std::nullopt;
  return static_cast<Instant>(std::llround(seconds * static_cast<double>(kSecond)));
}

std::optional<Instant> instant_of(const json::Value& value) {
  return value.kind == json::Kind::kString ? parse_time(text_of(value)) : std::nullopt;
}

std::string compact(std::string_view checked) {
  std::string out;
  out.reserve(checked.size());
  for (std::size_t at = 0; at < checked.size();) {
    if (checked[at] == '"') {
      const std::size_t end = end_of_string(checked, at);
      out.append(checked.substr(at, end - at));
      at = end;
    } else {
      if (!is_space(checked[at])) out += checked[at];
      ++at;
    }
  }
  return out;
}

char opening_bracket(std::string_view head) {
  const std::size_t at = skip_mark(head);
  return at < head.size() && (head[at] == '[' || head[at] == '{') ? head[at] : '\0';
}

std::vector<std::string> first_member_names(std::string_view head) {
  std::vector<std::string> names;
  std::size_t at = skip_mark(head), depth = 0;
  if (at < head.size() && head[at] == '[') at = skip_space(head, at + 1);
  if (at == head.size() || head[at] != '{') return names;
  for (bool name_is_due = false; at < head.size();) {
    const char c = head[at];
    if (c == '"') {
      const std::size_t end = end_of_string(head, at);
      if (depth == 1 && name_is_due && end < head.size()) names.emplace_back(head.substr(at + 1, end - at - 2));
      name_is_due = false;
      at = end;
      continue;
    }
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && --depth == 0) break;
    if (depth == 1 && (c == '{' || c == ',')) name_is_due = true;
    ++at;
  }
  return names;
}

std::string joined_key(const std::vector<std::string_view>& ids) {
  std::string key;
  bool plain = true;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    key.append(i == 0 ? "" : ".").append(ids[i]);
    if (i + 1 < ids.size() && ids[i].find('.') != std::string_view::npos) plain = false;
  }
  for (const char c : key) {
    if (static_cast<unsigned char>(c) < 0x20) plain = false;
  }
  if (plain && !key.empty() && key.size() <= kMaxKeyBytes) return key;
  crypto::Sha256 hash;
  for (const std::string_view id : ids) {
    hash.update(format("{}:", id.size()));
    hash.update(id);
  }
  return to_hex(crypto::view(hash.finish())).substr(0, 32);
}

}  // namespace ladder::imports
