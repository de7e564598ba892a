// The content ladder in structuredContent, and the URIs of the same fields in _meta (contract mcp-adapter 2.8 and 3).
#pragma once

#include "evidence/ladder.h"
#include "json/writer.h"
#include "mcp/calls.h"

#include <span>
#include <string_view>

namespace ladder::mcp {

// What is made already of a record: its id and, if it has a single field, the call that reads it.
struct MadeNames {
  std::string_view id = {};
  const ToolCall* read = nullptr;
};

// "content_ladder": {kind, read_tool, records:[…]}; nothing at all without records. `made`: of each record, or of none.
void write_ladder(json::Writer& out, std::string_view kind, std::span<const evidence::LadderRecord> records, bool calls = true,
                  std::span<const MadeNames> made = {});
// The same of one record, its members at the top. Without `calls` the entries only describe: their calls stand elsewhere.
void write_ladder(json::Writer& out, const evidence::LadderRecord& record, bool calls);

// An entry of binary_fields: type, size, digest and, with `handle`, where the bytes can be had.
void write_binary_field(json::Writer& out, const model::RecordRef& record, const evidence::LadderField& field, bool handle);

// {"dev.pdpp/resources":[{id, record_uri, fields:[{field_path, uri}]}]}; empty without records.
std::string resources_meta(std::span<const evidence::LadderRecord> records, std::span<const MadeNames> made = {});

}  // namespace ladder::mcp
