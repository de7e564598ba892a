#include "mcp/tools/known_fields.h"

#include "base/text/casefold.h"
#include "base/text/format.h"
#include "base/text/utf8.h"
#include "json/scan/scan.h"
#include "mcp/render/fence.h"
#include "model/quote.h"

#include <algorithm>

namespace ladder::mcp {
namespace {

constexpr std::size_t kMaxFields = 40;          // listed in an error
constexpr std::int64_t kRecordsLookedAt = 100;  // for samples: one page
constexpr std::size_t kSamples = 3;
constexpr std::int64_t kSampleChars = 80;  // longer values are not useful as filters

bool is_about_field(Code code) {
  return code == Code::kUnknownField || code == Code::kFieldNotGranted || code == Code::kFieldNotFound;
}

}  // namespace

void name_granted_fields(const Context& context, Error& error, const std::string& stream, const std::string& connection_id) {
  if (!is_about_field(error.code)) return;
  const auto schema = context.port.schema({stream, connection_id, false, false}, context.stop);
  if (!schema || schema->sources.size() != 1) return;
  std::string names;
  std::size_t count = 0;
  for (const api::StreamView& view : schema->sources.front().streams) {
    if (view.name != stream) continue;
    for (const api::FieldView& field : view.fields) {
      if (!field.granted || ++count > kMaxFields) continue;
      names += (names.empty() ? "" : ", ") + model::in_quotes(field.name);
    }
  }
  if (names.empty()) return;
  error.message += "; the fields granted are " + names;
  if (count > kMaxFields) error.message += format(" and {} more", count - kMaxFields);
}

std::vector<std::string> sample_values(const Context& context, const api::Scope& scope, const std::string& stream,
                                       const std::string& field, std::string_view like) {
  api::RecordsRequest request;
  request.scope = scope;
  request.stream = stream;
  request.fields = {field};
  request.limit = kRecordsLookedAt;
  request.max_field_chars = kSampleChars;
  const auto page = context.port.records(request, context.stop);
  if (!page) return {};
  std::vector<std::string> alike, others;
  const std::string sought = fold(like);
  for (const api::Record& record : page->records) {
    const auto value = record.data.empty() || !record.cut.empty() ? std::nullopt : json::member(record.data, field);
    if (!value || value->kind == json::Kind::kNull || value->kind == json::Kind::kObject || value->kind == json::Kind::kArray)
      continue;
    const std::string shown(value->text);
    auto& into = !sought.empty() && fold(shown).find(sought) != std::string::npos ? alike : others;
    if (into.size() < kSamples && std::ranges::find(into, shown) == into.end()) into.push_back(shown);
  }
  if (!alike.empty()) return alike;
  return others;
}

std::string filter_hint(const Context& context, const api::RecordsRequest& request) {
  std::string text;
  for (const api::Filter& filter : request.filters) {
    if (!filter.op.empty()) continue;
    const auto values = sample_values(context, request.scope, request.stream, filter.field, filter.value);
    if (values.empty()) continue;
    text += format("no record has {}={} with the rest of the filter; its values look like", plain_or_quoted(filter.field),
                   quoted_line(filter.value));
    for (const std::string& value : values) text += " " + visible_json(value);
    text += "\n";
  }
  return text;
}

}  // namespace ladder::mcp
