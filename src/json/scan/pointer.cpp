#include "json/scan/pointer.h"

#include "base/limits.h"
#include "base/text/format.h"
#include "base/text/number.h"
#include "base/text/utf8.h"

#include <algorithm>
#include <utility>

namespace ladder::json {
namespace {

// ~1 is a slash and ~0 a tilde; other characters after a tilde are invalid.
std::optional<std::string> decode_token(std::string_view text) {
  std::string token;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '~') {
      token += text[at];
      continue;
    }
    ++at;
    if (at == text.size() || (text[at] != '0' && text[at] != '1')) return std::nullopt;
    token += text[at] == '0' ? '~' : '/';
  }
  return token;
}

}  // namespace

Result<std::vector<std::string>> parse_pointer(std::string_view pointer) {
  if (pointer.size() > limits::kMaxFieldPathBytes) {
    return fail(Code::kInvalidFieldPath,
                format("The JSON Pointer has {} bytes; at most {} are allowed.", pointer.size(), limits::kMaxFieldPathBytes));
  }
  if (!utf8::is_valid(pointer)) return fail(Code::kInvalidFieldPath, "The JSON Pointer is not valid UTF-8.");
  std::vector<std::string> tokens;
  if (pointer.empty()) return tokens;
  if (pointer.front() != '/') return fail(Code::kInvalidFieldPath, "A JSON Pointer is empty or begins with a slash (/).");
  for (std::size_t at = 0; at < pointer.size();) {
    if (tokens.size() == limits::kMaxPointerDepth) {
      return fail(Code::kInvalidFieldPath, format("The JSON Pointer has more than {} steps.", limits::kMaxPointerDepth));
    }
    const std::size_t end = std::min(pointer.find('/', at + 1), pointer.size());
    auto token = decode_token(pointer.substr(at + 1, end - at - 1));
    if (!token) {
      return fail(Code::kInvalidFieldPath, "In a JSON Pointer a tilde is written ~0 and a slash inside a name ~1.");
    }
    tokens.push_back(std::move(*token));
    at = end;
  }
  return tokens;
}

std::string format_pointer(const std::vector<std::string>& tokens) {
  std::string pointer;
  for (const std::string& token : tokens) append_token(pointer, token);
  return pointer;
}

void append_token(std::string& pointer, std::string_view token) {
  pointer += '/';
  for (const char c : token) {
    if (c == '~') {
      pointer += "~0";
    } else if (c == '/') {
      pointer += "~1";
    } else {
      pointer += c;
    }
  }
}

std::optional<std::uint64_t> array_index(std::string_view token) {
  if (token.empty() || (token.size() > 1 && token.front() == '0')) return std::nullopt;
  return parse_number<std::uint64_t>(token);
}

std::optional<Value> step(const Value& from, std::string_view token) {
  if (from.kind == Kind::kObject) return member(from.text, token);
  if (from.kind != Kind::kArray) return std::nullopt;
  const auto index = array_index(token);
  if (!index) return std::nullopt;
  Elements elements(from.text);
  for (std::uint64_t at = 0; elements.next(); ++at) {
    if (at == *index) return elements.value();
  }
  return std::nullopt;
}

std::optional<Value> resolve(Value from, const std::vector<std::string>& tokens, std::size_t first) {
  for (std::size_t at = first; at < tokens.size(); ++at) {
    const auto below = step(from, tokens[at]);
    if (!below) return std::nullopt;
    from = *below;
  }
  return from;
}

}  // namespace ladder::json
