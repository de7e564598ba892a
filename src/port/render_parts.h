// What the renderings share.
#pragma once

#include "json/writer.h"
#include "port/render.h"

#include <string>
#include <string_view>
#include <vector>

namespace ladder::port {

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
// What may be asked of a field, e.g. "t=string,eq,lex"; docs/mcp.md has the legend.
std::string field_flags(const FieldView& field);
// The set of connections that most streams of the source have; null when no stream has any.
const std::vector<ConnectionView>* common_connections(const SourceView& source);
bool same_connections(const std::vector<ConnectionView>& a, const std::vector<ConnectionView>& b);
void write_bearer(json::Writer& out, const SchemaView& view);  // who asks

// `meta` of a search: how many hits there are, how far it went, what it warns of.
void write_search_meta(json::Writer& out, const SearchPage& page, const std::vector<Warning>& warnings);

// Limits of an expansion whose declaration gives none (contract 6.6).
inline constexpr std::int64_t kExpandDefaultLimit = 10;
inline constexpr std::int64_t kExpandMaxLimit = 50;

}  // namespace ladder::port
