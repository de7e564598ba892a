// One strict pass over JSON text from outside (RFC 8259): grammar, UTF-8, depth and lone surrogates, without building a
// tree. The only memory is one byte per open object or array.
#include "json/scan/byte_runs.h"
#include "json/scan/scan.h"

#include <algorithm>
#include <cstddef>

namespace ladder::json {
namespace {

constexpr std::string_view kNotUtf8 = "the text is not valid UTF-8";

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }
bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// Bytes of the well-formed sequence at `p` (Unicode table 3-7), or 0. p < end and *p is not ASCII.
std::size_t sequence_length(const char* p, const char* end) {
  const auto lead = static_cast<unsigned char>(*p);
  const auto left = end - p;
  if (lead < 0xC2 || lead > 0xF4 || left < 2) return 0;
  if (lead < 0xE0) return is_continuation(p[1]) ? 2 : 0;
  const auto second = static_cast<unsigned char>(p[1]);
  if (lead < 0xF0) {
    const unsigned char least = lead == 0xE0 ? 0xA0 : 0x80;
    const unsigned char most = lead == 0xED ? 0x9F : 0xBF;
    return left >= 3 && second >= least && second <= most && is_continuation(p[2]) ? 3 : 0;
  }
  const unsigned char least = lead == 0xF0 ? 0x90 : 0x80;
  const unsigned char most = lead == 0xF4 ? 0x8F : 0xBF;
  return left >= 4 && second >= least && second <= most && is_continuation(p[2]) && is_continuation(p[3]) ? 4 : 0;
}

// Fast path for sequences of two and three bytes, which are the most common, read as one word; returns 0 in all other
// cases.
inline std::size_t common_sequence_length(const char* p) {
  const std::uint64_t word = load_word(p);
  if ((word & 0xC0E0) == 0x80C0) return (word & 0x1E) != 0 ? 2 : 0;  // C0 and C1 would be overlong
  const std::uint64_t edge = word & 0x200F;                          // E0 80–9F are overlong, ED A0–BF surrogates
  return (word & 0xC0C0F0) == 0x8080E0 && edge != 0 && edge != 0x200D ? 3 : 0;
}

// The functions return the position after the text they accepted, or nullptr after refuse().
class Checker {
 public:
  Checker(std::string_view text, std::size_t max_depth)
      : begin_(text.data()), end_(text.data() + text.size()), max_depth_(max_depth) {}

  bool run();
  const TextStats& stats() const { return stats_; }
  const Fault& fault() const { return fault_; }

 private:
  enum class Next : std::uint8_t { kValue, kEnd, kRefused };  // expected at the position

  std::nullptr_t refuse(const char* at, std::string_view what);
  const char* space(const char* p) const;
  Next value(const char*& p);
  Next container(const char*& p);
  Next after_value(const char*& p);
  const char* name(const char* p);
  const char* scalar(const char* p);
  const char* literal(const char* p, std::string_view word);
  const char* number(const char* p);
  const char* digits(const char* p, std::string_view missing);
  const char* string(const char* p);
  const char* escape(const char* p);
  const char* beyond_ascii(const char* p);

