// The table of routes as docs/rest.md shows it: one table of routes, then one of parameters for each route that takes some.
#include "base/format.h"
#include "base/limits.h"
#include "rest/routes.h"

namespace ladder::rest {
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

// The names of the parameters that most routes share are told once.
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
    if (row.route.name != "list_streams") continue;  // which has these and nothing else
    page += "| parameter | what it does |\n|---|---|\n";
    for (const RouteParameter& parameter : row.route.parameters) {
      page += format("| `{}` | {} |\n", parameter.name, parameter.summary);
    }
  }
  for (const RouteRow& row : rows) append_parameters(page, row);
  return page;
}

}  // namespace ladder::rest
