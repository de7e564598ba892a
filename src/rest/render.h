// The shapes of contract 3.4 and 6: what the resource server answers, as JSON. `data` is spliced in as it is.
#pragma once

#include "evidence/field_window.h"
#include "json/writer.h"
#include "port/records.h"
#include "port/schema.h"

#include <string>
#include <string_view>
#include <vector>

namespace ladder::rest {

// `links` and `meta`, which end every answer (contract 6.1).
struct Ending {
  std::string_view self;         // the request's target
  std::string_view next_cursor;  // of a list with more
  bool is_list = false;
  port::CountResult count;
  std::vector<port::Warning> warnings;
};

std::string render(const port::RecordsPage& page, std::string_view path, Ending ending);
std::string render(const port::Record& record, Ending ending);
std::string render(const evidence::FieldWindow& window, std::string_view path, Ending ending);
std::string render_schema(const port::SchemaView& view, Ending ending);
std::string render_streams(const port::SchemaView& view, Ending ending);
std::string render_stream(const port::SourceView& source, const port::StreamView& stream, Ending ending);

}  // namespace ladder::rest
