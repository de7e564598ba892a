// From the JSON of an answer to the types of the port, one function per operation (PDPP "reads", and the other shapes
// that servers use: PDPP "servers and adapters"). What is wrong with an answer is left in its Complaint.
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

// A member that an answer leaves out has the value that was asked for.
api::RecordsPage read_records(Answer& answer, const model::RecordRef& asked);
api::Record read_record(Answer& answer, const model::RecordRef& asked);

api::AggregateResult read_aggregate(Answer& answer);
api::SearchPage read_search(Answer& answer);

struct WindowRead {
  api::FieldWindow window;
  bool seals_cursors = false;  // the server makes cursors of its own; else offsets are all it gives
};
// At most `most_chars` of its text are taken, counted in code points whatever the server counts.
WindowRead read_window(Answer& answer, const api::FieldWindowRequest& asked, std::int64_t most_chars);

// --- shared by these ---
std::vector<api::Warning> read_warnings(const Object& meta);
std::string connection_of(const Object& object);

// The fields of a stream and what may be asked of them, written in full or as a line of flags (PDPP "schema and streams").

// One member of `field_capabilities`.
api::FieldView read_field(const Object& fields, const std::string& name, const json::Value& value);

// Snippets with the matched words between <mark> and </mark>, as some servers write them into the owner's text (PDPP "search").
struct MarkedText {
  std::string text;                                           // without the marks
  std::vector<std::pair<std::int64_t, std::int64_t>> marked;  // [start, end) in chars of it
};

// Marks that do not come in pairs are the owner's own words: the text then stays as it is.
MarkedText without_marks(std::string_view text);

}  // namespace ladder::remote
