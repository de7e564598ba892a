// Parses a server's response: strict about what an operation needs, tolerant of everything else. Unknown members are ignored.
// The first missing member or wrong type is recorded, and the whole response is then rejected. Values are views into the body,
// so that records keep their exact bytes (design D20).
#pragma once

#include "base/error/error.h"
#include "json/scan/scan.h"

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ladder::remote {

// Records the first problem of a response, e.g. "data[3].stream is missing".
class Complaint {
 public:
  void add(std::string what) {
    if (what_.empty()) what_ = std::move(what);
  }
  bool none() const { return what_.empty(); }
  const std::string& what() const { return what_; }

 private:
  std::string what_;
};

class List;

// A JSON object of a response. Readers return a value for any input; `complaint` tells whether it is valid.
class Object {
 public:
  Object(const json::Value& object, std::string path, Complaint& complaint);
  static Object none(std::string path, Complaint& complaint) { return {json::Value{}, std::move(path), complaint}; }

  // Returns the first of these names that is present and not null.
  const json::Value* find(std::string_view name) const;
  const json::Value* find(std::initializer_list<std::string_view> names) const;
  bool has(std::string_view name) const { return find(name) != nullptr; }
  bool mentions(std::string_view name) const;  // also true for null

  // Records a complaint if the member is missing or has another type.
  std::string text(std::string_view name) const;
  std::int64_t integer(std::string_view name) const;
  bool boolean(std::string_view name) const;
  Object object(std::string_view name) const;
  List list(std::string_view name) const;

  // Returns the default if the member is missing or null; records a complaint if it has another type.
  std::string text_or(std::string_view name, std::string_view otherwise) const;
  std::string text_if_any(std::string_view name) const { return text_or(name, {}); }
  std::int64_t integer_or(std::string_view name, std::int64_t otherwise) const;
  std::optional<std::int64_t> integer_if_any(std::string_view name) const;
  bool boolean_or(std::string_view name, bool otherwise) const;
  std::vector<std::string> texts(std::string_view name) const;
  std::optional<Object> object_if_any(std::string_view name) const;
  List list_if_any(std::string_view name) const;

  // Returns the default if the member is missing or has another type. For optional hints.
  std::string hint(std::string_view name) const;
  std::string hint(std::initializer_list<std::string_view> names) const;

  const std::vector<std::pair<std::string, json::Value>>& members() const& { return members_; }  // in order
  const std::vector<std::pair<std::string, json::Value>>& members() const&& = delete;
  std::string_view json() const { return value_.text; }
  Object at(std::string_view name, const json::Value& value) const;  // returns a member as an object
  std::string path_of(std::string_view name) const;
  void complain(std::string_view name, std::string_view what) const;

 private:
  json::Value value_;
  std::vector<std::pair<std::string, json::Value>> members_;
  std::string path_;
  Complaint* complaint_;
};

// The elements of an array, objects by default.
class List {
 public:
  List(std::optional<json::Value> array, std::string path, Complaint& complaint);
  std::vector<Object> objects() const;  // records a complaint for an element of another type
  const std::vector<json::Value>& values() const& { return values_; }
  const std::vector<json::Value>& values() const&& = delete;  // would dangle during iteration
  Object at(std::size_t index) const;

 private:
  std::vector<json::Value> values_;
  std::string path_;
  Complaint* complaint_;
};

// A response body. Objects created from it point into `text`, which must outlive them.
class Answer {
 public:
  // Returns the problem if the text is not exactly one JSON value.
  static std::expected<Answer, std::string> parse(std::string_view text);

  bool is_array() const { return value_.kind == json::Kind::kArray; }
  Object object() { return {value_, "", complaint_}; }
  List list() { return {value_, "", complaint_}; }
  Complaint& complaint() { return complaint_; }

 private:
  json::Value value_;
  Complaint complaint_;
};

// Returns the text of a JSON string, or any other value as JSON.
std::string plain_text(const json::Value& value);
std::optional<std::int64_t> integer_of(const json::Value& value);

}  // namespace ladder::remote
