// The complete MCP server over the real resource server, as a host sees it: JSON-RPC in, results as on the wire. Every
// call also checks the properties of all responses: one text item, its schema, its size, and no window URI in what a
// model sees.
#pragma once

#include "base/text/utf8.h"
#include "mcp/protocol/server.h"
#include "mcp/testing/tool_bench.h"
#include "server/local_port.h"
#include "support/server_fixture.h"

#include <set>

namespace ladder::dialogue {

using boost::json::value;
using mcp::testing::json_text;
using mcp::testing::repeated;

// A result of tools/call.
struct HostResult {
  value result;

  std::string text() const { return std::string(result.at("content").at(0).at("text").as_string()); }
  std::vector<std::string> lines() const { return mcp::testing::lines_of(text()); }
  std::vector<mcp::ToolCall> calls() const {  // the calls that a model can make; fenced owner text contains none
    const std::string all = text();
    return mcp::testing::calls_in(std::string_view(all).substr(0, all.find("⟪owner-data ")));
  }
  bool is_error() const { return result.as_object().contains("isError") && result.at("isError").as_bool(); }
  const value& at(std::string_view pointer) const { return result.at("structuredContent").at_pointer(pointer); }
  std::string string(std::string_view pointer) const { return std::string(at(pointer).as_string()); }
  std::int64_t number(std::string_view pointer) const { return at(pointer).to_number<std::int64_t>(); }
  bool has(std::string_view part) const { return text().find(part) != std::string::npos; }
  value error() const { return boost::json::parse(lines().front()).at("error"); }
  std::string code() const { return is_error() ? std::string(error().at("code").as_string()) : ""; }
};

class Host {
 public:
  Host(server::ResourceServer& server, server::Access access, mcp::Options options = {})
      : port_(server.read_roles(), std::move(access)), server_(with_key(std::move(options)), mcp::ladder_tool_registry()) {}

  value request(std::string_view method, std::string_view params) {
    const std::string message = format(R"({{"jsonrpc":"2.0","id":1,"method":"{}","params":{}}})", method, params);
    return boost::json::parse(server_.handle(message, {}, port_, {}).body);
  }

  HostResult call(const mcp::ToolCall& call) { return this->call(call.tool, call.args); }
  HostResult call(const value& call) {
    return this->call(std::string(call.at("tool").as_string()), boost::json::serialize(call.at("args")));
  }
  HostResult call(std::string_view tool, std::string_view arguments) {
    const value reply =
        request("tools/call", format(R"({{"name":"{}","arguments":{},"_meta":{{"dev.pdpp/resources":true}}}})", tool, arguments));
    HostResult said{reply.at("result")};
    check(tool, said);
    return said;
  }
  HostResult read(std::string_view id, std::string_view field, std::string_view more = "") {
    return call("read_record_field", format(R"({{"id":{},"field_path":{}{}}})", json_text(id), json_text(field), more));
  }

  // Returns the result of a resource read, or its error.
  value resource(std::string_view uri) {
    const value reply = request("resources/read", format(R"({{"uri":{}}})", json_text(uri)));
    return reply.as_object().contains("result") ? reply.at("result") : reply.at("error");
  }

 private:
  static mcp::Options with_key(mcp::Options options) {
    options.fence_key = std::string(32, 'k');
    options.provider_url = "https://ladder.example";
    return options;
  }

  void check(std::string_view tool, const HostResult& said) {
    EXPECT_LE(boost::json::serialize(said.result).size(), server_.options().result_bytes) << tool;
    const auto& content = said.result.at("content").as_array();
    EXPECT_EQ(content.front().at("type"), "text");
    if (server_.options().resource_links == mcp::ResourceLinks::kOff) {
      EXPECT_EQ(content.size(), 1U) << "R139 R184 R185 R190";
    }
    EXPECT_EQ(said.text().find("pdpp://field-window/"), std::string::npos);
    if (said.is_error()) {
      EXPECT_FALSE(said.result.as_object().contains("structuredContent"));
      EXPECT_EQ(said.lines().size(), 2U) << said.text();
      return;
    }
    const std::string structured = boost::json::serialize(said.result.at("structuredContent"));
    EXPECT_EQ(structured.find("pdpp://field-window/"), std::string::npos);
    const auto schema = json::Schema::compile(boost::json::parse(mcp::find_tool(tool)->output_schema));
    EXPECT_FALSE(schema->validate(json::value_of(structured))) << structured;
  }

