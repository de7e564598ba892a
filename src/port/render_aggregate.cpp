// GET …/aggregate (contract 6.9): a value, or groups.
#include "port/render_parts.h"
#include "port/words.h"

namespace ladder::port {
namespace {

using json::Writer;

void write_text_or_null(Writer& out, std::string_view key, std::string_view text) {
  out.key(key);
  text.empty() ? out.null() : out.string(text);
}

void write_groups(Writer& out, const AggregateResult& result) {
  out.member("limit", result.limit).key("groups").begin_array();
  for (const Group& group : result.groups) {
    out.begin_object().key("key");
    group.key_json ? out.raw(*group.key_json) : out.null();
    out.member("count", group.count).end_object();
  }
  out.end_array().member("other_count", result.other_count);
}

}  // namespace

std::string render(const AggregateRequest& request, const AggregateResult& result, Ending ending) {
  const bool by_time = !request.group_by_time.empty();
  Writer out;
  out.begin_object().member("object", "aggregation").member("stream", request.stream);
  out.member("metric", word_of(kMetricWords, request.metric));
  write_text_or_null(out, "field", request.field);
  write_text_or_null(out, "group_by", request.group_by);
  write_text_or_null(out, "group_by_time", request.group_by_time);
  write_text_or_null(out, "granularity", request.granularity ? word_of(kGranularityWords, *request.granularity) : "");
  write_text_or_null(out, "time_zone", !by_time ? "" : request.time_zone.empty() ? "UTC" : request.time_zone);
  out.member("approximate", result.approximate).member("filtered_record_count", result.filtered_record_count);
  if (by_time || !request.group_by.empty()) {
    write_groups(out, result);
  } else {
    out.key("value");
    result.value_json.empty() ? out.null() : out.raw(result.value_json);
  }
  ending.warnings.insert(ending.warnings.end(), result.warnings.begin(), result.warnings.end());
  write_ending(out, ending);
  return out.end_object().take();
}

}  // namespace ladder::port
