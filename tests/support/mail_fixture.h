// A resource server with text to search: a source "mail" with the connections inbox and archive, and a source "chat"
// with the connection team, whose stream has the same name.
#pragma once

#include "support/server_fixture.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::test_support {

// Streams messages (id, subject, body, private, folder, size, sent_at; `searched` of them) and files (nothing
// searchable).
inline std::string mail_declaration(std::string_view version = "1",
                                    const std::vector<std::string>& searched = {"subject", "body", "private"}) {
  std::string names;
  for (const std::string& name : searched) names += (names.empty() ? "\"" : ",\"") + name + '"';
  return format(R"({{"protocol_version":"0.1.0","source":{{"kind":"connector","id":"https://sources.example/mail"}},
    "declaration_version":"{}","publisher":{{"id":"https://sources.example/"}},"display":{{"name":"Mail"}},
    "streams":[
      {{"name":"messages","semantics":"mutable_state","primary_key":["id"],"cursor_field":"sent_at",
        "consent_time_field":"sent_at","selection":{{"fields":true,"resources":true}},
        "schema":{{"type":"object","required":["id"],"properties":{{"id":{{"type":"string"}},
          "subject":{{"type":"string","x_pdpp_role":"primary-title"}},"body":{{"type":"string"}},"private":{{"type":"string"}},
          "folder":{{"type":"string"}},"size":{{"type":"integer"}},"sent_at":{{"type":"string","format":"date-time"}}}}}},
        "query":{{"search":{{"lexical_fields":[{}]}},"range_filters":{{"size":["gte","lt"],"sent_at":["gte","lt"]}}}}}},
      {{"name":"files","semantics":"mutable_state","primary_key":["id"],"selection":{{"fields":true,"resources":true}},
        "schema":{{"type":"object","properties":{{"id":{{"type":"string"}},"name":{{"type":"string"}}}}}}}}]}})",
                version, names);
}

inline std::string chat_declaration() {
  return R"({"protocol_version":"0.1.0","source":{"kind":"connector","id":"https://sources.example/chat"},
    "declaration_version":"1","publisher":{"id":"https://sources.example/"},"display":{"name":"Chat"},
    "streams":[{"name":"messages","semantics":"append_only","primary_key":["id"],"selection":{"fields":true,"resources":true},
      "schema":{"type":"object","properties":{"id":{"type":"string"},"text":{"type":"string"}}},
      "query":{"search":{"lexical_fields":["text"]}}}]})";
}

struct Mail {
  std::string subject = {}, body = {}, hidden = {};
  std::string folder = "all";
  std::int64_t size = 1;
  std::string sent_at = "2026-01-01T00:00:00Z";  // empty: none

  std::string members() const {
    std::string text = text_member("subject", subject) + "," + text_member("body", body) + "," + text_member("private", hidden) +
                       "," + text_member("folder", folder) + format(",\"size\":{}", size);
    if (!sent_at.empty()) text += "," + text_member("sent_at", sent_at);
    return text;
  }
};

class MailFixture : public ServerFixture {
 protected:
  MailFixture() {
    must(server().sources().add(owner(), mail_declaration(), "mail"));
    must(server().sources().add_connection(owner(), "mail", "At work", "inbox"));
    must(server().sources().add_connection(owner(), "mail", "", "archive"));
    must(server().sources().add(owner(), chat_declaration(), "chat"));
    must(server().sources().add_connection(owner(), "chat", "", "team"));
  }

  void put_mail(std::string_view id, const Mail& mail, const std::string& connection = "inbox") {
    const server::IngestReport report = ingest(record_line(id, mail.members()), connection, "messages");
    ASSERT_EQ(report.accepted, 1) << server::to_json(report);
  }
  void put_chat(std::string_view id, std::string_view text) {
    const server::IngestReport report = ingest(record_line(id, text_member("text", text)), "team", "messages");
    ASSERT_EQ(report.accepted, 1) << server::to_json(report);
  }
  void erase_mail(const std::string& id, const std::string& connection = "inbox") {
    ASSERT_TRUE(server().erasures().erase_record(owner(), {connection, "messages", id}));
  }

  // Declares a new version of the mail source, before any record is reindexed.
  void declare_without_reindexing(std::string_view version, const std::vector<std::string>& searched) {
    const auto mine = must(store().find_owner("local"));
    ASSERT_TRUE(mine);
    const store::Catalog catalog = must(store().catalog(mine->no));
    store::SourceRow row = *std::ranges::find(catalog.sources, "mail", &store::SourceRow::key);
    row.version = version;
    row.declaration = mail_declaration(version, searched);
    const std::vector<store::Store::StreamFields> streams = {
        {"messages",
         {"id", "subject", "body", "private", "folder", "size", "sent_at"},
         {{"size", store::IndexKind::kNumber}, {"sent_at", store::IndexKind::kDays}},
         searched},
        {"files", {"id", "name"}, {}, {}}};
    must(store().put_source(mine->no, row, streams));
  }
};

}  // namespace ladder::test_support
