// Converts the JSON of a response to the types of the port, one function per operation (PDPP "reads", and the variants of other
// servers: PDPP "servers and adapters"). Problems are recorded in the response's Complaint.
#pragma once

#include "api/resource_port.h"
#include "api/schema.h"
#include "remote/answer.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ladder::remote {

api::SchemaView read_schema(Answer& answer);

// A member that the response omits has the requested value.
api::RecordsPage read_records(Answer& answer, const model::RecordRef& asked);
api::Record read_record(Answer& answer, const model::RecordRef& asked);

api::AggregateResult read_aggregate(Answer& answer);
api::SearchPage read_search(Answer& answer);

struct WindowRead {
  api::FieldWindow window;
  bool seals_cursors = false;  // the server creates its own cursors; else it supports only offsets
};
// Uses at most `most_chars` of its text, in code points, whatever unit the server uses.
WindowRead read_window(Answer& answer, const api::FieldWindowRequest& asked, std::int64_t most_chars);

// --- shared ---
std::vector<api::Warning> read_warnings(const Object& meta);
std::string connection_of(const Object& object);

// The fields of a stream and their allowed uses, in full form or as flag lines (PDPP "schema and streams").

// Parses one member of `field_capabilities`.
api::FieldView read_field(const Object& fields, const std::string& name, const json::Value& value);

// Snippets with matches between <mark> and </mark>, which some servers insert into the owner's text (PDPP "search").
struct MarkedText {
  std::string text;                                           // without the marks
  std::vector<std::pair<std::int64_t, std::int64_t>> marked;  // [start, end) in chars of it
};

// Unpaired marks belong to the owner's text, which then stays unchanged.
MarkedText without_marks(std::string_view text);

}  // namespace ladder::remote
