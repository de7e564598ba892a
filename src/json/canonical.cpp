// The canonical text of a tree: one text per value, whatever the order of members and the spelling of numbers was.
#include "json/parse.h"
#include "json/writer.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

namespace ladder::json {
namespace {

// A double that is a whole number of 64 bits is written like the integer: 1e15 and 1000000000000000 are one value.
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
