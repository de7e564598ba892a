// The content ladder in structuredContent, and the URIs of the same fields in _meta (PDPP "content ladder"). Every entry is
// self-contained (design D34): the record and field, how much is shown, and `read`, the call that continues.
#pragma once

#include "api/content_ladder.h"
#include "json/writer.h"
#include "mcp/context.h"
#include "mcp/render/calls.h"

#include <span>
#include <string_view>

namespace ladder::mcp {

// Writes "content_ladder": {kind, records:[…]}, or nothing if all records are complete. `ids`: the id of each record, if
// already computed.
void write_ladder(json::Writer& out, std::string_view kind, std::span<const api::LadderRecord> records,
                  std::span<const std::string_view> ids = {});
// Writes the ladder of one record, with its members at the top level.
void write_ladder(json::Writer& out, const api::LadderRecord& record);

// Writes an entry of binary_fields: type, size, digest and how to get the bytes.
void write_binary_field(json::Writer& out, const model::RecordRef& record, const api::LadderField& field);

// Writes {"dev.pdpp/resources":[{id, record_uri, fields:[{field_path, uri}]}]} for the first records; empty without records.
inline constexpr std::size_t kMaxUriRecords = 25;
std::string resources_meta(std::span<const api::LadderRecord> records, std::span<const std::string_view> ids = {},
                           std::size_t most = kMaxUriRecords);

// Writes the last members of structuredContent of schema, query_records, aggregate and search: provider_url and request_id. They
// come from the remote server if present, else from the transport.
void write_origin(json::Writer& out, const Context& context, std::string_view request_id);

}  // namespace ladder::mcp