  server::LocalPort port_;
  mcp::Server server_;
};

// Meaningless names, and meaningful names of the same lengths; everything else is the same.
struct Names {
  std::string source, stream, title, text, other, number, time;
};
inline const Names kNonsense{"zorpl", "flumm", "quuxo", "blip", "wexo", "nints", "zintle"};
inline const Names kEnglish{"gmail", "mails", "topic", "body", "memo", "likes", "posted"};

inline std::string declaration(const Names& n, std::string_view source) {
  return format(R"({{"protocol_version":"0.1.0","source":{{"kind":"connector","id":"https://sources.example/{0}"}},
    "declaration_version":"1","publisher":{{"id":"https://sources.example/"}},"display":{{"name":"A source"}},
    "streams":[{{"name":"{1}","semantics":"mutable_state","primary_key":["id"],"cursor_field":"{6}","consent_time_field":"{6}",
      "selection":{{"fields":true,"resources":true}},
      "schema":{{"type":"object","required":["id"],"properties":{{"id":{{"type":"string"}},"{2}":{{"type":["string","null"]}},
        "{3}":{{"type":["string","null"]}},"{4}":{{}},"{5}":{{"type":"integer"}},"{6}":{{"type":"string","format":"date-time"}},
        "se/cr~et":{{"type":"string"}},"blob_ref":{{"type":"object","required":["blob_id"],"properties":{{"blob_id":{{"type":"string"}},
          "mime_type":{{"type":"string"}},"sha256":{{"type":"string"}},"size_bytes":{{"type":"integer"}}}}}}}}}},
      "query":{{"search":{{"lexical_fields":["{2}","{3}"]}},"aggregations":{{"count":true,"group_by":["{2}"]}}}}}},
    {{"name":"pairs","semantics":"mutable_state","primary_key":["left","right"],"selection":{{"fields":true,"resources":true}},
      "schema":{{"type":"object","properties":{{"left":{{"type":"string"}},"right":{{"type":"string"}},"{3}":{{"type":"string"}}}}}},
      "query":{{"search":{{"lexical_fields":["{3}"]}}}}}}]}})",
                source, n.stream, n.title, n.text, n.other, n.number, n.time);
}

class Dialogue : public test_support::ServerFixture {
 protected:
  Dialogue() {
    add_source(kNonsense, "zorpl");
    add_connection("zorpl", "one");
    add_connection("zorpl", "two");
  }

  void add_source(const Names& names, const std::string& key) {
    test_support::must(server().sources().add(owner(), declaration(names, key), key));
  }
  void add_connection(const std::string& source, const std::string& id) {
    test_support::must(server().sources().add_connection(owner(), source, "Name of " + id, id));
  }

  void give(std::string_view id, std::string_view members, const std::string& connection = "one",
            const std::string& stream = "flumm") {
    const server::IngestReport report = ingest(test_support::record_line(id, members), connection, stream);
    ASSERT_EQ(report.accepted, 1) << server::to_json(report);
  }
  static std::string text(std::string_view name, std::string_view value) { return test_support::text_member(name, value); }

  Host host(std::vector<server::GrantSelection> granted, mcp::Options options = {}) {
    return {server(), test_support::must(server().accesses().authenticate(issue(std::move(granted)).token)), std::move(options)};
  }
  Host reader(mcp::Options options = {}) { return host({{"", "flumm", {}, {}, {}, {}}}, std::move(options)); }
  static mcp::Options bounded(std::size_t bytes) {
    mcp::Options options;
    options.result_bytes = bytes;
    return options;
  }
};

}  // namespace ladder::dialogue