  const char* begin_;
  const char* end_;
  std::size_t max_depth_;
  std::string open_;  // the expected closing brackets, innermost last
  TextStats stats_;
  Fault fault_;
};

std::nullptr_t Checker::refuse(const char* at, std::string_view what) {
  const bool broken = at != end_ && !bytes::is_ascii(*at) && sequence_length(at, end_) == 0;
  fault_ = Fault{static_cast<std::size_t>(at - begin_), broken, broken ? kNotUtf8 : what};
  return nullptr;
}

const char* Checker::space(const char* p) const {
  while (p != end_ && is_space(*p)) ++p;
  return p;
}

bool Checker::run() {
  if (std::string_view(begin_, end_).starts_with("\xEF\xBB\xBF")) {
    refuse(begin_, "the JSON text begins with a byte order mark");
    return false;
  }
  const char* p = space(begin_);
  for (;;) {
    const Next next = value(p);
    if (next != Next::kValue) return next == Next::kEnd;
  }
}

Checker::Next Checker::value(const char*& p) {
  if (p != end_ && (*p == '{' || *p == '[')) return container(p);
  p = scalar(p);
  return p == nullptr ? Next::kRefused : after_value(p);
}

Checker::Next Checker::container(const char*& p) {
  if (open_.size() >= max_depth_) {
    refuse(p, "the value is nested too deeply");
    return Next::kRefused;
  }
  const char closing = *p == '{' ? '}' : ']';
  open_.push_back(closing);
  stats_.depth = std::max(stats_.depth, open_.size());
  p = space(p + 1);
  if (p != end_ && *p == closing) return after_value(p);
  if (closing == '}') p = name(p);
  return p == nullptr ? Next::kRefused : Next::kValue;
}

// Called after a value, or at the closing bracket of an empty container: closes what ends here and moves to the next
// value.
Checker::Next Checker::after_value(const char*& p) {
  for (;; ++p) {
    p = space(p);
    if (open_.empty()) {
      if (p == end_) return Next::kEnd;
      refuse(p, "something follows the value");
      return Next::kRefused;
    }
    if (p == end_ || *p != open_.back()) break;
    open_.pop_back();
  }
  const bool object = open_.back() == '}';
  if (p == end_ || *p != ',') {
    refuse(p, object ? "a comma or } is missing" : "a comma or ] is missing");
    return Next::kRefused;
  }
  p = space(p + 1);
  if (object) p = name(p);
  return p == nullptr ? Next::kRefused : Next::kValue;
}

const char* Checker::name(const char* p) {
  if (p == end_ || *p != '"') return refuse(p, "a member name in quotes is missing");
  p = string(p);
  if (p == nullptr) return nullptr;
  p = space(p);
  if (p == end_ || *p != ':') return refuse(p, "a colon is missing");
  return space(p + 1);
}

const char* Checker::scalar(const char* p) {
  if (p == end_) return refuse(p, "a value is missing");
  switch (*p) {
    case '"':
      return string(p);
    case 't':
      return literal(p, "true");
    case 'f':
      return literal(p, "false");
    case 'n':
      return literal(p, "null");
    default:
      break;
  }
  if (*p == '-' || is_digit(*p)) return number(p);
  return refuse(p, "a value is missing");
}

const char* Checker::literal(const char* p, std::string_view word) {
  if (!std::string_view(p, end_).starts_with(word)) return refuse(p, "a value is missing");
  return p + word.size();
}

const char* Checker::number(const char* p) {
  if (*p == '-') ++p;
  if (p != end_ && *p == '0') {
    ++p;
    if (p != end_ && is_digit(*p)) return refuse(p, "a number has a leading zero");
  } else {
    p = digits(p, "a number has no digits");
  }
  if (p != nullptr && p != end_ && *p == '.') p = digits(p + 1, "a number has no digits after the point");
  if (p != nullptr && p != end_ && (*p == 'e' || *p == 'E')) {
    ++p;
    if (p != end_ && (*p == '+' || *p == '-')) ++p;
    p = digits(p, "a number has no digits in the exponent");
  }
  return p;
}

const char* Checker::digits(const char* p, std::string_view missing) {
  if (p == end_ || !is_digit(*p)) return refuse(p, missing);
  while (p != end_ && is_digit(*p)) ++p;
  return p;
}

const char* Checker::string(const char* p) {
  ++p;
  for (;;) {
    p = bytes::find_special(p, end_);
    if (p == end_) return refuse(p, "the text ends inside a string");
    if (*p == '"') return p + 1;
    if (*p == '\\') {
      p = escape(p);
    } else if (bytes::is_control(*p)) {
      return refuse(p, "a control character in a string is not escaped");
    } else {
      p = beyond_ascii(p);
    }
    if (p == nullptr) return nullptr;
  }
}

const char* Checker::escape(const char* p) {
  const Escape read = read_escape(std::string_view(p, end_), 0);
  if (read.length == 0) return refuse(p, "an escape in a string is not valid");
  if (is_surrogate(read.code_point)) ++stats_.lone_surrogates;
  return p + read.length;
}

// Skips a run of non-ASCII sequences, with single spaces between words.
const char* Checker::beyond_ascii(const char* p) {
  do {
    std::size_t length = end_ - p >= bytes::kStep ? common_sequence_length(p) : 0;
    if (length == 0) length = sequence_length(p, end_);
    if (length == 0) return refuse(p, kNotUtf8);
    p += length;
    if (p != end_ && *p == ' ') ++p;
  } while (p != end_ && !bytes::is_ascii(*p));
  return p;
}

}  // namespace

std::expected<TextStats, Fault> check(std::string_view text, std::size_t max_depth) {
  Checker checker(text, max_depth);
  if (!checker.run()) return std::unexpected(checker.fault());
  return checker.stats();
}

}  // namespace ladder::json
