// Validates record data against the part of JSON Schema 2020-12 that Ladder enforces (design D22): type, enum, const,
// required, properties, additionalProperties, items, minimum, maximum, exclusiveMinimum, exclusiveMaximum, minLength,
// maxLength, minItems, maxItems, minProperties, maxProperties and local $ref. Other keywords are accepted and listed,
// never partly enforced. Works on checked text in one pass, without a tree, so validating a gigabyte needs memory for
// its depth only.
#pragma once

#include "base/error/error.h"
#include "json/scan/scan.h"

#include <boost/json/fwd.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::json {

struct Violation {
  std::string pointer;  // position in the data, RFC 6901
  std::string message;  // the violated rule, without the value itself
};

// Compiled once, immutable; thread-safe. A default-constructed schema is the schema `true`.
class Schema {
 public:
  // kConnectorInvalid when the schema itself is malformed or refers outside the document.
  static Result<Schema> compile(const boost::json::value& schema);

  std::optional<Violation> validate(const Value& checked) const;

  // JSON pointers of keywords that are accepted but not enforced, e.g. "/properties/mail/format".
  const std::vector<std::string>& unenforced() const;

 private:
  struct Program;
  std::shared_ptr<const Program> program_;
};

}  // namespace ladder::json
