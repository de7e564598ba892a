#include "sync/imap/value.h"

#include <algorithm>
#include <charconv>

namespace ladder::sync::imap {
namespace {

std::unexpected<Error> malformed(const char* what) {
  return fail(Code::kRsProtocol, std::string("the mail server sent an invalid response: ") + what);
}

class Parser {
 public:
  explicit Parser(std::string_view bytes) : bytes_(bytes) {}

  Result<std::vector<Value>> all() {
    std::vector<Value> values;
    LADDER_CHECK(list(values, 0));
    if (at_ < bytes_.size()) return malformed("a list ends that was not begun");
    return values;
  }

 private:
  // Reads values up to the end of the list or of the bytes.
  Status list(std::vector<Value>& into, int depth) {
    while (at_ < bytes_.size() && bytes_[at_] != ')') {
      if (bytes_[at_] == ' ') {
        ++at_;
        continue;
      }
      if (++count_ > kMaxValues) return malformed("too many values");
      LADDER_CHECK(value(into.emplace_back(), depth));
    }
    return {};
  }

  Status value(Value& into, int depth) {
    switch (bytes_[at_]) {
      case '(':
        return nested(into, depth);
      case '"':
        return quoted(into);
      case '{':
        return literal(into);
      default:
        break;
    }
    if (bytes_.substr(at_, 2) == "~{") {
      ++at_;
      return literal(into);
    }
    return atom(into);
  }

  Status nested(Value& into, int depth) {
    if (depth >= kMaxDepth) return malformed("lists are nested too deep");
    ++at_;
    into.kind = Value::Kind::kList;
    LADDER_CHECK(list(into.items, depth + 1));
    if (at_ == bytes_.size()) return malformed("a list does not end");
    ++at_;
    return {};
  }

  Status quoted(Value& into) {
    const std::size_t begin = ++at_;
    while (at_ < bytes_.size() && bytes_[at_] != '"') at_ += bytes_[at_] == '\\' ? 2 : 1;
    if (at_ >= bytes_.size()) return malformed("a string does not end");
    into = {Value::Kind::kQuoted, bytes_.substr(begin, at_ - begin), {}};
    ++at_;
    return {};
  }

  Status literal(Value& into) {
    const std::size_t end = bytes_.find("}\r\n", at_);
    if (end == std::string_view::npos) return malformed("a literal has no size");
    const auto size = parse_number(bytes_.substr(at_ + 1, end - at_ - 1));
    if (!size || *size > bytes_.size() - end - 3) return malformed("a literal has a wrong size");
    into = {Value::Kind::kLiteral, bytes_.substr(end + 3, *size), {}};
    at_ = end + 3 + *size;
    return {};
  }

  // An atom such as BODY[HEADER.FIELDS (DATE)] contains spaces in its brackets.
  Status atom(Value& into) {
    const std::size_t begin = at_;
    int brackets = 0;
    for (; at_ < bytes_.size(); ++at_) {
      const char c = bytes_[at_];
      if (c == '[') ++brackets;
      else if (c == ']' && brackets > 0) --brackets;
      else if (brackets == 0 && (c == ' ' || c == '(' || c == ')')) break;
      if (c == '\r' || c == '\n' || c == '\0') return malformed("a word contains a line end");
    }
    const std::string_view word = bytes_.substr(begin, at_ - begin);
    into = {upper_case(word.substr(0, 4)) == "NIL" ? Value::Kind::kNil : Value::Kind::kAtom, word, {}};
    return {};
  }

  std::string_view bytes_;
  std::size_t at_ = 0, count_ = 0;
};

}  // namespace

std::string Value::text() const {
  if (kind == Kind::kNil || kind == Kind::kList) return {};
  if (kind != Kind::kQuoted || raw.find('\\') == std::string_view::npos) return std::string(raw);
  std::string plain;
  for (std::size_t at = 0; at < raw.size(); ++at) {
    if (raw[at] == '\\' && at + 1 < raw.size()) ++at;
    plain += raw[at];
  }
  return plain;
}

bool Value::is_atom(std::string_view upper) const { return kind == Kind::kAtom && upper_case(raw) == upper; }

std::optional<std::uint64_t> Value::number() const { return kind == Kind::kAtom ? parse_number(raw) : std::nullopt; }

Result<std::vector<Value>> parse_values(std::string_view bytes) { return Parser(bytes).all(); }

std::string upper_case(std::string_view text) {
  std::string upper(text);
  std::ranges::transform(upper, upper.begin(),
                         [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; });
  return upper;
}

std::optional<std::uint64_t> parse_number(std::string_view digits) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return number;
}

}  // namespace ladder::sync::imap
