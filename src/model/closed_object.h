// Reads closed JSON objects (declarations, grants, handles): every member has a known name and type; anything else is a
// fault. The first fault is stored with its rule and JSON pointer, and reading continues with empty values, so that the
// code that reads a document has no error branches and checks once at the end.
#pragma once

#include "base/error/error.h"

#include <boost/json/value.hpp>

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::model {

// The first fault of one document. Not thread-safe; one per document.
class Faults {
 public:
  // Rules are named family + "." + name, e.g. "source.declaration.missing_member".
  Faults(Code code, std::string_view family) : code_(code), family_(family) {}

  void add(std::string_view rule, std::string_view pointer, std::string_view message);
  bool any() const { return first_.has_value(); }
  Status status() const;

  // Sets a prefix for messages that names the current object: `stream "notes"`. Empty for the document itself.
  void set_subject(std::string subject) { subject_ = std::move(subject); }

 private:
  Code code_;
  std::string family_;
  std::string subject_;
  std::optional<Error> first_;
};

std::string child_pointer(std::string_view pointer, std::string_view name);
std::string child_pointer(std::string_view pointer, std::size_t index);

class ClosedObject {
 public:
  // `value` may be null (missing, which was already reported as a fault): then every member is silently absent. The
  // value must outlive the object. Without `members` the object is open, for maps whose names are data.
  ClosedObject(Faults& faults, const boost::json::value* value, std::string pointer,
               std::initializer_list<std::string_view> members);

  const boost::json::value* optional(std::string_view name) const;  // null when absent
  const boost::json::value* required(std::string_view name);

  std::string text(std::string_view name);                                                     // required and not empty
  std::string optional_text(std::string_view name);                                            // not empty if present
  std::string choice(std::string_view name, std::initializer_list<std::string_view> choices);  // required
  bool boolean(std::string_view name);                                                         // required
  std::optional<std::int64_t> optional_integer(std::string_view name, std::int64_t least);
  std::vector<std::string> texts(std::string_view name);           // required; strings, not empty, no duplicates, at least one
  std::vector<std::string> optional_texts(std::string_view name);  // the same if present

  using Element = std::function<void(const boost::json::value& element, const std::string& pointer)>;
  void each(std::string_view name, const Element& use);           // of a required array with at least one element
  void optional_each(std::string_view name, const Element& use);  // of an array that may be empty or absent

  const std::string& pointer() const { return pointer_; }
  std::string pointer(std::string_view name) const { return child_pointer(pointer_, name); }

 private:
  std::string text_of(const boost::json::value& value, const std::string& at);
  std::vector<std::string> texts_of(const boost::json::value& value, const std::string& at);

  Faults& faults_;
  const boost::json::object* object_ = nullptr;
  std::string pointer_;
};

// For messages: "a string", "null", …
std::string_view kind_name(const boost::json::value& value);

}  // namespace ladder::model
