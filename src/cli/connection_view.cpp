// One rendering for programs, one for people.
#include "cli/connection_view.h"

#include "base/format.h"
#include "cli/console.h"
#include "cli/visible_text.h"

namespace ladder::cli {

void write_connection(json::Writer& out, const rs::ConnectionSummary& connection) {
  out.begin_object().member("connection_id", connection.connection_id).member("connector_key", connection.source_key);
  out.member("source_id", connection.source_id).optional_member("display_name", connection.display_name);
  out.member("status", connection.status).member("created_at", format_time(connection.created_at));
  out.key("streams").begin_array();
  for (const auto& stream : connection.streams) {
    out.begin_object().member("name", stream.stream).member("records", stream.records).end_object();
  }
  out.end_array().end_object();
}

std::string connection_text(const rs::ConnectionSummary& connection) {
  std::vector<std::vector<std::string>> rows = {
      {"connection", connection.connection_id},
      {"source", format("{} ({})", connection.source_key, visible_label(connection.source_id))},
      {"name", connection.display_name.empty() ? "-" : visible_label(connection.display_name)},
      {"status", connection.status},
      {"created", format_time(connection.created_at)},
  };
  for (const auto& stream : connection.streams) {
    rows.push_back({"stream", format("{}: {} records", visible_label(stream.stream), grouped(stream.records))});
  }
  return table(rows);
}

std::int64_t record_count(const rs::ConnectionSummary& connection) {
  std::int64_t records = 0;
  for (const auto& stream : connection.streams) records += stream.records;
  return records;
}

}  // namespace ladder::cli
