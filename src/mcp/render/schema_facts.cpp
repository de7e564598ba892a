#include "mcp/render/schema_facts.h"

#include "json/scan/scan.h"

#include <algorithm>

namespace ladder::mcp {
namespace {

constexpr std::int64_t kRecordsLookedAt = 100;  // the newest, in one page
constexpr std::int64_t kRecordsBytes = 64 * 1'024;
constexpr std::size_t kSamples = 3;
constexpr std::size_t kMaxSampleBytes = 60;  // of a value; longer ones are not filtered by

bool is_plain(json::Kind kind) { return kind == json::Kind::kString || kind == json::Kind::kNumber || kind == json::Kind::kBool; }

bool helps_to_filter(const api::FieldView& field) {
  return field.granted && (field.exact_filter.usable || field.group_by.usable);
}

// The commonest of those that repeat: a field whose every value is another is not filtered by sight.
std::vector<std::string> repeated_of(const std::map<std::string, int>& counts) {
  std::vector<std::pair<int, std::string>> found;
  for (const auto& [value, count] : counts) found.emplace_back(-count, value);
  std::ranges::sort(found);
  std::vector<std::string> values;
  if (found.empty() || found.front().first == -1) return values;
  for (std::size_t i = 0; i < std::min(kSamples, found.size()); ++i) values.push_back(found[i].second);
  return values;
}

}  // namespace

SampleValues sample_values(const Context& context, const api::SchemaView& view, const api::SchemaRequest& request) {
  if (view.sources.size() != 1 || view.sources.front().streams.size() != 1) return {};
  const api::StreamView& stream = view.sources.front().streams.front();
  api::RecordsRequest asked;
  asked.stream = stream.name;
  asked.scope.connection_id = request.connection_id;
  asked.limit = kRecordsLookedAt;
  asked.max_field_chars = kMaxSampleBytes;
  asked.max_bytes = kRecordsBytes;
  for (const api::FieldView& field : stream.fields) {
    if (helps_to_filter(field)) asked.fields.push_back(field.name);
  }
  if (asked.fields.empty()) return {};
  const auto page = context.port.records(asked, context.stop);
  if (!page) return {};
  std::map<std::string, std::map<std::string, int>> counts;
  for (const api::Record& record : page->records) {
    if (record.data.empty()) continue;
    for (json::Members members(record.data); members.next();) {
      const json::Value& value = members.value();
      if (is_plain(value.kind) && value.text.size() <= kMaxSampleBytes) {
        ++counts[json::decode_string(members.raw_name())][std::string(value.text)];
      }
    }
  }
  SampleValues samples;
  for (const std::string& field : asked.fields) {
    if (auto values = repeated_of(counts[field]); !values.empty()) samples[field] = std::move(values);
  }
  return samples;
}

}  // namespace ladder::mcp
