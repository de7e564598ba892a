// The steps of parse_declaration, each in its own file: manifest → Core document → shape → schemas → meaning.
#pragma once

#include "base/error/error.h"
#include "model/closed_object.h"
#include "model/declaration/declaration.h"

#include <boost/json/value.hpp>

#include <string>
#include <string_view>

namespace ladder::model::parts {

inline constexpr std::string_view kFamily = "source.declaration";

// The Core document inside the document that the owner supplied (manifest.cpp).
struct CoreDocument {
  boost::json::value tree;
  std::string text;     // minified, members in declared order
  std::string pointer;  // its position in the owner's document: "" or "/source_declaration"
};
Result<CoreDocument> core_document(boost::json::value document, std::string_view checked_text);

// Reads a stream's JSON Schema into fields and compiles it (declaration_schema.cpp).
void read_schema(Faults& faults, const boost::json::value* schema, const std::string& pointer, Stream& stream);

// Fills the fields of the declared levels, and derives levels for streams without (levels.cpp).
void set_levels(Faults& faults, SourceDeclaration& declaration, const std::string& pointer);

// Checks references between names, the types that queries need, and duplicates (declaration_validate.cpp).
void validate(Faults& faults, const SourceDeclaration& declaration, const std::string& pointer);

std::string stream_subject(std::string_view name);  // its name in messages: stream "notes"

}  // namespace ladder::model::parts
