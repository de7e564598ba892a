// The content ladder in structuredContent, and the URIs of the same fields in _meta (PDPP "content ladder"). Each thing
// stands once: a field's entry names where reading goes on by the very arguments of the tool that `read_tool` names, `id` being
// its record's, and what every record or field of a ladder has in common stands in `common`.
#pragma once

#include "api/ladder.h"
#include "json/writer.h"
#include "mcp/tools/calls.h"

#include <span>
#include <string_view>

namespace ladder::mcp {

// "content_ladder": {kind, read_tool, records:[…]}; nothing at all without records. `ids`: of each record where they are made
// already, else none.
void write_ladder(json::Writer& out, std::string_view kind, std::span<const api::LadderRecord> records,
                  std::span<const std::string_view> ids = {});
// The same of one record, its members at the top.
void write_ladder(json::Writer& out, const api::LadderRecord& record);

// An entry of binary_fields: type, size, digest and where the bytes can be had.
void write_binary_field(json::Writer& out, const model::RecordRef& record, const api::LadderField& field);

// {"dev.pdpp/resources":[{id, record_uri, fields:[{field_path, uri}]}]}; empty without records.
std::string resources_meta(std::span<const api::LadderRecord> records, std::span<const std::string_view> ids = {});

}  // namespace ladder::mcp
