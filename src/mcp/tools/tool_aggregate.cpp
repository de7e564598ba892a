// aggregate: counts, sums and groups, computed by the resource server. `data` is its response body; the text lists every group.
#include "api/render/render.h"
#include "api/render/target.h"
#include "api/wire_words.h"
#include "base/text/format.h"
#include "mcp/render/budget.h"
#include "mcp/render/content_ladder_json.h"
#include "mcp/render/error_text.h"
#include "mcp/render/fence.h"
#include "mcp/render/record_answer.h"
#include "mcp/tools/arguments.h"
#include "mcp/tools/tools.h"

#include <algorithm>
#include <array>

namespace ladder::mcp {
namespace {

constexpr std::string_view kDescription =
    "Count or summarize emails, messages, events or other records of one stream without reading them: how many emails "
    "from whom, per month. group_by gives the largest groups, group_by_time time buckets; the rest is other_count. "
    "schema says which fields allow what (flag a).";

constexpr std::string_view kInputSchemaHead =
    R"({"type":"object","properties":{"stream":{"type":"string","minLength":1},)"
    R"("metric":{"type":"string","enum":["count","sum","min","max","count_distinct"]},"field":{"type":"string"},)"
    R"("group_by":{"type":"string"},"group_by_time":{"type":"string"},)"
    R"("granularity":{"type":"string","enum":["minute","hour","day","week","month","quarter","year"]},)"
    R"("time_zone":{"type":"string"},"limit":{"type":"integer","minimum":1,"maximum":100},"filter":)";
constexpr std::string_view kInputSchemaTail =
    R"(,"connection_id":{"type":"string"}},"required":["stream","metric"],"additionalProperties":false})";

Result<api::AggregateRequest> request_of(const boost::json::object& given) {
  Arguments arguments(given, {"stream", "metric", "field", "group_by", "group_by_time", "granularity", "time_zone", "limit",
                              "filter", "connection_id"});
  api::AggregateRequest request;
  arguments.required("stream");
  request.stream = arguments.stream("stream");
  arguments.required("metric");
  const std::string metric = arguments.choice("metric", words_of(api::kMetricWords));
  request.metric = api::value_of_word(api::kMetricWords, metric).value_or(api::Metric::kCount);
  request.field = arguments.name("field");
  request.group_by = arguments.name("group_by");
  request.group_by_time = arguments.name("group_by_time");
  request.granularity =
      api::value_of_word(api::kGranularityWords, arguments.choice("granularity", words_of(api::kGranularityWords)));
  request.time_zone = arguments.name("time_zone");
  request.limit = arguments.integer("limit", 1, kMaxLimit);
  request.filters = arguments.filters();
  request.scope.connection_id = arguments.name("connection_id");
  LADDER_CHECK(arguments.status());
  return request;
}

std::string groups_text(const api::AggregateRequest& request, const api::AggregateResult& result) {
  const bool by_time = !request.group_by_time.empty();
  std::string text =
      format(" {}={}", by_time ? "group_by_time" : "group_by", quoted_line(by_time ? request.group_by_time : request.group_by));
  if (request.granularity) text += format(" granularity={}", api::word_of(api::kGranularityWords, *request.granularity));
  if (by_time) text += format(" time_zone={}", quoted_line(request.time_zone.empty() ? "UTC" : request.time_zone));
  text += format(": {} group(s) [", result.groups.size());
  bool first = true;
  for (const api::Group& group : result.groups) {
    text += format("{}{}={}", first ? "" : ", ", group.key_json ? visible_json(*group.key_json) : "null", group.count);
    first = false;
  }
  return text + format("]; other_count={}; filtered_record_count={}", result.other_count, result.filtered_record_count);
}

std::string text_of(const api::AggregateRequest& request, const api::AggregateResult& result, bool shortened) {
  std::string text = format("{}({})", api::word_of(api::kMetricWords, request.metric), plain_or_quoted(request.stream));
  if (!request.field.empty()) text += " field=" + plain_or_quoted(request.field);
  if (request.group_by.empty() && request.group_by_time.empty()) {
    text += format(" = {}. filtered_record_count={}", result.value_json.empty() ? "null" : visible_json(result.value_json),
                   result.filtered_record_count);
  } else {
    text += groups_text(request, result);
  }
  if (result.approximate) text += "; approximate=true";
  if (shortened) text += format("; limit={} because more would not fit into an answer: narrow with filter", *request.limit);
  text += ".\n";
  append_warnings(text, result.warnings);
  text.pop_back();
  return text;
}

ToolResult render(const Context& context, const api::AggregateRequest& request, const api::AggregateResult& aggregate,
                  bool shortened) {
  const std::string self = api::target_of(request);
  json::Writer out;
  out.begin_object().key("data").raw(api::render(request, aggregate, {.self = self}));
  write_origin(out, context, aggregate.request_id);
  ToolResult result;
  result.structured = out.end_object().take();
  result.text = text_of(request, aggregate, shortened);
  return result;
}

std::optional<ToolCall> retry_of(const Error& error, const api::AggregateRequest& request) {
  if (error.more && !error.more->available_connections.empty()) return std::nullopt;
  if (auto known = retry_hint(error, request.stream, request.scope.connection_id)) return known;
  if (error.http_status() != 400 && error.http_status() != 403) return std::nullopt;
  return schema_call(request.stream, request.scope.connection_id);
}

// A remote server may send more groups than requested. Groups beyond the limit are only counted.
void keep_within_limit(const api::AggregateRequest& request, api::AggregateResult& aggregate) {
  if (!request.limit || std::ssize(aggregate.groups) <= *request.limit) return;
  const auto first_past = aggregate.groups.begin() + *request.limit;
  for (auto group = first_past; group != aggregate.groups.end(); ++group) aggregate.other_count += group->count;
  aggregate.groups.erase(first_past, aggregate.groups.end());
}

// Group keys can be long; then fewer groups are shown. A local server records the groups that remain.
class AggregateAnswer : private api::AnswerBudget {
 public:
  AggregateAnswer(const Context& context, api::AggregateRequest request) : context_(context), request_(std::move(request)) {}

