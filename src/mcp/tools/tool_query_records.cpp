// query_records: returns a page of one stream. `data` is the resource server's own body. The store truncates long strings,
// which are listed with the call that continues reading. A page that does not fit ends early, with a cursor (design D10).
#include "api/preview.h"
#include "api/render/render.h"
#include "api/render/target.h"
#include "base/text/format.h"
#include "mcp/render/budget.h"
#include "mcp/render/content_ladder_json.h"
#include "mcp/render/error_text.h"
#include "mcp/render/record_answer.h"
#include "mcp/tools/arguments.h"
#include "mcp/tools/known_fields.h"
#include "mcp/tools/tools.h"

#include <boost/json/serialize.hpp>

#include <array>

namespace ladder::mcp {
namespace {

constexpr std::string_view kDescription =
    "List emails, messages, calendar events, contacts, notes or files of one stream by time, newest first unless "
    "order or sort says otherwise: the latest emails from someone, a week of calendar events. Narrow by filter, "
    "fields and limit (25 unless given). Strings are cut at 400 chars, each with the read_record_field that goes on. "
    "changes_since starts a feed of changes. Every id works in fetch and read_record_field.";

constexpr std::string_view kInputSchemaHead = R"({"type":"object","properties":{"stream":{"type":"string","minLength":1},)"
                                              R"("limit":{"type":"integer","minimum":1,"maximum":100},)"
                                              R"("cursor":{"type":"string"},"order":{"type":"string","enum":["asc","desc"]},)"
                                              R"("sort":{"type":"string"},)"
                                              R"("count":{"type":"string","enum":["none","estimated","exact"]},"filter":)";
constexpr std::string_view kInputSchemaTail =
    R"(,"fields":{"type":"array","items":{"type":"string"}},"view":{"type":"string"},)"
    R"("expand":{"type":"array","items":{"type":"string"}},)" LADDER_EXPAND_LIMIT
    R"(,"changes_since":{"type":"string"},"connection_id":{"type":"string"}},"required":["stream"],)"
    R"("additionalProperties":false})";

constexpr std::array<std::string_view, 2> kOrders = {"asc", "desc"};
constexpr std::array<std::string_view, 3> kCounts = {"none", "estimated", "exact"};
// Strings are truncated further if a single record exceeds the limit.
constexpr std::array<std::int64_t, 3> kFieldChars = {api::kListFieldChars, 96, 24};
constexpr std::size_t kCursorRoom = 400;  // reserved for a cursor that is not known yet

// A change feed has its own order and no total count (PDPP "changes").
void check_changes(Arguments& arguments) {
  if (!arguments.has("changes_since")) return;
  for (const char* const other : {"cursor", "order", "sort", "count"}) {
    if (!arguments.has(other)) continue;
    arguments.refuse({Code::kInvalidRequest,
                      std::string_view(other) == "cursor"
                          ? "changes_since starts a session and cursor continues one: send only one of them"
                          : format("changes_since excludes {}: changes are listed in the order in which they were made", other),
                      other});
  }
}

void read_sorting(Arguments& arguments, api::RecordsRequest& request) {
  const std::string order = arguments.choice("order", kOrders);
  const std::string sort = arguments.name("sort");
  if (!order.empty()) request.descending = order == "desc";
  if (sort.empty()) return;
  const bool down = sort.starts_with('-');
  request.sort_field = sort.substr(down || sort.starts_with('+') ? 1 : 0);
  if (!order.empty() && down != request.descending) {
    arguments.refuse({Code::kInvalidSort, "sort and order disagree; send only one of them", "sort"});
  }
  request.descending = down;
}

Result<api::RecordsRequest> request_of(const boost::json::object& given) {
  Arguments arguments(given, {"stream", "limit", "cursor", "order", "sort", "count", "filter", "fields", "view", "expand",
                              "expand_limit", "changes_since", "connection_id"});
  api::RecordsRequest request;
  arguments.required("stream");
  request.stream = arguments.stream("stream");
  request.limit = arguments.integer("limit", 1, kMaxLimit);
  request.cursor = arguments.text_or_empty("cursor");
  read_sorting(arguments, request);
  const std::string count = arguments.choice("count", kCounts);
  if (!count.empty() && count != "none") {
    request.count = count == "exact" ? api::CountKind::kExact : api::CountKind::kEstimated;
  }
  request.filters = arguments.filters();
  request.fields = arguments.names("fields");
  request.view = arguments.name("view");
  request.expand = arguments.names("expand");
  request.expand_limits = arguments.expand_limits();
  if (arguments.has("changes_since")) request.changes_since = arguments.name("changes_since");
  request.scope.connection_id = arguments.name("connection_id");
  check_changes(arguments);
  LADDER_CHECK(arguments.status());
  return request;
}

std::optional<ToolCall> retry_of(const Error& error, const api::RecordsRequest& request, const boost::json::object& given) {
  switch (error.code) {
    case Code::kInvalidCursor:
    case Code::kCursorMismatch:
    case Code::kCursorExpired: {
      boost::json::object again = given;
      again.erase(error.param == "changes_since" ? "changes_since" : "cursor");
      if (error.param == "changes_since") again["changes_since"] = "beginning";
      return ToolCall{"query_records", boost::json::serialize(again)};
    }
    default:
      return retry_hint(error, request.stream, request.scope.connection_id);
  }
}

// Selects if a page contains the ladder. A single record under a small limit may omit it: `truncated_fields` in its data names
// the same fields, and the text always has the read calls.
enum class Ladder : std::uint8_t { kWhole, kNone };

// Fits a page into its limits.
class PageAnswer : private api::AnswerBudget {
 public:
  PageAnswer(const Context& context, const boost::json::object& given, api::RecordsRequest request)
      : context_(context), given_(given), request_(std::move(request)) {}

