// The reads under /v1: each turns its parameters into a request of the port and renders the answer.
#include "base/format.h"
#include "base/limits.h"
#include "rest/render.h"
#include "rest/scope.h"
#include "rest/service.h"

namespace ladder::rest {
namespace {

using http::Query;
using http::Response;

Ending ending(const http::Request& request, std::vector<port::Warning> warnings = {}) {
  Ending made;
  made.self = request.target;
  made.warnings = std::move(warnings);
  return made;
}

Result<std::vector<std::string>> names_of(const Query& query, std::string_view name) {
  LADDER_TRY(auto names, query.many(name, true));
  if (names.empty() && query.has(name)) {
    return fail(Code::kInvalidRequest, format("{} names nothing; leave it out to get every granted field", name),
                std::string(name));
  }
  return names;
}

Result<std::vector<port::Filter>> filters_of(const Query& query) {
  std::vector<port::Filter> filters;
  for (const http::Parameter* parameter : query.nested("filter")) {
    if (parameter->path.empty() || parameter->path.size() > 2) {
      return fail(Code::kInvalidRequest, "a filter is filter[field]=value or filter[field][gte]=value", parameter->spelled());
    }
    filters.push_back({parameter->path[0], parameter->path.size() == 2 ? parameter->path[1] : "", parameter->value});
  }
  if (filters.empty() && query.has("filter")) {
    return fail(Code::kInvalidRequest, "a filter is filter[field]=value or filter[field][gte]=value", "filter");
  }
  return filters;
}

// `order` and `sort` must not contradict each other; only the cursor field can be sorted by, which rs knows.
struct Sorting {
  bool descending = true;
  std::string field;
};
Result<Sorting> sorting_of(const Query& query) {
  Sorting sorting;
  LADDER_TRY(const auto order, query.one("order"));
  LADDER_TRY(const auto sort, query.one("sort"));
  if (order && *order != "asc" && *order != "desc") return fail(Code::kInvalidRequest, "order is asc or desc", "order");
  if (order) sorting.descending = *order == "desc";
  if (!sort) return sorting;
  const bool down = sort->starts_with('-');
  sorting.field = sort->substr(down ? 1 : 0);
  if (order && down != sorting.descending) return fail(Code::kInvalidSort, "sort and order disagree; give one of them", "sort");
  sorting.descending = down;
  return sorting;
}

// REST clamps a window's length with a warning (design section 4); everything else is refused by the selector's own rules.
Result<model::WindowArguments> window_of(const Query& query, std::vector<port::Warning>& warnings) {
  model::WindowArguments window;
  LADDER_TRY(window.cursor, query.one("cursor"));
  LADDER_TRY(window.q, query.one("q"));
  if (!window.q && query.has("q")) window.q = "";  // an empty q is refused, not ignored
  for (const auto& [name, into] : {std::pair{"offset_chars", &window.offset_chars},
                                   {"limit_chars", &window.limit_chars},
                                   {"before_chars", &window.before_chars},
                                   {"after_chars", &window.after_chars}}) {
    LADDER_TRY(const auto text, query.one(name));
    if (!text) continue;
    LADDER_TRY(*into, model::parse_window_integer(*text, name));
  }
  if (window.limit_chars && *window.limit_chars > limits::kWindowMaxChars) {
    window.limit_chars = limits::kWindowMaxChars;
    warnings.push_back({"limit_clamped", format("limit_chars is at most {}", limits::kWindowMaxChars), "limit_chars", {}});
  }
  return window;
}

}  // namespace

Result<Response> Service::schema(const Call& call) {
  LADDER_TRY(const auto who, access(call.request));
  port::SchemaRequest request;
  LADDER_TRY(const auto detail, call.query.one("detail"));
  LADDER_TRY(const auto stream_name, call.query.one("stream"));
  LADDER_TRY(const auto connection, call.query.one("connection_id"));
  request.full_detail = detail && *detail == "full";
  request.stream = stream_name.value_or("");
  request.connection_id = connection.value_or("");
  LADDER_TRY(const auto view, server_.schema(who, request));
  return Response::json(200, render_schema(view, ending(call.request)));
}

Result<Response> Service::streams(const Call& call) {
  LADDER_TRY(const auto who, access(call.request));
  std::vector<port::Warning> warnings;
  port::SchemaRequest request;
  LADDER_TRY(request.connection_id, connection_of(call.query, warnings));
  LADDER_TRY(const auto view, server_.schema(who, request));
  return Response::json(200, render_streams(view, ending(call.request, std::move(warnings))));
}

Result<Response> Service::stream(const Call& call) {
  LADDER_TRY(const auto who, access(call.request));
  std::vector<port::Warning> warnings;
  port::SchemaRequest request;
  LADDER_TRY(request.connection_id, connection_of(call.query, warnings));
  request.stream = call.match.at("stream");
  request.full_detail = true;
  LADDER_TRY(const auto view, server_.schema(who, request));
  if (view.sources.empty()) {
    // An ungranted stream and a missing one give the same answer (design D5).
    return who.is_owner()
               ? fail(Code::kNotFound, format("there is no stream \"{}\"", request.stream), "stream")
               : fail(Code::kStreamNotAllowed, format("the grant does not cover a stream \"{}\"", request.stream), "stream");
  }
  const port::SourceView& source = view.sources.front();
  return Response::json(200, render_stream(source, source.streams.front(), ending(call.request, std::move(warnings))));
}

Result<Response> Service::records(const Call& call) {
  LADDER_TRY(const auto who, access(call.request));
  std::vector<port::Warning> warnings;
  port::RecordsRequest request;
  request.stream = call.match.at("stream");
  LADDER_TRY(request.scope.connection_id, connection_of(call.query, warnings));
  const auto limit = integer_of(call.query, "limit");
  if (limit && *limit && **limit > 0) request.limit = **limit;  // anything else means the default, as the contract has it
  LADDER_TRY(const auto cursor, call.query.one("cursor"));
  request.cursor = cursor.value_or("");
  LADDER_TRY(const Sorting sorting, sorting_of(call.query));
  request.descending = sorting.descending;
  request.sort_field = sorting.field;
  LADDER_TRY(request.fields, names_of(call.query, "fields"));
  LADDER_TRY(const auto view, call.query.one("view"));
  request.view = view.value_or("");
  LADDER_TRY(request.filters, filters_of(call.query));
  LADDER_TRY(const auto count, call.query.one("count"));
  if (count && *count != "none" && *count != "estimated" && *count != "exact") {
    return fail(Code::kInvalidRequest, "count is none, estimated or exact", "count");
  }
  if (count && *count != "none") request.count = port::CountKind::kExact;
  LADDER_TRY(request.max_field_chars, integer_of(call.query, "max_field_chars"));
  LADDER_TRY(request.max_bytes, integer_of(call.query, "max_bytes"));
  LADDER_TRY(const auto page, server_.records(who, request));
  return Response::json(200, render(page, call.request.path(), ending(call.request, std::move(warnings))));
}

Result<Response> Service::record(const Call& call) {
  LADDER_TRY(const auto who, access(call.request));
  std::vector<port::Warning> warnings;
  port::RecordRequest request;
  LADDER_TRY(request.record.connection_id, connection_of(call.query, warnings));
  request.record.stream = call.match.at("stream");
  request.record.record_id = call.match.at("id");
  LADDER_TRY(request.fields, names_of(call.query, "fields"));
  LADDER_TRY(const auto view, call.query.one("view"));
  request.view = view.value_or("");
  LADDER_TRY(request.max_field_chars, integer_of(call.query, "max_field_chars"));
  LADDER_TRY(request.max_bytes, integer_of(call.query, "max_bytes"));
  LADDER_TRY(const auto found, server_.record(who, request));
  return Response::json(200, render(found, ending(call.request, std::move(warnings))));
}

Result<Response> Service::field_window(const Call& call) {
  LADDER_TRY(const auto who, access(call.request));
  std::vector<port::Warning> warnings;
  port::FieldWindowRequest request;
  LADDER_TRY(request.record.connection_id, connection_of(call.query, warnings));
  request.record.stream = call.match.at("stream");
  request.record.record_id = call.match.at("id");
  LADDER_TRY(const auto field, call.query.one("field"));
  request.field_path = field.value_or("");
  LADDER_TRY(request.window, window_of(call.query, warnings));
  LADDER_TRY(const auto window, server_.field_window(who, request, call.request.gone));
  return Response::json(200, render(window, call.request.path(), ending(call.request, std::move(warnings))));
}

}  // namespace ladder::rest
