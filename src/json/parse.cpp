// Parses documents from outside into a Boost.JSON tree. Only the tree is Boost's: `check` implements the grammar, and
// numbers are read by std::from_chars, which rounds correctly and reports numbers that do not fit a double.
#include "json/parse.h"

#include "base/text/format.h"
#include "json/scan/decimal.h"
#include "json/scan/scan.h"
#include "json/writer.h"

#include <algorithm>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace ladder::json {
namespace {

Error fault_at(std::string_view text, std::size_t offset, std::string_view what) {
  const std::string_view before = text.substr(0, offset);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return Error{Code::kInvalidRequest,
               format("The JSON text is invalid at line {}, byte {}: {}.", line, 1 + offset - line_start, what)};
}

template <class T>
std::optional<T> read_number(std::string_view text) {
  T number{};
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size()) return std::nullopt;
  return number;
}

// Builds the tree from checked text, in one pass. Recursion is bounded by the checked depth.
class Builder {
 public:
  explicit Builder(std::string_view checked) : text_(checked), at_(skip_space(checked, 0)) {}
  Result<boost::json::value> value();

 private:
  Result<boost::json::value> object();
  Result<boost::json::value> array();
  Result<boost::json::value> number();

  std::string_view text_;
  std::size_t at_;
};

Result<boost::json::value> Builder::value() {
  const std::size_t first = at_;
  switch (kind_at(text_, at_)) {
    case Kind::kObject:
      return object();
    case Kind::kArray:
      return array();
    case Kind::kNumber:
      return number();
    default:
      at_ = skip_value(text_, at_);
      break;
  }
  switch (text_[first]) {
    case '"':
      return boost::json::value(decode_string(text_.substr(first + 1, at_ - first - 2)));
    case 't':
      return boost::json::value(true);
    case 'f':
      return boost::json::value(false);
    default:
      return boost::json::value(nullptr);
  }
}

Result<boost::json::value> Builder::object() {
  boost::json::object members;
  at_ = skip_space(text_, at_ + 1);
  while (text_[at_] != '}') {
    const std::size_t name_at = at_;
    at_ = skip_string(text_, at_);
    const std::string name = decode_string(text_.substr(name_at + 1, at_ - name_at - 2));
    at_ = skip_mark(text_, at_, ':');
    LADDER_TRY(auto below, value());
    if (!members.emplace(name, std::move(below)).second) {
      return std::unexpected(fault_at(text_, name_at, "the object already has a member with this name"));
    }
    at_ = skip_mark(text_, at_, ',');
  }
  ++at_;
  return boost::json::value(std::move(members));
}

Result<boost::json::value> Builder::array() {
  boost::json::array elements;
  at_ = skip_space(text_, at_ + 1);
  while (text_[at_] != ']') {
    LADDER_TRY(auto below, value());
    elements.push_back(std::move(below));
    at_ = skip_mark(text_, at_, ',');
  }
  ++at_;
  return boost::json::value(std::move(elements));
}

Result<boost::json::value> Builder::number() {
  const std::size_t first = at_;
  at_ = skip_value(text_, at_);
  const std::string_view digits = text_.substr(first, at_ - first);
  if (const auto fits = read_number<std::int64_t>(digits)) return boost::json::value(*fits);
  if (const auto fits = read_number<std::uint64_t>(digits)) return boost::json::value(*fits);
  if (const auto fits = read_number<double>(digits)) return boost::json::value(*fits);
  // Out of range: either so small that every parser reads it as zero, or too large for every parser.
  const Decimal exact(digits);
  if (exact < Decimal("1") && exact > Decimal("-1")) return boost::json::value(0.0);
  return std::unexpected(fault_at(text_, first, "the number is too large"));
}

}  // namespace

Result<boost::json::value> parse(std::string_view text, std::size_t max_bytes, std::size_t max_depth) {
  if (text.size() > max_bytes) {
    return fail(Code::kInvalidRequest, format("The JSON text has {} bytes; at most {} are allowed.", text.size(), max_bytes));
  }
  const auto facts = check(text, max_depth);
  if (!facts) return std::unexpected(fault_at(text, facts.error().offset, facts.error().what));
  return Builder(text).value();
}

// The canonical text of a tree: one text per value, independent of member order and number notation.

namespace {

// A double that is a 64-bit integer is written as an integer: 1e15 and 1000000000000000 are the same value.
void write_double(Writer& out, double number) {
  constexpr double kInt64End = 9223372036854775808.0;
  constexpr double kUint64End = 18446744073709551616.0;
  const bool whole = std::trunc(number) == number;
  if (whole && number >= -kInt64End && number < kInt64End) {
    out.number(static_cast<std::int64_t>(number));
  } else if (whole && number > 0 && number < kUint64End) {
    out.number(static_cast<std::uint64_t>(number));
  } else {
    out.number(number);
  }
}

void write(Writer& out, const boost::json::value& value);

void write_object(Writer& out, const boost::json::object& object) {
  std::vector<const boost::json::key_value_pair*> members;
  members.reserve(object.size());
  for (const auto& member : object) members.push_back(&member);
  std::sort(members.begin(), members.end(), [](const auto* a, const auto* b) { return a->key() < b->key(); });
  out.begin_object();
  for (const auto* member : members) {
    out.key(member->key());
    write(out, member->value());
  }
  out.end_object();
}

void write(Writer& out, const boost::json::value& value) {
  switch (value.kind()) {
    case boost::json::kind::null:
      out.null();
      return;
    case boost::json::kind::bool_:
      out.boolean(value.get_bool());
      return;
    case boost::json::kind::int64:
      out.number(value.get_int64());
      return;
    case boost::json::kind::uint64:
      out.number(value.get_uint64());
      return;
    case boost::json::kind::double_:
      write_double(out, value.get_double());
      return;
    case boost::json::kind::string:
      out.string(value.get_string());
      return;
    case boost::json::kind::object:
      write_object(out, value.get_object());
      return;
    case boost::json::kind::array:
      break;
  }
  out.begin_array();
  for (const auto& element : value.get_array()) write(out, element);
  out.end_array();
}

}  // namespace

std::string canonical(const boost::json::value& value) {
  Writer out;
  write(out, value);
  return out.take();
}

}  // namespace ladder::json
