// ladder mcp --provider-url: the real program over its standard input and output, reading from the real `ladder serve`.
#include "owner.h"

#include <sys/stat.h>
#include <boost/json.hpp>

#include <csignal>
#include <fstream>
#include <regex>

namespace ladder::e2e {
namespace {

const std::string kList = R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})";

std::string call(int id, std::string_view tool, std::string_view arguments) {
  return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"method":"tools/call","params":{"name":")" + std::string(tool) +
         R"(","arguments":)" + std::string(arguments) + "}}\n";
}

class Provider : public EveryEngine {
 protected:
  Provider() {
    owner.set_up();
    owner.write_file("searchable.json", searchable_notes_declaration());
    owner.done({"source", "add", owner.file("searchable.json").string()});
    std::string body = "the third clock. ";
    for (int i = 0; i < 500; ++i) body += "many more words 漢🙂. ";
    EXPECT_EQ(owner.ingest(note("n1", body) + note("n2", "another clock")).exit_code, 0);
    const auto issued = owner.json({"grant", "create", "--client", "agent", "--stream", "notes:id,body"});
    token = text_at(issued, "/token");
    grant = std::string(issued.at("grant_ids").as_array().front().as_string());
    serving =
        std::make_unique<Process>(owner.surroundings(), std::vector<std::string>{"serve", "--listen", "127.0.0.1:0", "--json"});
    const auto announced = serving->read_line();
    EXPECT_TRUE(announced);
    url = announced ? text_at(boost::json::parse(*announced), "/url") : "";
  }
  ~Provider() override { serving->signal(SIGTERM); }

  // The environment of a remote host: no store, only the address and what a test provides.
  Surroundings elsewhere() {
    Surroundings host;
    host.folder = owner.file("elsewhere");
    std::filesystem::create_directories(host.folder);
    host.environment["LADDER_DB"] = "/nowhere/at/all.db";
    return host;
  }
  std::filesystem::path cache_file() const {
    std::string name = url.substr(std::string_view("http://").size());
    name[name.find(':')] = '_';
    return owner.file("elsewhere") / ".pdpp/clients" / (name + ".json");
  }
  void write_cache(const std::string& access_token, mode_t mode = 0600, std::string_view more = "") const {
    std::filesystem::create_directories(cache_file().parent_path());
    std::ofstream(cache_file(), std::ios::trunc) << R"({"credential":{"access_token":")" << access_token << '"' << more << "}}";
    ::chmod(cache_file().c_str(), mode);
  }

  std::string token, grant, url;
  std::unique_ptr<Process> serving;
};

std::string reply_to(Process& process, const std::string& message) {
  process.write(message);
  const auto line = process.read_line();
  EXPECT_TRUE(line) << "no reply came";
  return line.value_or("{}");
}

// Removes the one intended difference: the other server's request id.
std::string without_request_id(const std::string& reply) {
  static const std::regex kId(R"re(,\\*"request_id\\*":(null|\\*"[a-z0-9_-]*\\*"))re");
  return std::regex_replace(reply, kId, "");
}

// Local and remote calls give the same responses, byte for byte. (Each host has its own fence key, so the test compares
// fenced text by its structured result.)
TEST_P(Provider, AnswersLikeTheStore) {
  Surroundings there = elsewhere();
  there.environment["LADDER_TOKEN"] = token;
  Surroundings here = owner.surroundings();
  here.environment["LADDER_TOKEN"] = token;
  here.environment["LADDER_PUBLIC_URL"] = url;  // citations name the server in both
  Process remote(there, {"mcp", "--provider-url", url});
  Process local(here, {"mcp"});
  const std::vector<std::string> questions = {
      kList + "\n",
      call(2, "schema", "{}"),
      call(3, "schema", R"({"stream":"notes"})"),
      call(4, "query_records", R"({"stream":"notes"})"),
      call(5, "search", R"({"query":"clock"})"),
      call(6, "fetch", R"({"id":"home/notes:n1"})"),
      call(7, "aggregate", R"({"stream":"notes","metric":"count"})"),
      call(8, "read_record_field", R"({"id":"home/notes:n1","field_path":"diary"})"),
      call(9, "fetch", R"({"id":"home/notes:nothing"})"),
  };
  for (const std::string& question : questions) {
    EXPECT_EQ(without_request_id(reply_to(remote, question)), without_request_id(reply_to(local, question))) << question;
  }
  // Reads windows to the end of the field by the returned cursors.
  std::string arguments = R"({"id":"home/notes:n1","field_path":"body","limit_chars":3000})";
  for (int windows = 0; !arguments.empty() && windows < 20; ++windows) {
    const auto one = boost::json::parse(reply_to(remote, call(10, "read_record_field", arguments))).at("result");
    const auto other = boost::json::parse(reply_to(local, call(10, "read_record_field", arguments))).at("result");
    EXPECT_EQ(boost::json::serialize(one.at("structuredContent")), boost::json::serialize(other.at("structuredContent")));
    const auto& cursor = one.at("structuredContent").at("window").at("next_cursor");
    arguments = cursor.is_null()
                    ? ""
                    : R"({"id":"home/notes:n1","field_path":"body","cursor":")" + std::string(cursor.as_string()) + "\"}";
  }
  EXPECT_TRUE(arguments.empty());
  for (Process* const process : {&remote, &local}) {
    process->close_input();
    EXPECT_EQ(process->wait().exit_code, 0);
  }
}

