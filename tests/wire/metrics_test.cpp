// /metrics of the real program: an operator's figures, without any names.
#include "rest_fixture.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

namespace ladder::wire {
namespace {

class MetricsOverHttp : public Rest {
 protected:
  std::string metrics() { return get("/metrics", "").text; }

  // Returns the value of a series as printed; -1: there is none.
  double value(const std::string& series) {
    const std::string text = "\n" + metrics();
    const std::size_t at = text.find("\n" + series + " ");
    return at == std::string::npos ? -1 : std::strtod(text.c_str() + at + series.size() + 2, nullptr);
  }
  // Returns the response to bytes that no client library would send.
  std::string send_raw(std::string_view bytes) {
    const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port());
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    EXPECT_EQ(::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL), std::ssize(bytes));
    std::array<char, 4096> answer{};
    const ssize_t size = ::recv(socket, answer.data(), answer.size(), 0);
    ::close(socket);
    return {answer.data(), static_cast<std::size_t>(std::max<ssize_t>(size, 0))};
  }
  bool becomes(const std::string& series, double wanted) {
    for (int i = 0; i < 200; ++i) {
      if (value(series) == wanted) return true;
      ::usleep(50'000);
    }
    return false;
  }
};

TEST_P(MetricsOverHttp, IncludeStoreAndPool) {
  EXPECT_GT(value("ladder_store_schema_version"), 0);
  EXPECT_GE(value("ladder_store_connections{state=\"idle\"}"), 0);
  EXPECT_GE(value("ladder_store_connections{state=\"in_use\"}"), 0);
  EXPECT_EQ(value("ladder_store_waiting"), 0);
  EXPECT_GT(value("ladder_workers{state=\"idle\"}") + value("ladder_workers{state=\"busy\"}"), 0);
  const bool has_files = store().engine() == "sqlite";
  // On PostgreSQL it is measured once the server has started.
  for (int i = 0; i < 6'000 && value("ladder_store_bytes") <= 0; ++i) ::usleep(10'000);
  EXPECT_GT(value("ladder_store_bytes"), 0);
  EXPECT_EQ(value("ladder_store_wal_bytes") >= 0, has_files);
}

// Refusals before routing: an operator who sees no 400 and no 503 would believe that all is well.
TEST_P(MetricsOverHttp, RefusalsAreCountedAndLoggedWithTheirSender) {
  const double before = value("ladder_request_seconds_count{route=\"-\"}");
  const std::string said = send_raw("GET /\x1b[31m HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_TRUE(said.starts_with("HTTP/1.1 400 ")) << said;
  EXPECT_EQ(value("ladder_requests_total{route=\"-\",status=\"400\"}"), 1);
  EXPECT_EQ(value("ladder_request_seconds_count{route=\"-\"}"), before) << "there was no answer to measure";
  const std::string line = log_line_with("\"status\":400");
  EXPECT_NE(line.find("\"remote\":\"127.0.0.1\""), std::string::npos) << line;
  const std::string large = send_raw("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 999999999999\r\n\r\n");
  EXPECT_TRUE(large.starts_with("HTTP/1.1 413 ")) << large;
  EXPECT_EQ(value("ladder_requests_total{route=\"/mcp\",status=\"413\"}"), 1);
}

TEST_P(MetricsOverHttp, CountImportsWhenTheyEnd) {
  const Answer taken = send("POST", "/v1/ingest/notes?connection_id=work", owner_token(),
                            line("n1", R"({"id":"n1","title":"secret-title"})") + "no record\n",
                            headers({{"Content-Type", "application/x-ndjson"}}));
  ASSERT_EQ(taken.status, 200) << taken.text;
  EXPECT_EQ(value("ladder_import_records_total{outcome=\"stored\"}"), 1);
  EXPECT_EQ(value("ladder_import_records_total{outcome=\"rejected\"}"), 1);
  EXPECT_EQ(value("ladder_imports_total{outcome=\"finished\"}"), 1);
  EXPECT_EQ(value("ladder_imports_running"), 0);
}

TEST_P(MetricsOverHttp, CountRecordedAndRefusedLedgerEntries) {
  put("n1", text_member("title", "a title") + "," + text_member("body", "hippopotamus"));
  const auto issued = issue({{"work", "notes", {"id", "title", "body"}, {}, {}, {}}});
  ASSERT_EQ(get("/v1/streams/notes/records/n1", issued.token).status, 200);
  EXPECT_EQ(value("ladder_ledger_entries_total"), 1);
  EXPECT_TRUE(becomes("ladder_ledger_journal_bytes", 0)) << "it is swept";
  // The sweep is counted when it ends, a moment after its rows are gone.
  for (int i = 0; i < 6'000 && value("ladder_ledger_sweep_seconds_count") < 1; ++i) ::usleep(10'000);
  EXPECT_GT(value("ladder_ledger_sweep_seconds_count"), 0);
  ASSERT_TRUE(server().ledger().set_budget(owner(), issued.grant_ids.front(), 1));
  for (int i = 0; i < 100 && value("ladder_ledger_budget_refusals_total") < 1; ++i) {
    (void)get("/v1/streams/notes/records/n1", issued.token);
    ::usleep(50'000);
  }
  EXPECT_GE(value("ladder_ledger_budget_refusals_total"), 1);
  EXPECT_EQ(value("ladder_ledger_failures_total{step=\"record\"}"), 0);
  EXPECT_EQ(value("ladder_ledger_failures_total{step=\"sweep\"}"), 0);
}

TEST_P(MetricsOverHttp, ContainNoNamesAndAreValidPrometheus) {
  put("zebra-id", text_member("title", "secret-title"));
  const std::string client = token_for({"work", "notes", {"id", "title"}, {}, {}, {}});
  ASSERT_EQ(get("/v1/streams/notes/records/zebra-id", client).status, 200);
  ASSERT_EQ(get("/v1/search?q=secret", client).status, 200);
  const std::string text = metrics();
  for (const char* name : {"zebra-id", "secret", "\"local\"", "\"agent\"", "\"work\"", "grt_"}) {
    EXPECT_EQ(text.find(name), std::string::npos) << name;
  }
  if (std::system("command -v promtool >/dev/null") != 0) GTEST_SKIP() << "without promtool";
  char path[] = "/tmp/ladder-metrics-XXXXXX";
  ::close(::mkstemp(path));
  std::ofstream(path) << text;
  const auto checked = test_support::run({"/bin/sh", "-c", std::string("promtool check metrics < ") + path});
  ::unlink(path);
  EXPECT_EQ(checked.exit_code, 0) << checked.output << text;
}

// Rules and dashboard refer only to series that exist from the start or after the first call.
TEST_P(MetricsOverHttp, RulesAndDashboardNameExistingSeries) {
  const std::string client = token_for({"work", "notes", {"id"}, {}, {}, {}});
  (void)send("POST", "/mcp", client,
             R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"schema","arguments":{}}})",
             headers({{"Content-Type", "application/json"}, {"Accept", "application/json"}}));
  const std::set<std::string> of_sqlite = {"ladder_store_wal_bytes"},
                              of_postgres = {"ladder_store_failed_waits_total", "ladder_store_standbys",
                                             "ladder_store_lag_bytes"};
  const std::set<std::string>& of_other_engine = store().engine() == "sqlite" ? of_postgres : of_sqlite;
  std::set<std::string> shown;
  std::istringstream lines(metrics());
  for (std::string one; std::getline(lines, one);) shown.insert(one.substr(0, one.find_first_of("{ ")));
  for (const char* file : {"alerts.yml", "grafana.json"}) {
    std::ifstream in(std::string(LADDER_SOURCE_DIR) + "/packaging/monitoring/" + file);
    std::stringstream text;
    text << in.rdbuf();
    const std::string all = text.str();
    ASSERT_FALSE(all.empty()) << file;
    static const std::regex kName("ladder_[a-z_]+");
    for (std::sregex_iterator at(all.begin(), all.end(), kName), end; at != end; ++at) {
      const std::string name = at->str();
      EXPECT_TRUE(of_other_engine.contains(name) || shown.contains(name)) << file << " names " << name;
    }
  }
}

