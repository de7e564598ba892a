// The keywords of a schema without subschemas: type, enum, const, required and the bounds.
#include "base/text/format.h"
#include "json/parse.h"
#include "json/scan/decimal.h"
#include "json/schema/schema_program.h"

#include <array>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <cmath>
#include <utility>

namespace ladder::json::schema {
namespace {

using Tree = boost::json::value;

struct TypeName {
  std::string_view name;
  Types bit;
};
constexpr std::array<TypeName, 7> kTypeNames = {{{"null", kNullBit},
                                                 {"boolean", kBooleanBit},
                                                 {"number", kNumberBit},
                                                 {"integer", kIntegerBit},
                                                 {"string", kStringBit},
                                                 {"object", kObjectBit},
                                                 {"array", kArrayBit}}};

Status add_type(Node& node, const std::string& pointer, const Tree& value) {
  const auto* name = value.if_string();
  for (const TypeName& known : kTypeNames) {
    if (name == nullptr || known.name != std::string_view(*name)) continue;
    if (!node.type_names.empty()) node.type_names += " or ";
    node.type_names += known.name;
    node.types |= known.bit;
    return {};
  }
  return refuse(pointer, "a type is null, boolean, number, integer, string, object or array");
}

Status read_type(Node& node, const std::string& pointer, const Tree& value) {
  const auto* several = value.if_array();
  if (several == nullptr) return add_type(node, pointer, value);
  if (several->empty()) return refuse(pointer, "the list of types is empty");
  for (const Tree& one : *several) LADDER_CHECK(add_type(node, pointer, one));
  return {};
}

Status read_enum(Node& node, const std::string& pointer, const Tree& value) {
  const auto* values = value.if_array();
  if (values == nullptr) return refuse(pointer, "enum is an array of the allowed values");
  node.allowed.emplace(values->begin(), values->end());
  return {};
}

Status read_const(Node& node, const std::string& /*pointer*/, const Tree& value) {
  node.constant = value;
  return {};
}

Status read_required(Node& node, const std::string& pointer, const Tree& value) {
  const auto* names = value.if_array();
  if (names == nullptr) return refuse(pointer, "required is an array of member names");
  for (const Tree& name : *names) {
    const auto* text = name.if_string();
    if (text == nullptr) return refuse(pointer, "required is an array of member names");
    node.known[std::string(*text)].required = true;
  }
  return {};
}

template <std::optional<std::string> Bounds::* kBound>
Status read_bound(Node& node, const std::string& pointer, const Tree& value) {
  if (!value.is_number()) return refuse(pointer, "a bound is a number");
  node.bounds.*kBound = canonical(value);
  return {};
}

// Parses a count: a non-negative integer. Larger values than any possible size are clamped.
std::optional<std::size_t> count_of(const Tree& value) {
  if (const auto* small = value.if_int64()) return *small >= 0 ? std::optional(static_cast<std::size_t>(*small)) : std::nullopt;
  if (const auto* large = value.if_uint64()) return static_cast<std::size_t>(*large);
  const auto* real = value.if_double();
  if (real == nullptr || *real < 0 || std::trunc(*real) != *real) return std::nullopt;
  return *real < 9007199254740992.0 ? static_cast<std::size_t>(*real) : SIZE_MAX;
}

template <std::optional<Range> Node::* kRange, std::size_t Range::* kEnd>
Status read_range(Node& node, const std::string& pointer, const Tree& value) {
  const auto count = count_of(value);
  if (!count) return refuse(pointer, "a count is a non-negative integer");
  if (!(node.*kRange)) (node.*kRange).emplace();
  *(node.*kRange).*kEnd = *count;
  return {};
}

struct Reader {
  std::string_view keyword;
  Status (*read)(Node&, const std::string&, const Tree&);
};
constexpr std::array<Reader, 14> kReaders = {{{"type", read_type},
                                              {"enum", read_enum},
                                              {"const", read_const},
                                              {"required", read_required},
                                              {"minimum", read_bound<&Bounds::minimum>},
                                              {"maximum", read_bound<&Bounds::maximum>},
                                              {"exclusiveMinimum", read_bound<&Bounds::exclusive_minimum>},
                                              {"exclusiveMaximum", read_bound<&Bounds::exclusive_maximum>},
                                              {"minLength", read_range<&Node::length, &Range::least>},
                                              {"maxLength", read_range<&Node::length, &Range::most>},
                                              {"minItems", read_range<&Node::element_count, &Range::least>},
                                              {"maxItems", read_range<&Node::element_count, &Range::most>},
                                              {"minProperties", read_range<&Node::member_count, &Range::least>},
                                              {"maxProperties", read_range<&Node::member_count, &Range::most>}}};

}  // namespace

std::unexpected<Error> refuse(const std::string& pointer, std::string_view what) {
  return fail(Code::kConnectorInvalid, format("The schema is not valid at \"{}\": {}.", pointer, what));
}

Result<bool> read_assertion(Node& node, const std::string& pointer, std::string_view keyword, const Tree& value) {
  for (const Reader& reader : kReaders) {
    if (reader.keyword != keyword) continue;
    LADDER_CHECK(reader.read(node, pointer, value));
    return true;
  }
  return false;
}

// Equality of data text and a tree, for enum and const. Recurses at most to the depth of the tree, and stops at the
// first difference.

namespace {

bool equal_objects(const Value& data, const boost::json::object& object) {
  std::vector<bool> found(object.size());  // a duplicate name in the data must not count for two members
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
