#include "api/render/render.h"

#include "model/handle.h"

#include <algorithm>

namespace ladder::api {
namespace {

using json::Writer;

// Returns the target with `cursor` replaced by the next page's. Within a changes session only the cursor is needed.
std::string with_cursor(std::string_view target, std::string_view cursor) {
  const std::string_view path = target.substr(0, target.find('?'));
  std::string next(path);
  char separator = '?';
  std::string_view query = target.size() > path.size() ? target.substr(path.size() + 1) : std::string_view();
  while (!query.empty()) {
    const std::string_view pair = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), pair.size() + 1));
    if (pair.empty() || pair.starts_with("cursor=") || pair.starts_with("changes_since=")) continue;
    next += separator;
    next += pair;
    separator = '&';
  }
  next += separator;
  next += "cursor=";
  next += model::percent_encode(cursor);
  return next;
}

void write_warning(Writer& out, const Warning& warning) {
  out.begin_object().member("code", warning.code).member("message", warning.message).optional_member("param", warning.param);
  if (!warning.detail.empty()) out.key("detail").raw(warning.detail);
  out.end_object();
}

}  // namespace

void write_links(Writer& out, const ResponseTail& response_tail) {
  out.key("links").begin_object().member("self", response_tail.self);
  if (response_tail.is_list) {
    out.key("next");
    response_tail.next_cursor.empty() ? out.null() : out.string(with_cursor(response_tail.self, response_tail.next_cursor));
  }
  out.end_object();
}

void write_warnings(Writer& out, const std::vector<Warning>& warnings) {
  out.key("warnings").begin_array();
  for (const Warning& warning : warnings) write_warning(out, warning);
  out.end_array();
}

void write_response_tail(Writer& out, const ResponseTail& response_tail) {
  write_links(out, response_tail);
  out.key("meta").begin_object().key("count").begin_object();
  if (response_tail.count.kind == CountKind::kNone) {
    out.member("kind", "none");
  } else {
    out.member("kind", response_tail.count.kind == CountKind::kExact ? "exact" : "estimated")
        .member("value", response_tail.count.value);
  }
  out.end_object();
  if (response_tail.window) {
    out.key("window").begin_object().member("total", response_tail.window->total);
    out.optional_member("earliest_at", response_tail.window->earliest_at)
        .optional_member("latest_at", response_tail.window->latest_at);
    out.end_object();
  }
  write_warnings(out, response_tail.warnings);
  out.end_object();
}

void write_source(Writer& out, const SourceView& source) {
  out.key("source").begin_object().member("kind", source.source_kind).member("id", source.source_id).end_object();
  out.member("connector_key", source.connector_key).member("connector_id", source.connector_key);
}

void write_connections(Writer& out, std::string_view key, const std::vector<ConnectionView>& connections) {
  out.key(key).begin_array();
  for (const ConnectionView& connection : connections) {
    out.begin_object().member("connection_id", connection.connection_id).optional_member("display_name", connection.display_name);
    out.end_object();
  }
  out.end_array();
}

// The server does not know when a source was last checked, so the status is unknown.
void write_freshness(Writer& out) { out.key("freshness").begin_object().member("status", "unknown").end_object(); }

}  // namespace ladder::api