LADDER_FOR_EVERY_ENGINE(MetricsOverHttp);

TEST_P(MetricsOverHttp, HideFiguresFromClientsAndProxiedCallers) {
  const std::string client = token_for({"work", "notes", {"id"}, {}, {}, {}});
  expect_error(get("/metrics", client), 403, "permission_error");
  for (const char* name : {"X-Forwarded-For", "X-Real-IP", "Forwarded", "Via"}) {
    const Answer through_proxy = get("/metrics", "", headers({{name, "203.0.113.9"}}));
    EXPECT_EQ(through_proxy.status, 401) << name;
    EXPECT_EQ(through_proxy.text.find("ladder_"), std::string::npos) << name;
    EXPECT_EQ(get("/metrics", owner_token(), headers({{name, "203.0.113.9"}})).status, 200) << name;
  }
  EXPECT_EQ(get("/metrics", "").status, 200) << "a program on this computer";
}

// With an https address and no TLS of its own the server is behind a proxy, and every request comes from loopback.
class MetricsOverProxy : public Rest {
 protected:
  MetricsOverProxy() : Rest({"--public-url", "https://data.example"}) {}
};
LADDER_FOR_EVERY_ENGINE(MetricsOverProxy);

TEST_P(MetricsOverProxy, LoopbackIsNotEnough) {
  EXPECT_EQ(get("/metrics", "").status, 401);
  EXPECT_EQ(get("/metrics", owner_token()).status, 200);
}

}  // namespace
}  // namespace ladder::wire
