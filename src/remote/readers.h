// From the JSON of an answer to the types of the port, one function per operation (contract 3, 6, 7 and 8, and the other shapes
// that mcp-adapter 0.2 lists). What is wrong with an answer is left in its Complaint.
#pragma once

#include "port/resource_port.h"
#include "remote/answer.h"

namespace ladder::remote {

port::SchemaView read_schema(Answer& answer);

// What an answer leaves out is what was asked for.
port::RecordsPage read_records(Answer& answer, const model::RecordRef& asked);
port::Record read_record(Answer& answer, const model::RecordRef& asked);

port::AggregateResult read_aggregate(Answer& answer);
port::SearchPage read_search(Answer& answer);

struct WindowRead {
  evidence::FieldWindow window;
  bool seals_cursors = false;  // the server makes cursors of its own; else offsets are all it gives
};
// At most `most_chars` of its text are taken, counted in code points whatever the server counts.
WindowRead read_window(Answer& answer, const port::FieldWindowRequest& asked, std::int64_t most_chars);

// --- shared by these ---
std::vector<port::Warning> read_warnings(const Object& meta);
std::string connection_of(const Object& object);

}  // namespace ladder::remote
