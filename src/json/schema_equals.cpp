// Equality of data text and a tree, for enum and const. Goes no deeper than the tree, and stops at the first difference.
#include "json/decimal.h"
#include "json/parse.h"
#include "json/schema_program.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

namespace ladder::json::schema {
namespace {

bool equal_objects(const Value& data, const boost::json::object& object) {
  std::vector<bool> found(object.size());  // a name that stands twice in the data must not count for two members
  std::size_t count = 0;
  for (Members members(data.text); members.next(); ++count) {
    const auto match = object.find(decode_string(members.raw_name()));
    if (match == object.end() || found[static_cast<std::size_t>(match - object.begin())]) return false;
    if (!equals(members.value(), match->value())) return false;
    found[static_cast<std::size_t>(match - object.begin())] = true;
  }
  return count == object.size();
}

bool equal_arrays(const Value& data, const boost::json::array& array) {
  std::size_t count = 0;
  for (Elements elements(data.text); elements.next(); ++count) {
    if (count == array.size() || !equals(elements.value(), array[count])) return false;
  }
  return count == array.size();
}

}  // namespace

bool equals(const Value& checked, const boost::json::value& value) {
  switch (checked.kind) {
    case Kind::kNull:
      return value.is_null();
    case Kind::kBool:
      return value.is_bool() && value.get_bool() == checked.text.starts_with('t');
    case Kind::kNumber:
      return value.is_number() && Decimal(checked.text) == Decimal(canonical(value));
    case Kind::kString:
      return value.is_string() && name_equals(raw_content(checked), value.get_string());
    case Kind::kObject:
      return value.is_object() && equal_objects(checked, value.get_object());
    case Kind::kArray:
      return value.is_array() && equal_arrays(checked, value.get_array());
    case Kind::kReference:
      break;
  }
  return false;
}

}  // namespace ladder::json::schema