  Result<ToolResult> make() {
    request_.max_field_chars = kFieldChars[0];
    request_.max_bytes = static_cast<std::int64_t>(context_.options.result_bytes * 3 / 10);
    request_.budget = this;
    // A remote server does not truncate the page. It is queried once more for the number of records that fit; any excess is
    // removed here.
    for (bool again = false;; again = true) {
      LADDER_TRY(auto page, context_.port.records(request_, context_.stop));
      if (rendered_ && kept_ == page.records.size()) return *std::move(rendered_);
      for (api::Record& record : page.records) trim_record(record, kFieldChars[0]);
      if (page.records.empty() && request_.cursor.empty() && !request_.changes_since) hint_ = filter_hint(context_, request_);
      if (auto result = fitting(page)) return *std::move(result);
      if (page.records.size() <= 1) return single(std::move(page));
      if (again || request_.limit == 1) return first_of(std::move(page));
      request_.limit = max_fitting(page);
    }
  }

 private:
  // Keeps the response if all records fit.
  std::size_t fitting_records(const api::RecordsPage& read) override {
    api::RecordsPage page = read;
    for (api::Record& record : page.records) trim_record(record, kFieldChars[0]);
    rendered_ = fitting(page);
    kept_ = page.records.size();
    if (rendered_ || kept_ <= 1) return kept_;
    return static_cast<std::size_t>(max_fitting(page));
  }

  std::int64_t max_fitting(const api::RecordsPage& page) const {
    return fitting_count(page, &api::RecordsPage::records, kCursorRoom,
                         [this](const api::RecordsPage& part) { return fitting(part).has_value(); });
  }

  std::optional<ToolResult> fitting(const api::RecordsPage& page, Ladder ladder = Ladder::kWhole) const {
    ToolResult result = render(page, ladder);
    if (fits(context_, result)) return result;
    result.meta.clear();
    if (fits(context_, result)) return result;
    return std::nullopt;
  }

  // A server that ignores the requested limit (one record per connection, or all) is not queried again. Its cursor would skip
  // the records removed here.
  Result<ToolResult> first_of(api::RecordsPage page) const {
    page.records.resize(static_cast<std::size_t>(max_fitting(page)));
    page.has_more = true;
    page.next_cursor.clear();
    if (auto result = fitting(page)) return *std::move(result);
    return single(std::move(page));
  }

  Result<ToolResult> single(api::RecordsPage page) const {
    if (page.records.empty()) return render(page, Ladder::kWhole);
    for (const std::int64_t chars : kFieldChars) {
      for (api::Record& record : page.records) trim_record(record, chars);
      if (auto result = fitting(page)) return *std::move(result);
    }
    if (auto result = fitting(page, Ladder::kNone)) return *std::move(result);
    return too_large(page);
  }

  // Not a final error: the record can be opened alone, and the next call continues after it.
  Result<ToolResult> too_large(const api::RecordsPage& page) const {
    const ToolCall open = fetch_call(page.records.front().ref);
    Error error{Code::kResourceLimit,
                format("a record does not fit into an answer of {} bytes; open it with {}, or ask for some fields with fields",
                       context_.options.result_bytes, line_of(open)),
                "fields"};
    error.details().record = model::format_record_id(page.records.front().ref);
    return error_result(error, page.next_cursor.empty() ? open : next_page_call("query_records", given_, page.next_cursor));
  }

  ToolResult render(const api::RecordsPage& page, Ladder form) const {
    std::vector<api::LadderRecord> ladder;
    if (form != Ladder::kNone) {
      for (const api::Record& record : page.records) add_ladder(record, ladder);
    }
    const std::string self = api::target_of(request_);
    json::Writer out;
    out.begin_object().key("data").raw(api::render(page, api::records_path(request_.stream), {.self = self}));
    write_ladder(out, "record_set", ladder);
    write_origin(out, context_, page.request_id);
    ToolResult result;
    result.structured = out.end_object().take();
    result.text = records_text(request_.stream, page, given_);
    if (!hint_.empty()) result.text += "\n" + hint_.substr(0, hint_.size() - 1);
    result.meta = resources_meta(ladder);
    if (context_.options.resource_links == ResourceLinks::kAll) {
      for (const api::Record& record : page.records) {
        if (!record.cut.empty()) result.links.push_back(record_link(record.ref));
      }
    }
    return result;
  }

  const Context& context_;
  const boost::json::object& given_;
  api::RecordsRequest request_;
  std::string hint_;                    // for a page without records
  std::optional<ToolResult> rendered_;  // for the page last passed to keep()
  std::size_t kept_ = 0;
};

ToolResult call(const Context& context, const boost::json::object& given) {
  const auto request = request_of(given);
  if (!request) return error_result(request.error());
  if (const auto open = check_expand(context, request->stream, request->scope.connection_id, request->expand); !open) {
    return error_result(open.error(), retry_of(open.error(), *request, given));
  }
  auto result = PageAnswer(context, given, *request).make();
  if (result) return *std::move(result);
  name_granted_fields(context, result.error(), request->stream, request->scope.connection_id);
  return error_result(result.error(), retry_of(result.error(), *request, given));
}

}  // namespace

Tool query_records_tool() {
  return make_tool({"query_records", "List emails, messages, events and other records", kDescription},
                   with_filter(kInputSchemaHead, kInputSchemaTail), kDataOutputSchema, call);
}

}  // namespace ladder::mcp
