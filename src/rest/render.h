// The shapes of contract 3.4, 5.3 and 6: what the resource server answers, as JSON. `data` is spliced in as it is. One file per
// subject: render_records.cpp, render_stream.cpp, render_schema.cpp, render_streams.cpp, render_aggregate.cpp, render_search.cpp,
// render_token.cpp.
#pragma once

#include "evidence/field_window.h"
#include "json/writer.h"
#include "port/aggregate.h"
#include "port/records.h"
#include "port/schema.h"
#include "port/search.h"
#include "rs/resource_server.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::rest {

// `links` and `meta`, which end every answer (contract 6.1).
struct Ending {
  std::string_view self = {};         // the request's target
  std::string_view next_cursor = {};  // of a list with more
  bool is_list = false;
  port::CountResult count = {};
  std::optional<port::CorpusWindow> window = {};
  std::vector<port::Warning> warnings = {};
};

enum class SchemaForm : std::uint8_t { kFull, kCompact };

std::string render(const port::RecordsPage& page, std::string_view path, Ending ending);
std::string render(const port::Record& record, const Ending& ending);
std::string render(const evidence::FieldWindow& window, std::string_view path, const Ending& ending);
std::string render(const port::AggregateRequest& request, const port::AggregateResult& result, Ending ending);
// The owner's records are told apart by their source (contract 8.7).
std::string render(const port::SearchPage& page, bool for_owner, std::string_view path, Ending ending);
// `counted`: with how many connectors and streams there are, as a narrowed or compact answer has it.
std::string render_schema(const port::SchemaView& view, SchemaForm form, bool counted, const Ending& ending);
std::string render_connectors(const port::SchemaView& view, Ending ending);
std::string render_streams(const port::SchemaView& view, Ending ending);
std::string render_stream(const port::SourceView& source, const port::StreamView& stream, const Ending& ending);
// RFC 7662; issuer and audience are left out when empty.
std::string render_token(const rs::TokenFacts& facts, std::string_view issuer, std::string_view audience);

}  // namespace ladder::rest
