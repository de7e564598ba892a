// The bodies of contract 3.4, 6 and 8: what a resource server answers, as JSON, for every adapter that shows one. `data` is
// spliced in as it is. One file per subject: render_records.cpp, render_stream.cpp, render_schema.cpp, render_compact.cpp,
// render_aggregate.cpp, render_search.cpp.
#pragma once

#include "evidence/field_window.h"
#include "json/writer.h"
#include "port/aggregate.h"
#include "port/records.h"
#include "port/schema.h"
#include "port/search.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::port {

// `links` and `meta`, which end every answer (contract 6.1).
struct Ending {
  std::string_view self = {};         // the request's target
  std::string_view next_cursor = {};  // of a list with more
  bool is_list = false;
  CountResult count = {};
  std::optional<CorpusWindow> window = {};
  std::vector<Warning> warnings = {};
};

enum class SchemaForm : std::uint8_t { kFull, kCompact };

std::string render(const RecordsPage& page, std::string_view path, Ending ending);
std::string render(const Record& record, const Ending& ending);
std::string render(const evidence::FieldWindow& window, const Ending& ending);
std::string render(const AggregateRequest& request, const AggregateResult& result, Ending ending);
// The owner's records are told apart by their source (contract 8.7).
std::string render(const SearchPage& page, bool for_owner, std::string_view path, Ending ending);
// `counted`: with how many connectors and streams there are, as a narrowed or compact answer has it.
std::string render_schema(const SchemaView& view, SchemaForm form, bool counted, const Ending& ending);
std::string render_stream(const SourceView& source, const StreamView& stream, const Ending& ending);

}  // namespace ladder::port
