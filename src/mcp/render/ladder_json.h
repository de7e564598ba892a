// The content ladder in structuredContent, and the URIs of the same fields in _meta (PDPP "content ladder"). Every entry is
// complete in itself (design D34): the identity of its record and field, how much is shown, and `read`, the call that goes on.
#pragma once

#include "api/ladder.h"
#include "json/writer.h"
#include "mcp/tools/calls.h"

#include <span>
#include <string_view>

namespace ladder::mcp {

// "content_ladder": {kind, records:[…]}; nothing at all if no record has anything left to read. `ids`: of each record if they are
// made already.
void write_ladder(json::Writer& out, std::string_view kind, std::span<const api::LadderRecord> records,
                  std::span<const std::string_view> ids = {});
// The same of one record, its members at the top.
void write_ladder(json::Writer& out, const api::LadderRecord& record);

// An entry of binary_fields: type, size, digest and where the bytes can be had.
void write_binary_field(json::Writer& out, const model::RecordRef& record, const api::LadderField& field);

// {"dev.pdpp/resources":[{id, record_uri, fields:[{field_path, uri}]}]} of the first records; empty without records.
inline constexpr std::size_t kMaxUriRecords = 25;
std::string resources_meta(std::span<const api::LadderRecord> records, std::span<const std::string_view> ids = {},
                           std::size_t most = kMaxUriRecords);

}  // namespace ladder::mcp