TEST_P(Provider, TheTokenIsRereadFromTheCache) {
  const auto second = owner.json({"grant", "create", "--client", "agent", "--stream", "notes:id,body"});
  write_cache(token, 0600, R"(,"token_type":"Bearer","expires_at":"2999-01-01T00:00:00Z")");
  Surroundings host = elsewhere();
  host.environment["PDPP_PROVIDER_URL"] = url + "/";
  Process process(host, {"mcp"});
  const std::string question = call(1, "read_record_field", R"({"id":"home/notes:n2","field_path":"body"})");
  EXPECT_NE(reply_to(process, question).find("another clock"), std::string::npos);
  write_cache(text_at(second, "/token"));  // the token was refreshed, and the old one is invalid
  owner.done({"grant", "revoke", grant});
  EXPECT_NE(reply_to(process, question).find("another clock"), std::string::npos);
  const auto first =
      boost::json::parse(reply_to(process, call(2, "read_record_field", R"({"id":"home/notes:n1","field_path":"body"})")));
  const std::string cursor = text_at(first, "/result/structuredContent/window/next_cursor");
  EXPECT_NE(
      reply_to(process, call(3, "read_record_field", R"({"id":"home/notes:n1","field_path":"body","cursor":")" + cursor + "\"}"))
          .find("\"start_chars\":4096"),
      std::string::npos);
  serving->signal(SIGTERM);
  EXPECT_EQ(serving->wait().exit_code, 0);
  EXPECT_NE(reply_to(process, question).find("rs_unreachable"), std::string::npos);
  process.close_input();
  const Outcome outcome = process.wait();
  EXPECT_EQ(outcome.exit_code, 0);
  EXPECT_NE(outcome.err.find("reading from " + url), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find(".pdpp/clients/"), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find("ldr_"), std::string::npos) << "a token is never shown";
  EXPECT_FALSE(std::filesystem::exists(host.folder / ".pdpp/cursor.key")) << "a server that seals cursors needs no key here";
}

TEST_P(Provider, WithoutACredentialNothingIsRead) {
  Surroundings host = elsewhere();
  const auto expect = [&](int code, std::string_view told) {
    const Outcome outcome = run(host, {"mcp", "--provider-url", url}, kList);
    EXPECT_EQ(outcome.exit_code, code) << outcome.summary();
    EXPECT_NE(outcome.out.find("\"tools\""), std::string::npos) << "hosts get their list: " << outcome.summary();
    EXPECT_NE(outcome.err.find(told), std::string::npos) << outcome.summary();
    EXPECT_EQ(outcome.err.find("ldr_"), std::string::npos) << outcome.summary();
    const Outcome called = run(host, {"mcp", "--provider-url", url},
                               R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"schema","arguments":{}}})"
                               "\n");
    EXPECT_NE(called.out.find("\"isError\":true"), std::string::npos) << called.summary();
    EXPECT_NE(called.out.find(told), std::string::npos) << called.summary();
    EXPECT_EQ(called.out.find("ldr_"), std::string::npos) << called.summary();
  };
  expect(78, "LADDER_TOKEN");
  EXPECT_TRUE(std::filesystem::is_empty(host.folder)) << "starting makes nothing";
  write_cache(token, 0644);
  expect(78, "chmod 600 ");
  write_cache(token, 0600, R"(,"expires_at":"2020-01-01T00:00:00Z")");
  expect(78, "expired");
  write_cache("", 0600);
  expect(78, "access_token");
  write_cache(token, 0600, R"(,"kind":"owner")");
  expect(77, "owner");
  host.environment["LADDER_TOKEN"] = text_at(owner.json({"token", "create"}), "/token");
  expect(77, "owner");
  host.environment["LADDER_TOKEN"] = token;
  const Outcome bad = run(host, {"mcp", "--provider-url", url, "--provider-ca", "/nowhere.pem"}, "");
  EXPECT_EQ(bad.exit_code, 0) << "no TLS, no certificates: " << bad.summary();
  EXPECT_EQ(run(host, {"mcp", "--provider-url", "https://127.0.0.1:1", "--provider-ca", "/nowhere.pem"}, "").exit_code, 64);
}

INSTANTIATE_TEST_SUITE_P(, Provider, ::testing::Values("sqlite"));

}  // namespace
}  // namespace ladder::e2e
