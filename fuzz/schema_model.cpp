#include "schema_model.h"

#include "base/text/utf8.h"
#include "json/scan/pointer.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

namespace ladder::fuzz {
namespace {

using Tree = boost::json::value;

// Exact for every number of a tree: the mantissa has 64 bits here.
static_assert(std::numeric_limits<long double>::digits >= 64);
long double number_of(const Tree& value) {
  if (const auto* number = value.if_int64()) return static_cast<long double>(*number);
  if (const auto* number = value.if_uint64()) return static_cast<long double>(*number);
  return static_cast<long double>(value.get_double());
}

bool same(const Tree& a, const Tree& b) {
  if (a.is_number() && b.is_number()) return number_of(a) == number_of(b);
  if (a.kind() != b.kind()) return false;
  if (const auto* array = a.if_array()) return std::ranges::equal(*array, b.get_array(), same);
  const auto* object = a.if_object();
  if (object == nullptr) return a == b;
  return object->size() == b.get_object().size() && std::ranges::all_of(*object, [&](const auto& member) {
           const Tree* other = b.get_object().if_contains(member.key());
           return other != nullptr && same(member.value(), *other);
         });
}

bool has_type(const Tree& value, std::string_view name) {
  if (name == "null") return value.is_null();
  if (name == "boolean") return value.is_bool();
  if (name == "string") return value.is_string();
  if (name == "object") return value.is_object();
  if (name == "array") return value.is_array();
  if (!value.is_number()) return false;
  return name == "number" || std::trunc(number_of(value)) == number_of(value);
}

class Model {
 public:
  explicit Model(const Tree& root) : root_(root) {}

  bool accepts(const Tree& schema, const Tree& value);
  bool is_decided() const { return is_decided_; }

 private:
  bool undecided() {
    is_decided_ = false;
    return true;
  }
  bool keyword(const boost::json::object& schema, std::string_view name, const Tree& rule, const Tree& value);
  bool number_keyword(std::string_view name, const Tree& rule, const Tree& value);
  bool count_keyword(std::string_view name, const Tree& rule, const Tree& value);
  bool member_keyword(const boost::json::object& schema, std::string_view name, const Tree& rule, const Tree& value);
  bool items(const boost::json::object& schema, const Tree& rule, const Tree& value);
  bool reference(std::string_view text, const Tree& value);

  const Tree& root_;
  int work_left_ = 20'000;
  bool is_decided_ = true;
};

bool Model::accepts(const Tree& schema, const Tree& value) {
  if (!is_decided_ || --work_left_ < 0) return undecided();
  if (schema.is_bool()) return schema.get_bool();
  const auto* object = schema.if_object();
  if (object == nullptr || object->contains("$id")) return undecided();
  return std::ranges::all_of(*object, [&](const auto& member) { return keyword(*object, member.key(), member.value(), value); });
}

bool Model::keyword(const boost::json::object& schema, std::string_view name, const Tree& rule, const Tree& value) {
  if (name == "type") {
    if (rule.is_string()) return has_type(value, rule.get_string());
    return std::ranges::any_of(rule.get_array(), [&](const Tree& one) { return has_type(value, one.get_string()); });
  }
  if (name == "const") return same(rule, value);
  if (name == "enum") return std::ranges::any_of(rule.get_array(), [&](const Tree& one) { return same(one, value); });
  if (name == "$ref") return reference(rule.get_string(), value);
  return number_keyword(name, rule, value) && count_keyword(name, rule, value) && member_keyword(schema, name, rule, value);
}

bool Model::number_keyword(std::string_view name, const Tree& rule, const Tree& value) {
  if (!value.is_number()) return true;
  if (name == "minimum") return number_of(value) >= number_of(rule);
  if (name == "maximum") return number_of(value) <= number_of(rule);
  if (name == "exclusiveMinimum") return number_of(value) > number_of(rule);
  if (name == "exclusiveMaximum") return number_of(value) < number_of(rule);
  return true;
}

bool Model::count_keyword(std::string_view name, const Tree& rule, const Tree& value) {
  const auto least = [&](std::string_view wanted, std::size_t count) {
    return name != wanted || static_cast<long double>(count) >= number_of(rule);
  };
  const auto most = [&](std::string_view wanted, std::size_t count) {
    return name != wanted || static_cast<long double>(count) <= number_of(rule);
  };
  if (const auto* text = value.if_string()) {
    const auto count = static_cast<std::size_t>(utf8::count(*text));
    return least("minLength", count) && most("maxLength", count);
  }
  if (const auto* array = value.if_array()) return least("minItems", array->size()) && most("maxItems", array->size());
  if (const auto* object = value.if_object()) {
    return least("minProperties", object->size()) && most("maxProperties", object->size());
  }
  return true;
}

bool Model::member_keyword(const boost::json::object& schema, std::string_view name, const Tree& rule, const Tree& value) {
  if (name == "items") return items(schema, rule, value);
  const auto* object = value.if_object();
  if (object == nullptr) return true;
  if (name == "required") {
    return std::ranges::all_of(rule.get_array(), [&](const Tree& one) { return object->contains(one.get_string()); });
  }
  if (name == "properties") {
    return std::ranges::all_of(rule.get_object(), [&](const auto& property) {
      const Tree* member = object->if_contains(property.key());
      return member == nullptr || accepts(property.value(), *member);
    });
  }
  // Patterns are not enforced, so a name that one may match is not rejected as additional.
  if (name != "additionalProperties" || schema.contains("patternProperties")) return true;
  const Tree* properties = schema.if_contains("properties");
  return std::ranges::all_of(*object, [&](const auto& member) {
    return (properties != nullptr && properties->get_object().contains(member.key())) || accepts(rule, member.value());
  });
}

bool Model::items(const boost::json::object& schema, const Tree& rule, const Tree& value) {
  const auto* array = value.if_array();
  if (array == nullptr || rule.is_array()) return true;
  const Tree* prefix = schema.if_contains("prefixItems");
  const std::size_t first = prefix != nullptr && prefix->is_array() ? prefix->get_array().size() : 0;
  for (std::size_t i = first; i < array->size(); ++i) {
    if (!accepts(rule, (*array)[i])) return false;
  }
  return true;
}

bool Model::reference(std::string_view text, const Tree& value) {
  const auto tokens = json::parse_pointer(text.substr(1));
  if (text.find('%') != std::string_view::npos || !tokens) return undecided();
  const Tree* target = &root_;
  for (const std::string& token : *tokens) {
    if (target->is_object() && target->get_object().contains("$id")) return undecided();
    const auto index = json::array_index(token);
    if (const auto* object = target->if_object()) {
      target = object->if_contains(token);
    } else if (const auto* array = target->if_array(); array != nullptr && index && *index < array->size()) {
      target = &(*array)[*index];
    } else {
      target = nullptr;
    }
    if (target == nullptr) return undecided();
  }
  return accepts(*target, value);
}

}  // namespace

std::optional<bool> accepts(const boost::json::value& schema, const boost::json::value& value) {
  Model model(schema);
  const bool verdict = model.accepts(schema, value);
  return model.is_decided() ? std::optional(verdict) : std::nullopt;
}

}  // namespace ladder::fuzz
