#include "mcp/tools/property_texts.h"

#include "base/text/format.h"
#include "json/writer.h"

#include <algorithm>

namespace ladder::mcp {
namespace {

struct PropertyText {
  std::string_view tool, property, text;  // an empty tool applies to every tool without its own text
};

constexpr PropertyText kTexts[] = {
    {"aggregate", "limit", "Most groups; 10 unless given"},
    {"fetch", "stream", "With record_id, instead of id"},
    {"read_record_field", "cursor", "next_cursor or previous_cursor of a read"},
    {"read_record_field", "stream", "With record_id, instead of id"},
    {"search", "order", "relevance unless given"},
    {"", "after_chars", "With q; 2048 unless given"},
    {"", "also", "Other wordings, synonyms or translations of the query, searched together with it"},
    {"", "before_chars", "With q; 2048 unless given"},
    {"", "changes_since", "\"beginning\", or next_changes_since"},
    {"", "connection_id", "Which source, as schema prints it"},
    {"", "count", "Count all matches too"},
    {"", "cursor", "next_cursor of the page before"},
    {"", "detail", "full: the complete declaration"},
    {"", "expand", "Relations to add, from schema"},
    {"", "expand_limit", "Most records by relation"},
    {"", "field", "For all metrics but count"},
    {"", "field_path", "Field name, or JSON Pointer such as /blocks/3/text"},
    {"", "fields", "Only these fields"},
    {"", "filter", "Field to value, or to gte, gt, lte, lt; all must hold"},
    {"", "granularity", "Length of a time bucket"},
    {"", "group", "From the call printed after a hit's +N more: lists that thread or chat"},
    {"", "group_by", "Field whose values are groups"},
    {"", "group_by_time", "Time field, with granularity"},
    {"", "id", "Record id as printed"},
    {"", "limit", "Most results of a page"},
    {"", "limit_chars", "4096 unless given"},
    {"", "match", "all: every word must occur"},
    {"", "metric", "What to compute"},
    {"", "offset_chars", "Start at this character"},
    {"", "order", "desc (newest first) unless given"},
    {"", "q", "Read around the first match of this text"},
    {"", "query", "Words or a question, as a person asks it"},
    {"", "record_id", "Record key, with stream"},
    {"", "since", "Date or time, inclusive"},
    {"", "sort", "The cursor field; -field descends"},
    {"", "stream", "Stream name, as schema prints it"},
    {"", "streams", "Only these streams"},
    {"", "time_zone", "IANA name; UTC unless given"},
    {"", "until", "Date or time, exclusive"},
    {"", "view", "A declared set of fields"},
};

}  // namespace

std::string with_property_texts(std::string_view tool, std::string schema) {
  for (const PropertyText& one : kTexts) {
    const bool is_own = one.tool == tool;
    if (!is_own && !one.tool.empty()) continue;
    const std::string key = format("\"{}\":{{", one.property);
    const std::size_t at = schema.find(key);
    if (at == std::string::npos) continue;
    constexpr std::string_view kDescription = "\"description\":";
    const std::size_t inside = at + key.size();
    if (schema.compare(inside, kDescription.size(), kDescription) == 0) continue;  // the tool has its own text
    std::string text(kDescription);
    json::append_string(text, one.text);
    schema.insert(inside, text + ",");
  }
  return schema;
}

}  // namespace ladder::mcp
