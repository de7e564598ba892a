// The bodies of PDPP "records", "reads" and "search": what a resource server answers, as JSON, for every adapter that shows one.
// `data` is spliced in as it is. One file per subject: render_records.cpp, render_schema.cpp, render_schema.cpp,
// render_schema.cpp, render_records.cpp, render_search.cpp.
#pragma once

#include "api/field_window.h"
#include "api/records.h"
#include "api/schema.h"
#include "api/search.h"
#include "json/writer.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::api {

// `links` and `meta`, which end every answer (PDPP "reads").
struct Ending {
  std::string_view self = {};         // the request's target
  std::string_view next_cursor = {};  // of a list with more
  bool is_list = false;
  CountResult count = {};
  std::optional<CorpusWindow> window = {};
  std::vector<Warning> warnings = {};
  std::string_view imports = {};  // JSON: what came into the streams of a schema; nothing where it is empty
};

enum class SchemaForm : std::uint8_t { kFull, kCompact };

std::string render(const RecordsPage& page, std::string_view path, Ending ending);
std::string render(const Record& record, const Ending& ending);
std::string render(const api::FieldWindow& window, const Ending& ending);
std::string render(const AggregateRequest& request, const AggregateResult& result, Ending ending);
// The owner's records are told apart by their source (PDPP "search").
std::string render(const SearchPage& page, bool for_owner, std::string_view path, Ending ending);
// `counted`: with how many connectors and streams there are, as a narrowed or compact answer has it.
std::string render_schema(const SchemaView& view, SchemaForm form, bool counted, const Ending& ending);
std::string render_stream(const SourceView& source, const StreamView& stream, const Ending& ending);

// Parts that the renderings share.
void write_ending(json::Writer& out, const Ending& ending);  // links and meta
void write_links(json::Writer& out, const Ending& ending);
void write_warnings(json::Writer& out, const std::vector<Warning>& warnings);
void write_names(json::Writer& out, std::string_view key, const std::vector<std::string>& names);
void write_source(json::Writer& out, const SourceView& source);  // source, connector_key, connector_id
void write_connections(json::Writer& out, std::string_view key, const std::vector<ConnectionView>& connections);
void write_freshness(json::Writer& out);

// The members of a stream's metadata, without braces.
void write_stream(json::Writer& out, const StreamView& stream);
// The same in short: a line of flags a field. An index leaves the fields out; `connections` is left out where the connector
// already says the same.
struct CompactParts {
  bool connections = true;
  bool fields = true;
};
void write_compact_stream(json::Writer& out, const SourceView& source, const StreamView& stream, CompactParts parts);
// Flags of what may be asked of a field, e.g. "t=string,eq,lex"; docs/mcp.md has the legend.
std::string field_flags(const FieldView& field);
// The set of connections that most streams of the source have; null when no stream has any.
const std::vector<ConnectionView>* common_connections(const SourceView& source);
bool same_connections(const std::vector<ConnectionView>& a, const std::vector<ConnectionView>& b);
void write_bearer(json::Writer& out, const SchemaView& view);  // who asks

// How many records have every word, and what is known of each word of the query.
void write_search_words(json::Writer& out, const SearchPage& page);
// `meta` of a search: how many hits there are, how far it went, what it warns of.
// kBrief leaves out empty lists and what a complete search always says.
enum class MetaForm : std::uint8_t { kWhole, kBrief };
void write_search_meta(json::Writer& out, const SearchPage& page, const std::vector<Warning>& warnings,
                       MetaForm form = MetaForm::kWhole);

// Limits of an expansion whose declaration gives none (PDPP "record lists").
inline constexpr std::int64_t kExpandDefaultLimit = 10;
inline constexpr std::int64_t kExpandMaxLimit = 50;

}  // namespace ladder::api
