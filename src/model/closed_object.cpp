// Closed objects over a boost::json tree.
#include "model/closed_object.h"

#include "base/text/format.h"
#include "json/scan/pointer.h"
#include "model/quote.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/string.hpp>

#include <algorithm>
#include <set>

namespace ladder::model {
namespace {

std::string_view view(const boost::json::string& text) { return {text.data(), text.size()}; }

std::string list(std::initializer_list<std::string_view> names) {
  std::string out;
  for (const std::string_view name : names) {
    if (!out.empty()) out += ", ";
    out += name;
  }
  return out;
}

}  // namespace

void Faults::add(std::string_view rule, std::string_view pointer, std::string_view message) {
  if (first_) return;
  std::string text = subject_.empty() ? std::string(message) : format("{}: {}", subject_, message);
  if (!pointer.empty()) text += format(" (at {})", pointer);
  Error error{code_, std::move(text)};
  error.details().rule = format("{}.{}", family_, rule);
  first_ = std::move(error);
}

Status Faults::status() const {
  if (first_) return std::unexpected(*first_);
  return {};
}

std::string child_pointer(std::string_view pointer, std::string_view name) {
  return std::string(pointer) + json::format_pointer({std::string(name)});
}

std::string child_pointer(std::string_view pointer, std::size_t index) { return format("{}/{}", pointer, index); }

std::string_view kind_name(const boost::json::value& value) {
  switch (value.kind()) {
    case boost::json::kind::null:
      return "null";
    case boost::json::kind::bool_:
      return "a boolean";
    case boost::json::kind::int64:
    case boost::json::kind::uint64:
    case boost::json::kind::double_:
      return "a number";
    case boost::json::kind::string:
      return "a string";
    case boost::json::kind::array:
      return "an array";
    case boost::json::kind::object:
      return "an object";
  }
  return "something else";
}

ClosedObject::ClosedObject(Faults& faults, const boost::json::value* value, std::string pointer,
                           std::initializer_list<std::string_view> members)
    : faults_(faults), pointer_(std::move(pointer)) {
  if (value == nullptr) return;
  object_ = value->if_object();
  if (object_ == nullptr) {
    faults_.add("invalid_member", pointer_, format("expected an object, found {}", kind_name(*value)));
    return;
  }
  if (members.size() == 0) return;
  for (const auto& member : *object_) {
    const std::string_view name(member.key().data(), member.key().size());
    if (std::ranges::find(members, name) != members.end()) continue;
    faults_.add("unknown_member", child_pointer(pointer_, name),
                format("{} is not a known member; correct the name or remove it (known: {})", in_quotes(name), list(members)));
  }
}

const boost::json::value* ClosedObject::optional(std::string_view name) const {
  return object_ == nullptr ? nullptr : object_->if_contains(boost::json::string_view(name.data(), name.size()));
}

const boost::json::value* ClosedObject::required(std::string_view name) {
  const boost::json::value* value = optional(name);
  if (value == nullptr && object_ != nullptr) {
    faults_.add("missing_member", pointer(name), format("\"{}\" is missing; add it", name));
  }
  return value;
}

std::string ClosedObject::text_of(const boost::json::value& value, const std::string& at) {
  const boost::json::string* text = value.if_string();
  if (text == nullptr) {
    faults_.add("invalid_member", at, format("expected a string, found {}", kind_name(value)));
    return {};
  }
  if (text->empty()) faults_.add("invalid_member", at, "the string is empty; write a value or remove the member");
  return std::string(view(*text));
}

std::string ClosedObject::text(std::string_view name) {
  const boost::json::value* value = required(name);
  return value == nullptr ? std::string() : text_of(*value, pointer(name));
}

std::string ClosedObject::optional_text(std::string_view name) {
  const boost::json::value* value = optional(name);
  return value == nullptr ? std::string() : text_of(*value, pointer(name));
}

std::string ClosedObject::choice(std::string_view name, std::initializer_list<std::string_view> choices) {
  std::string chosen = text(name);
  if (optional(name) != nullptr && std::ranges::find(choices, chosen) == choices.end()) {
    faults_.add("invalid_member", pointer(name),
                format("\"{}\" is {}; it must be one of: {}", name, in_quotes(chosen), list(choices)));
  }
  return chosen;
}

bool ClosedObject::boolean(std::string_view name) {
  const boost::json::value* value = required(name);
  if (value == nullptr) return false;
  if (const bool* flag = value->if_bool()) return *flag;
  faults_.add("invalid_member", pointer(name), format("expected true or false, found {}", kind_name(*value)));
  return false;
}

std::optional<std::int64_t> ClosedObject::optional_integer(std::string_view name, std::int64_t least) {
  const boost::json::value* value = optional(name);
  if (value == nullptr) return std::nullopt;
  const std::int64_t* number = value->if_int64();
  if (number == nullptr || *number < least) {
    faults_.add("invalid_member", pointer(name), format("\"{}\" must be an integer of at least {}", name, least));
    return std::nullopt;
  }
  return *number;
}

std::vector<std::string> ClosedObject::texts_of(const boost::json::value& value, const std::string& at) {
  std::vector<std::string> out;
  const boost::json::array* array = value.if_array();
  if (array == nullptr || array->empty()) {
    faults_.add(
        "invalid_member", at,
        format("expected an array with at least one string, found {}", array == nullptr ? kind_name(value) : "an empty one"));
    return out;
  }
  std::set<std::string_view> seen;
  for (std::size_t index = 0; index < array->size(); ++index) {
    const std::string place = child_pointer(at, index);
    out.push_back(text_of((*array)[index], place));
    if (const boost::json::string* text = (*array)[index].if_string(); text != nullptr && !seen.insert(view(*text)).second) {
      faults_.add("invalid_member", place, format("{} appears twice; remove one", in_quotes(view(*text))));
    }
  }
  return out;
}

std::vector<std::string> ClosedObject::texts(std::string_view name) {
  const boost::json::value* value = required(name);
  return value == nullptr ? std::vector<std::string>() : texts_of(*value, pointer(name));
}

std::vector<std::string> ClosedObject::optional_texts(std::string_view name) {
  const boost::json::value* value = optional(name);
  return value == nullptr ? std::vector<std::string>() : texts_of(*value, pointer(name));
}

void ClosedObject::each(std::string_view name, const Element& use) {
  const boost::json::value* value = required(name);
  if (value != nullptr && value->is_array() && value->get_array().empty()) {
    faults_.add("invalid_member", pointer(name), format("\"{}\" needs at least one element", name));
  }
  optional_each(name, use);
}

void ClosedObject::optional_each(std::string_view name, const Element& use) {
  const boost::json::value* value = optional(name);
  if (value == nullptr) return;
  const boost::json::array* array = value->if_array();
  if (array == nullptr) {
    faults_.add("invalid_member", pointer(name), format("expected an array, found {}", kind_name(*value)));
    return;
  }
  const std::string at = pointer(name);
  for (std::size_t index = 0; index < array->size(); ++index) use((*array)[index], child_pointer(at, index));
}

}  // namespace ladder::model
