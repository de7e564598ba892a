// The content ladder in structuredContent, and the URIs of the same fields in _meta (contract mcp-adapter 2.8 and 3).
#pragma once

#include "evidence/ladder.h"
#include "json/writer.h"

#include <span>
#include <string_view>

namespace ladder::mcp {

// "content_ladder": {kind, read_tool, records:[…]}; nothing at all without records.
void write_ladder(json::Writer& out, std::string_view kind, std::span<const evidence::LadderRecord> records, bool calls = true);
// The same of one record, its members at the top. Without `calls` the entries only describe: their calls stand elsewhere.
void write_ladder(json::Writer& out, const evidence::LadderRecord& record, bool calls);

// An entry of binary_fields: type, size, digest and, with `handle`, where the bytes can be had.
void write_binary_field(json::Writer& out, const model::RecordRef& record, const evidence::LadderField& field, bool handle);

// {"dev.pdpp/resources":[{id, record_uri, fields:[{field_path, uri}]}]}; empty without records.
std::string resources_meta(std::span<const evidence::LadderRecord> records);

}  // namespace ladder::mcp
