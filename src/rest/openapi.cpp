// Renders the table of routes as OpenAPI 3.1.
#include "base/limits.h"
#include "base/text/format.h"
#include "json/writer.h"
#include "rest/routes.h"

#include <map>

namespace ladder::rest {
namespace {

using http::ParameterPlace;
using http::RouteParameter;
using json::Writer;

std::string_view place_of(const RouteParameter& parameter) {
  switch (parameter.place) {
    case ParameterPlace::kPath:
      return "path";
    case ParameterPlace::kHeader:
      return "header";
    case ParameterPlace::kQuery:
      break;
  }
  return "query";
}

void write_schema(Writer& out, const RouteParameter& parameter) {
  out.key("schema").begin_object().member("type", parameter.type);
  if (parameter.type == "array") out.key("items").begin_object().member("type", "string").end_object();
  if (parameter.type == "object") out.member("additionalProperties", true);
  if (parameter.minimum) out.member("minimum", *parameter.minimum);
  if (parameter.maximum) out.member("maximum", *parameter.maximum);
  if (!parameter.default_value.empty()) {
    out.key("default");
    parameter.type == "integer" ? out.raw(parameter.default_value) : out.string(parameter.default_value);
  }
  if (!parameter.choices.empty()) {
    out.member("enum", parameter.choices);
  }
  out.end_object();
}

void write_parameter(Writer& out, const RouteParameter& parameter) {
  out.begin_object().member("name", parameter.name).member("in", place_of(parameter)).member("description", parameter.summary);
  out.member("required", parameter.required);
  if (parameter.type == "object") out.member("style", "deepObject").member("explode", true);
  if (parameter.type == "array") out.member("style", "form").member("explode", true);
  write_schema(out, parameter);
  out.end_object();
}

void write_body(Writer& out, const RouteRow& row) {
  if (row.body_type.empty()) return;
  out.key("requestBody").begin_object().member("required", true);
  out.member("description", "at most " + std::to_string(row.route.max_body) + " bytes");
  out.key("content").begin_object().key(row.body_type).begin_object().key("schema").begin_object();
  if (row.body_type == "application/x-www-form-urlencoded") {
    out.member("type", "object").key("required").begin_array().string("token").end_array();
    out.key("properties").begin_object();
    for (const char* name : {"token", "token_type_hint"}) out.key(name).begin_object().member("type", "string").end_object();
    out.end_object();
  } else if (row.body_type == "application/json") {
    out.member("type", "object");
  } else {
    out.member("type", "string");
    if (row.body_type == "*/*") out.member("format", "binary");
  }
  out.end_object().end_object().end_object().end_object();
}

// Writes one response per status, with its error codes.
void write_answers(Writer& out, const RouteRow& row) {
  out.key("responses").begin_object().key(std::to_string(row.success)).begin_object();
  out.member("description", row.success == 204 ? "done" : row.limits.empty() ? "the answer" : row.limits);
  if (row.success != 204) out.key("content").begin_object().key(row.answer_type).begin_object().end_object().end_object();
  out.end_object();
  for (const auto& [status, text] : row.also) {
    out.key(std::to_string(status)).begin_object().member("description", text).end_object();
  }
  std::map<int, std::string> by_status;
  for (const Code code : row.all_codes()) {
    std::string& text = by_status[info(code).http_status];
    text += (text.empty() ? "" : "; ") + std::string(info(code).wire) + ": " + std::string(info(code).meaning);
  }
  for (const auto& [status, text] : by_status) {
    out.key(std::to_string(status)).begin_object().member("description", text);
    out.key("content").begin_object().key("application/json").begin_object().key("schema").begin_object();
    out.member("$ref", "#/components/schemas/Error").end_object().end_object().end_object().end_object();
  }
  out.end_object();
}

void write_operation(Writer& out, const RouteRow& row) {
  std::string method(row.route.method);
  for (char& c : method) c = static_cast<char>(c | 0x20);
  out.key(method).begin_object().member("operationId", row.route.name).member("summary", row.route.summary);
  out.key("security").begin_array();
  if (row.caller != Caller::kAnyone) {
    out.begin_object();
    out.key(row.caller == Caller::kOwner ? "owner_token" : "token").begin_array().end_array();
    out.end_object();
  }
  out.end_array().key("parameters").begin_array();
  for (const RouteParameter& parameter : row.route.parameters) write_parameter(out, parameter);
  out.end_array();
  write_body(out, row);
  write_answers(out, row);
  out.end_object();
}

void write_error_schema(Writer& out) {
  out.key("Error").begin_object().member("type", "object").key("required").begin_array().string("error").end_array();
  out.key("properties").begin_object().key("error").begin_object().member("type", "object");
  out.key("required").begin_array().string("type").string("code").string("message").string("request_id").end_array();
  out.key("properties").begin_object();
  out.key("type").begin_object().member("type", "string").end_object();
  out.key("code").begin_object().member("type", "string").key("enum").begin_array();
  for (const CodeInfo& entry : all_codes()) out.string(entry.wire);
  out.end_array().end_object();
  for (const char* name : {"message", "param", "request_id", "retry_with", "resource_metadata", "next_step"}) {
    out.key(name).begin_object().member("type", "string").end_object();
  }
  for (const char* name : {"available_connections", "authorization_details"}) {
    out.key(name).begin_object().member("type", "array");
    out.key("items").begin_object().member("type", "object").end_object().end_object();
  }
  out.end_object().end_object().end_object().end_object();
}

void write_components(Writer& out) {
  out.key("components").begin_object().key("securitySchemes").begin_object();
  out.key("token").begin_object().member("type", "http").member("scheme", "bearer");
  out.member("description", "a client's token from `ladder grant create`, or the owner's").end_object();
  out.key("owner_token").begin_object().member("type", "http").member("scheme", "bearer");
  out.member("description", "the owner's token from `ladder token create`").end_object();
  out.end_object().key("schemas").begin_object();
  write_error_schema(out);
  out.end_object().end_object();
}

}  // namespace

std::string openapi(const std::vector<RouteRow>& rows, std::string_view version) {
  std::map<std::string_view, std::vector<const RouteRow*>> paths;
  for (const RouteRow& row : rows) {
    // OAuth endpoints have their own metadata, and pages are not an API.
    if (!row.of_authorization) paths[row.route.pattern].push_back(&row);
  }
  Writer out;
  out.begin_object().member("openapi", "3.1.0");
  out.key("info").begin_object().member("title", "Ladder").member("version", version).end_object();
  out.key("paths").begin_object();
  for (const auto& [pattern, of_path] : paths) {
    out.key(pattern).begin_object();
    for (const RouteRow* row : of_path) write_operation(out, *row);
    out.end_object();
  }
  out.end_object();
  write_components(out);
  return out.end_object().take();
}

// Renders the table of routes for docs/reference/rest.md: one table of routes, then one of parameters per route.

namespace {

using http::ParameterPlace;
using http::RouteParameter;

std::string_view mark(Caller caller) {
  switch (caller) {
    case Caller::kAnyone:
      return "anyone";
    case Caller::kToken:
      return "token";
    case Caller::kClient:
      return "client";
    case Caller::kSession:
      return "session";
    case Caller::kOwner:
      break;
  }
  return "owner";
}

std::string size(std::size_t bytes) {
  return bytes >= limits::kMiB ? format("{} MiB", bytes / limits::kMiB) : format("{} KiB", bytes / limits::kKiB);
}

std::string values(const RouteParameter& parameter) {
  std::string text;
  for (const std::string_view one : parameter.choices) text += (text.empty() ? "`" : ", `") + std::string(one) + "`";
  if (text.empty()) text = parameter.type;
  if (parameter.minimum && parameter.maximum) text += format(", {} to {}", *parameter.minimum, *parameter.maximum);
  if (parameter.minimum && !parameter.maximum) text += format(", {} and up", *parameter.minimum);
  if (!parameter.default_value.empty()) text += format("; `{}` unless given", parameter.default_value);
  if (parameter.required) text += "; required";
  return text;
}

std::string summary_line(const RouteRow& row) {
  std::string text(row.route.summary);
  if (!row.body_type.empty()) text += format("; takes `{}`, at most {}", row.body_type, size(row.route.max_body));
  if (!row.limits.empty()) text += format("; {}", row.limits);
  return text;
}

// Parameters shared by most routes are described once.
bool is_scope(const RouteParameter& parameter) {
  return parameter.name == "connection_id" || parameter.name == "connector_instance_id" || parameter.name == "connector_id" ||
         parameter.name == "subject_id";
}

void append_parameters(std::string& page, const RouteRow& row) {
  std::string lines, scope;
  for (const RouteParameter& parameter : row.route.parameters) {
    if (parameter.place == ParameterPlace::kPath) continue;
    if (is_scope(parameter)) {
      scope += format("{}`{}`", scope.empty() ? "" : ", ", parameter.name);
      continue;
    }
    const bool is_header = parameter.place == ParameterPlace::kHeader;
    lines += format("| `{}`{} | {} | {} |\n", parameter.name, is_header ? " (header)" : "", values(parameter), parameter.summary);
  }
  std::string codes;
  for (const Code code : row.codes) codes += format("{}`{}`", codes.empty() ? "" : ", ", info(code).wire);
  if (lines.empty() && scope.empty() && codes.empty()) return;
  page += format("\n#### `{} {}`\n\n", row.route.method, row.route.pattern);
  if (!lines.empty()) page += "| parameter | values | what it does |\n|---|---|---|\n" + lines + "\n";
  if (!scope.empty()) page += format("Scope: {}.\n", scope);
  if (!codes.empty()) page += format("Errors of its own: {}.\n", codes);
}

void append_codes(std::string& page, std::string_view whose, Caller caller) {
  RouteRow bare;
  bare.caller = caller;
  std::string codes;
  for (const Code code : bare.all_codes()) codes += format("{}`{}`", codes.empty() ? "" : ", ", info(code).wire);
  page += format("- {}: {}\n", whose, codes);
}

}  // namespace

std::string route_tables(const std::vector<RouteRow>& rows) {
  std::string page = "| route | who | what it does |\n|---|---|---|\n";
  for (const RouteRow& row : rows) {
    page += format("| `{} {}` | {} | {} |\n", row.route.method, row.route.pattern, mark(row.caller), summary_line(row));
  }
  page += "\nErrors that may come from any route:\n\n";
  append_codes(page, "with a token", Caller::kToken);
  append_codes(page, "with the owner's token", Caller::kOwner);
  page += "\nParameters that say whose data is meant, where a route has them under Scope:\n\n";
  for (const RouteRow& row : rows) {
    if (row.route.name != "list_streams") continue;  // it has no other parameters
    page += "| parameter | what it does |\n|---|---|\n";
    for (const RouteParameter& parameter : row.route.parameters) {
      page += format("| `{}` | {} |\n", parameter.name, parameter.summary);
    }
  }
  for (const RouteRow& row : rows) append_parameters(page, row);
  return page;
}

}  // namespace ladder::rest
