// The next call, ready to be made: which tool, with which arguments. Every cut and every page carries one (design, section 1).
#pragma once

#include "api/ladder.h"
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

// Reads a field from there on. A record whose connection is not known can only be fetched.
ToolCall read_call(const model::RecordRef& record, std::string_view field_path, const api::Resume& from);
ToolCall read_call(const model::RecordRef& record, std::string_view id, std::string_view field_path,
                   const api::Resume& from);  // its id is made already
ToolCall cursor_call(const model::RecordRef& record, std::string_view field_path, std::string_view cursor,
                     std::int64_t limit_chars);
ToolCall fetch_call(const model::RecordRef& record);

// The same call again, its arguments as they came, but for the cursor (and changes_since, which a cursor goes on from).
ToolCall next_page_call(std::string_view tool, const boost::json::object& given, std::string_view cursor);

// The last line of a page: that call, or what to do where another server has more and no cursor to it; empty at the end.
inline constexpr std::string_view kMoreWithoutCursor =
    "more: the server gives no cursor to the rest; name one connection_id (schema lists them), narrow with filter, or raise "
    "limit";
inline constexpr std::string_view kMoreRelated =
    "raise expand_limit, or query_records of that stream with a filter on the foreign_key that schema prints";
std::string more_line(std::string_view tool, const boost::json::object& given, bool has_more, std::string_view cursor);

std::string line_of(const ToolCall& call);  // read_record_field args={…}
void write_call(json::Writer& out, json::Name key, const ToolCall& call);

// The address under which the owner finds a record (PDPP "source declarations"): absolute where the server has an address.
std::string citation_url(std::string_view provider_url, const model::RecordRef& record);

std::string record_uri(const model::RecordRef& record);
// A resource_link content item that leads to the record.
std::string record_link(const model::RecordRef& record, std::string_view title = {});
std::string window_uri(const model::RecordRef& record, std::string_view field_path, const api::Resume& from);
std::string blob_uri(const model::RecordRef& record, std::string_view field_path);

}  // namespace ladder::mcp
