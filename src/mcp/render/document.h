// One record as a document (PDPP "documents"): title, text, time and url from what its source declares and from nothing
// else (design D22); what does not fit is listed with the call that reads on.
#pragma once

#include "api/ladder.h"
#include "api/records.h"
#include "api/schema.h"
#include "json/writer.h"
#include "mcp/tools/tools.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ladder::mcp {

// How much of a record a document shows.
struct DocumentBounds {
  std::int64_t text_chars;             // of the text
  std::int64_t field_chars;            // of one string in it
  bool every_read_call = true;         // else one read call stands for all
  std::size_t most_listed = SIZE_MAX;  // of the fields that are cut

  std::size_t most_binary() const { return most_listed == SIZE_MAX ? most_listed : most_listed / 2; }
};

struct Document {
  std::string id, title, url, time, author;
  std::string text;
  bool text_complete = true;
  std::int64_t text_chars = 0;         // of the text if nothing were cut
  std::string fields;                  // JSON object of the fields that are told nowhere else; empty when there are none
  std::vector<api::LadderField> more;  // cut or left out, in the record's order
  std::vector<api::LadderField> binary;
  std::vector<std::string> omitted;  // numbers and the like for which there was no room

  bool is_complete() const { return more.empty() && omitted.empty(); }
};

// `record` has been trimmed to kDocumentTextChars; `declared` may be null.
Document make_document(const Context& context, const api::Record& record, const api::StreamView* declared,
                       const DocumentBounds& bounds);

// The members of the document, without braces and without the ladder.
void write_document(json::Writer& out, const api::Record& record, const Document& document, const DocumentBounds& bounds);

api::LadderRecord ladder_of(const api::Record& record, const Document& document, const DocumentBounds& bounds);

}  // namespace ladder::mcp
