// Renders the response bodies of PDPP "records", "reads" and "search" as JSON, for all adapters. `data` is inserted
// unchanged. The files are render_records.cpp, render_schema.cpp and render_search.cpp.
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

// `links` and `meta`, which end every response (PDPP "reads").
struct ResponseTail {
  std::string_view self = {};         // the request's target
  std::string_view next_cursor = {};  // of a list with more pages
  bool is_list = false;
  CountResult count = {};
  std::optional<CorpusWindow> window = {};
  std::vector<Warning> warnings = {};
  std::string_view imports = {};  // JSON: imports per stream of a schema; omitted if empty
};

enum class SchemaForm : std::uint8_t { kFull, kCompact };

std::string render(const RecordsPage& page, std::string_view path, ResponseTail response_tail);
std::string render(const Record& record, const ResponseTail& response_tail);
std::string render(const api::FieldWindow& window, const ResponseTail& response_tail);
std::string render(const AggregateRequest& request, const AggregateResult& result, ResponseTail response_tail);
// Results for the owner include the source, to distinguish records (PDPP "search").
std::string render(const SearchPage& page, bool for_owner, std::string_view path, ResponseTail response_tail);
// `counted`: includes the number of connectors and streams, for narrowed or compact responses.
std::string render_schema(const SchemaView& view, SchemaForm form, bool counted, const ResponseTail& response_tail);
std::string render_stream(const SourceView& source, const StreamView& stream, const ResponseTail& response_tail);

// Parts shared by the renderers.
void write_response_tail(json::Writer& out, const ResponseTail& response_tail);  // links and meta
void write_links(json::Writer& out, const ResponseTail& response_tail);
void write_warnings(json::Writer& out, const std::vector<Warning>& warnings);
void write_source(json::Writer& out, const SourceView& source);  // source, connector_key, connector_id
void write_connections(json::Writer& out, std::string_view key, const std::vector<ConnectionView>& connections);
void write_freshness(json::Writer& out);

// Writes the members of a stream's metadata without braces.
void write_stream(json::Writer& out, const StreamView& stream);
// A short form with one line of flags per field. An index omits the fields; `connections` is omitted if the connector
// already lists the same.
struct CompactParts {
  bool connections = true;
  bool fields = true;
};
void write_compact_stream(json::Writer& out, const SourceView& source, const StreamView& stream, CompactParts parts);
// Returns the capabilities of a field as flags, e.g. "t=string,eq,lex"; docs/reference/mcp.md explains them.
std::string field_flags(const FieldView& field);
// Returns the most common set of connections among the source's streams; null if no stream has any.
const std::vector<ConnectionView>* common_connections(const SourceView& source);
bool same_connections(const std::vector<ConnectionView>& a, const std::vector<ConnectionView>& b);
void write_bearer(json::Writer& out, const SchemaView& view);  // the caller

// Writes how many records have every word, and the counts of each query word.
void write_search_words(json::Writer& out, const SearchPage& page);
// Writes the `meta` of a search: hit count, coverage and warnings. kBrief omits empty lists and members that are
// constant for a complete search.
enum class MetaForm : std::uint8_t { kWhole, kBrief };
void write_search_meta(json::Writer& out, const SearchPage& page, const std::vector<Warning>& warnings,
                       MetaForm form = MetaForm::kWhole);

// Limits of an expansion that declares none (PDPP "record lists").
inline constexpr std::int64_t kExpandDefaultLimit = 10;
inline constexpr std::int64_t kExpandMaxLimit = 50;

}  // namespace ladder::api
