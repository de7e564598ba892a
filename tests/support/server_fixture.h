// A resource server over a fresh store of either engine, with an owner, and short ways to fill it and to read as a
// client. Header only: the programs that use it link ladder_server.
#pragma once

#include "base/text/format.h"
#include "json/writer.h"
#include "server/resource_server.h"
#include "server/window/field_text.h"
#include "support/must.h"
#include "support/store_fixture.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::test_support {

// A clock that moves only when told to.
class StillClock final : public Clock {
 public:
  Instant now() const override { return now_; }
  void move(Instant by) { now_ += by; }

 private:
  std::atomic<Instant> now_ = *parse_time("2026-11-01T12:00:00Z");
};

using TextSource = server::TextBytes;

class QuietObserver : public server::IngestObserver {
 public:
  void durable_through(std::int64_t line, const server::IngestReport&) override { line_ = line; }
  std::int64_t line() const { return line_; }

 private:
  std::int64_t line_ = 0;
};

// A declaration with one stream "notes": id, title, body, blocks (anything), secret, updated_at (also the consent
// time).
inline std::string notes_declaration(std::string_view source_id = "https://sources.example/notes") {
  return format(R"({{"protocol_version":"0.1.0","source":{{"kind":"connector","id":"{}"}},"declaration_version":"1",
    "publisher":{{"id":"https://sources.example/"}},"display":{{"name":"Notes"}},
    "streams":[{{"name":"notes","semantics":"mutable_state","primary_key":["id"],"cursor_field":"updated_at",
      "consent_time_field":"updated_at","selection":{{"fields":true,"resources":true}},
      "schema":{{"type":"object","required":["id"],"properties":{{"id":{{"type":"string"}},"title":{{"type":["string","null"]}},
        "body":{{"type":"string"}},"blocks":{{}},"secret":{{"type":"string"}},"words":{{"type":"integer"}},
        "updated_at":{{"type":"string","format":"date-time"}}}}}}}},
      {{"name":"diary","semantics":"append_only","primary_key":["id"],"selection":{{"fields":true,"resources":true}},
      "schema":{{"type":"object","properties":{{"id":{{"type":"string"}},"body":{{"type":"string"}}}}}}}}]}})",
                source_id);
}

// Returns one RECORD line; `members` is JSON text like "\"body\":\"…\"".
inline std::string record_line(std::string_view id, std::string_view members) {
  std::string line = "{\"key\":";
  json::append_string(line, id);
  line += ",\"data\":{\"id\":";
  json::append_string(line, id);
  if (!members.empty()) line += ",";
  line += members;
  return line + "}}\n";
}

inline std::string text_member(std::string_view name, std::string_view value) {
  std::string member;
  json::append_string(member, name);
  member += ":";
  json::append_string(member, value);
  return member;
}

class ServerFixture : public StoreFixture {
 protected:
  ServerFixture() : server_(store(), clock_) {
    EXPECT_TRUE(store().add_owner("local", clock_.now()));
    must(server_.sources().add(owner(), notes_declaration(), "notes"));
    must(server_.sources().add_connection(owner(), "notes", "", "work"));
  }

  server::ResourceServer& server() { return server_; }
  StillClock& clock() { return clock_; }
  server::Access owner(std::string_view name = "local") { return must(server_.accesses().local_owner(name)); }

  server::IngestReport ingest(std::string_view lines, const std::string& connection = "work", const std::string& stream = "notes",
                              std::string_view owner_name = "local") {
    TextSource bytes(lines);
    server::LineSource source(bytes, limits::kMaxLineBytes);
    QuietObserver observer;
    return must(server_.ingest().put_records(owner(owner_name), {connection, stream}, source, observer));
  }
  void put(std::string_view id, std::string_view members, const std::string& connection = "work") {
    const server::IngestReport report = ingest(record_line(id, members), connection);
    ASSERT_EQ(report.accepted, 1) << server::to_json(report);
  }

  server::IssuedGrants issue(std::vector<server::GrantSelection> streams, std::string_view owner_name = "local") {
    server::GrantRequest request;
    request.client_id = "agent";
    request.streams = std::move(streams);
    return must(server_.grants().create(owner(owner_name), request));
  }
  // Returns the access of a client with exactly this grant.
  server::Access client(server::GrantSelection selection) {
    return must(server_.accesses().authenticate(issue({std::move(selection)}).token));
  }

  static api::FieldWindowRequest window_request(std::string record_id, std::string field, model::WindowArguments window = {},
                                                std::string connection = "work", std::string stream = "notes") {
    return {{std::move(connection), std::move(stream), std::move(record_id)}, std::move(field), std::move(window)};
  }
  Result<api::FieldWindow> read(const server::Access& access, std::string record_id, std::string field,
                                model::WindowArguments window = {}) {
    return server_.windows().read(access, window_request(std::move(record_id), std::move(field), std::move(window)));
  }

 private:
  StillClock clock_;
  server::ResourceServer server_;
};

inline model::WindowArguments at_offset(std::int64_t offset, std::int64_t limit) {
  model::WindowArguments arguments;
  arguments.offset_chars = offset;
  arguments.limit_chars = limit;
  return arguments;
}
inline model::WindowArguments at_cursor(std::string cursor) {
  model::WindowArguments arguments;
  arguments.cursor = std::move(cursor);
  return arguments;
}
inline model::WindowArguments for_query(std::string q) {
  model::WindowArguments arguments;
  arguments.q = std::move(q);
  return arguments;
}

}  // namespace ladder::test_support