  Result<ToolResult> make() {
    api::AggregateRequest asked = request_;
    asked.budget = this;
    LADDER_TRY(auto aggregate, context_.port.aggregate(asked, context_.stop));
    LADDER_CHECK(trim_groups(aggregate));
    return render(context_, request_, aggregate, shortened_);
  }

 private:
  Status trim_groups(api::AggregateResult& aggregate) override {
    keep_within_limit(request_, aggregate);
    while (!fits(context_, render(context_, request_, aggregate, shortened_))) {
      const std::int64_t groups = std::ssize(aggregate.groups);
      if (groups <= 1) {
        return fail(Code::kResourceLimit,
                    format("the value does not fit into an answer of {} bytes", context_.options.result_bytes),
                    groups == 0 ? "field" : "group_by");
      }
      request_.limit = aggregate.limit = groups / 2;
      shortened_ = true;
      keep_within_limit(request_, aggregate);
    }
    return {};
  }

  const Context& context_;
  api::AggregateRequest request_;
  bool shortened_ = false;
};

ToolResult call(const Context& context, const boost::json::object& given) {
  const auto request = request_of(given);
  if (!request) return error_result(request.error());
  auto result = AggregateAnswer(context, *request).make();
  return result ? *std::move(result) : error_result(result.error(), retry_of(result.error(), *request));
}

}  // namespace

Tool aggregate_tool() {
  return make_tool({"aggregate", "Count emails, messages and other records", kDescription},
                   with_filter(kInputSchemaHead, kInputSchemaTail), kDataOutputSchema, call);
}

}  // namespace ladder::mcp
