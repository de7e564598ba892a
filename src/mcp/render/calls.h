// The next call, ready to be made: a tool and its arguments. Every truncated response and every page contains one (design,
// section 1).
#pragma once

#include "api/content_ladder.h"
#include "json/writer.h"
#include "model/record_id.h"

#include <boost/json/object.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace ladder::mcp {

struct ToolCall {
  std::string tool;
  std::string args;  // a JSON object
};

// Returns the call that reads a field from there on. A record with an unknown connection can only be fetched.
ToolCall read_call(const model::RecordRef& record, std::string_view field_path, const api::Resume& from);
ToolCall read_call(const model::RecordRef& record, std::string_view id, std::string_view field_path,
                   const api::Resume& from);  // with an existing id
ToolCall cursor_call(const model::RecordRef& record, std::string_view field_path, std::string_view cursor,
                     std::int64_t limit_chars);
ToolCall fetch_call(const model::RecordRef& record);

// Returns the same call with its original arguments and the given cursor (and without changes_since, which the cursor
// replaces).
ToolCall next_page_call(std::string_view tool, const boost::json::object& given, std::string_view cursor);

// The last line of a page: the call, or advice if another server has more results but no cursor; empty at the end.
inline constexpr std::string_view kMoreWithoutCursor =
    "more: the server gives no cursor to the rest; name one connection_id (schema lists them), narrow with filter, or raise "
    "limit";
inline constexpr std::string_view kMoreRelated =
    "raise expand_limit, or query_records of that stream with a filter on the foreign_key that schema prints";
std::string more_line(std::string_view tool, const boost::json::object& given, bool has_more, std::string_view cursor);

std::string line_of(const ToolCall& call);  // read_record_field args={…}
void write_call(json::Writer& out, json::Name key, const ToolCall& call);

// Returns the address of a record for its owner (PDPP "source declarations"): absolute if the server's address is known.
std::string citation_url(std::string_view provider_url, const model::RecordRef& record);

std::string record_uri(const model::RecordRef& record);
// Returns a resource_link content item for the record.
std::string record_link(const model::RecordRef& record, std::string_view title = {});
std::string window_uri(const model::RecordRef& record, std::string_view field_path, const api::Resume& from);
std::string blob_uri(const model::RecordRef& record, std::string_view field_path);

}  // namespace ladder::mcp
