#include "remote/answer.h"

#include "base/limits.h"
#include "base/text/format.h"
#include "base/text/number.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace ladder::remote {
namespace {

using json::Kind;
using json::Value;

constexpr std::size_t kMaxDepth = limits::kMaxJsonDepth + 16;  // the deepest record inside its envelope
constexpr std::size_t kShownNameBytes = 64;

std::string_view word_of(Kind kind) {
  switch (kind) {
    case Kind::kObject:
      return "object";
    case Kind::kArray:
      return "array";
    case Kind::kString:
      return "string";
    case Kind::kNumber:
      return "number";
    case Kind::kBool:
      return "boolean";
    default:
      return "null";
  }
}

}  // namespace

std::string plain_text(const Value& value) {
  return value.kind == Kind::kString ? json::decode_string(json::raw_content(value)) : std::string(value.text);
}

std::optional<std::int64_t> integer_of(const Value& value) {
  if (value.kind != Kind::kNumber) return std::nullopt;
  const char* const begin = value.text.data();
  const char* const end = begin + value.text.size();
  if (const auto whole = parse_number(value.text)) return whole;
  // Some servers write 3.0 or 1e3.
  constexpr double kMaxExact = 9'007'199'254'740'992.0;
  double number = 0;
  const auto [stopped, error] = std::from_chars(begin, end, number);
  if (error != std::errc() || stopped != end || std::trunc(number) != number || std::abs(number) > kMaxExact) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

Object::Object(const Value& object, std::string path, Complaint& complaint)
    : value_(object), path_(std::move(path)), complaint_(&complaint) {
  if (object.kind != Kind::kObject) return;
  for (json::Members members(object.text); members.next();) {
    members_.emplace_back(json::decode_string(members.raw_name()), members.value());
  }
}

const Value* Object::find(std::string_view name) const {
  const auto found = std::ranges::find_if(members_, [&](const auto& member) { return member.first == name; });
  return found == members_.end() || found->second.kind == Kind::kNull ? nullptr : &found->second;
}

const Value* Object::find(std::initializer_list<std::string_view> names) const {
  for (const std::string_view name : names) {
    if (const Value* const found = find(name)) return found;
  }
  return nullptr;
}

bool Object::mentions(std::string_view name) const {
  return std::ranges::any_of(members_, [&](const auto& member) { return member.first == name; });
}

std::string Object::path_of(std::string_view name) const {
  const std::string_view shown = name.substr(0, kShownNameBytes);
  return path_.empty() ? std::string(shown) : format("{}.{}", path_, shown);
}

void Object::complain(std::string_view name, std::string_view what) const {
  complaint_->add(format("{} {}", path_of(name), what));
}

std::string Object::text(std::string_view name) const {
  if (!has(name)) complain(name, "is missing");
  return text_if_any(name);
}

std::string Object::text_or(std::string_view name, std::string_view otherwise) const {
  const Value* const found = find(name);
  if (found && found->kind == Kind::kString) return plain_text(*found);
  if (found) complain(name, format("is not a string but a {}", word_of(found->kind)));
  return std::string(otherwise);
}

std::int64_t Object::integer(std::string_view name) const {
  if (!has(name)) complain(name, "is missing");
  return integer_or(name, 0);
}

std::int64_t Object::integer_or(std::string_view name, std::int64_t otherwise) const {
  return integer_if_any(name).value_or(otherwise);
}

std::optional<std::int64_t> Object::integer_if_any(std::string_view name) const {
  const Value* const found = find(name);
  if (!found) return std::nullopt;
  const auto whole = integer_of(*found);
  if (!whole) complain(name, "is not an integer");
  return whole;
}

bool Object::boolean(std::string_view name) const {
  if (!has(name)) complain(name, "is missing");
  return boolean_or(name, false);
}

bool Object::boolean_or(std::string_view name, bool otherwise) const {
  const Value* const found = find(name);
  if (found && found->kind == Kind::kBool) return found->text == "true";
  if (found) complain(name, format("is not a boolean but a {}", word_of(found->kind)));
  return otherwise;
}

std::vector<std::string> Object::texts(std::string_view name) const {
  std::vector<std::string> texts;
  const List list = list_if_any(name);  // keeps the list alive during the loop
  for (const Value& value : list.values()) {
    if (value.kind != Kind::kString) complain(name, "contains a value that is not a string");
    texts.push_back(plain_text(value));
  }
  return texts;
}

Object Object::object(std::string_view name) const {
  auto found = object_if_any(name);
  if (found) return *std::move(found);
  if (!has(name)) complain(name, "is missing");
  return none(path_of(name), *complaint_);
}

std::optional<Object> Object::object_if_any(std::string_view name) const {
  const Value* const found = find(name);
  if (!found) return std::nullopt;
  if (found->kind == Kind::kObject) return at(name, *found);
  complain(name, format("is not an object but a {}", word_of(found->kind)));
  return std::nullopt;
}

Object Object::at(std::string_view name, const Value& value) const { return {value, path_of(name), *complaint_}; }

List Object::list(std::string_view name) const {
  if (!has(name)) complain(name, "is missing");
  return list_if_any(name);
}

List Object::list_if_any(std::string_view name) const {
  const Value* const found = find(name);
  if (found && found->kind == Kind::kArray) return {*found, path_of(name), *complaint_};
  if (found) complain(name, format("is not an array but a {}", word_of(found->kind)));
  return {std::nullopt, path_of(name), *complaint_};
}

std::string Object::hint(std::string_view name) const {
  const Value* const found = find(name);
  return found && found->kind == Kind::kString ? plain_text(*found) : std::string();
}

std::string Object::hint(std::initializer_list<std::string_view> names) const {
  for (const std::string_view name : names) {
    if (std::string found = hint(name); !found.empty()) return found;
  }
  return {};
}

List::List(std::optional<Value> array, std::string path, Complaint& complaint) : path_(std::move(path)), complaint_(&complaint) {
  if (!array || array->kind != Kind::kArray) return;
  for (json::Elements elements(array->text); elements.next();) values_.push_back(elements.value());
}

Object List::at(std::size_t index) const { return {values_[index], format("{}[{}]", path_, index), *complaint_}; }

std::vector<Object> List::objects() const {
  std::vector<Object> objects;
  objects.reserve(values_.size());
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (values_[i].kind != Kind::kObject) {
      complaint_->add(format("{}[{}] is not an object but a {}", path_, i, word_of(values_[i].kind)));
      continue;
    }
    objects.push_back(at(i));
  }
  return objects;
}

std::expected<Answer, std::string> Answer::parse(std::string_view text) {
  if (const auto facts = json::check(text, kMaxDepth); !facts) {
    return std::unexpected(format("byte {}: {}", facts.error().offset, facts.error().what));
  }
  Answer answer;
  answer.value_ = json::value_of(text);
  return answer;
}

}  // namespace ladder::remote
