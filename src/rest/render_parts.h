// What the renderings share.
#pragma once

#include "json/writer.h"
#include "rest/render.h"

#include <string>
#include <string_view>
#include <vector>

namespace ladder::rest {

void write_ending(json::Writer& out, const Ending& ending);  // links and meta
void write_links(json::Writer& out, const Ending& ending);
void write_warnings(json::Writer& out, const std::vector<port::Warning>& warnings);
void write_names(json::Writer& out, std::string_view key, const std::vector<std::string>& names);
void write_source(json::Writer& out, const port::SourceView& source);  // source, connector_key, connector_id
void write_connections(json::Writer& out, std::string_view key, const std::vector<port::ConnectionView>& connections);
void write_freshness(json::Writer& out);

// The members of a stream's metadata, without braces.
void write_stream(json::Writer& out, const port::StreamView& stream);
// The same in short: a line of flags a field. `connections` is left out when the connector already says the same.
void write_compact_stream(json::Writer& out, const port::SourceView& source, const port::StreamView& stream,
                          bool with_connections);

// Limits of an expansion whose declaration gives none (contract 6.6).
inline constexpr std::int64_t kExpandDefaultLimit = 10;
inline constexpr std::int64_t kExpandMaxLimit = 50;

}  // namespace ladder::rest
