// Renders a record as a document (PDPP "documents"): title, text, time and url only from what its source declares (design D22).
// Anything that does not fit is listed with the call that continues reading.
#pragma once

#include "api/content_ladder.h"
#include "api/records.h"
#include "api/schema.h"
#include "json/writer.h"
#include "mcp/context.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ladder::mcp {

// How much of a record a document shows.
struct DocumentBounds {
  std::int64_t text_chars;             // of the text
  std::int64_t field_chars;            // per string in it
  bool every_read_call = true;         // false: one read call stands for all
  std::size_t most_listed = SIZE_MAX;  // truncated fields

  std::size_t most_binary() const { return most_listed == SIZE_MAX ? most_listed : most_listed / 2; }
};

struct Document {
  std::string id, title, url, time, author;
  std::string text;
  bool text_complete = true;
  std::int64_t text_chars = 0;         // full length of the text
  std::string fields;                  // JSON object of fields that are not shown elsewhere; empty if there are none
  std::vector<api::LadderField> more;  // truncated or omitted, in record order
  std::vector<api::LadderField> binary;
  std::vector<std::string> omitted;  // numbers and similar values that did not fit

  bool is_complete() const { return more.empty() && omitted.empty(); }
};

// `record` was trimmed to kDocumentTextChars; `declared` may be null.
Document make_document(const Context& context, const api::Record& record, const api::StreamView* declared,
                       const DocumentBounds& bounds);

// Writes the document's members, without braces and without the ladder.
void write_document(json::Writer& out, const api::Record& record, const Document& document, const DocumentBounds& bounds);

api::LadderRecord ladder_of(const api::Record& record, const Document& document, const DocumentBounds& bounds);

}  // namespace ladder::mcp
