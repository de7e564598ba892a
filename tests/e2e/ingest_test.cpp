// ladder ingest in pipelines: receipts, signals, pipes, repeated lines.
#include "owner.h"

#include "base/text/format.h"

#include <csignal>

namespace ladder::e2e {
namespace {

class Ingest : public EveryEngine {
 protected:
  Ingest() { owner.set_up(); }
  std::int64_t stored() const {
    const auto shown = owner.json({"connection", "show", "home"});
    for (const auto& stream : shown.at("streams").as_array()) {
      if (stream.at("name") == "notes") return stream.at("records").as_int64();
    }
    return -1;
  }
};

std::int64_t durable_through(const std::string& receipt) {
  const auto value = Outcome{0, receipt, ""}.json();
  return number_at(value, "/durable_through");
}

TEST_P(Ingest, RepeatedLinesChangeNothing) {
  const std::string lines = note("n1", "a") + "\n" + note("n2", "b");
  EXPECT_EQ(number_at(owner.ingest(lines, {"--json"}).json(), "/added"), 2);
  const auto again = owner.ingest(lines, {"--json"}).json();
  EXPECT_EQ(number_at(again, "/unchanged"), 2);
  EXPECT_EQ(number_at(again, "/records_accepted"), 2);
  EXPECT_EQ(number_at(owner.ingest(note("n1", "c"), {"--json"}).json(), "/changed"), 1);
}

TEST_P(Ingest, FilesAndStandardInputGiveTheSame) {
  const std::string path = owner.write_file("lines.ndjson", note("n1", "a"));
  EXPECT_EQ(owner.ingest("", {path}).exit_code, 0);
  EXPECT_EQ(owner.ingest(note("n2", "b"), {"-"}).exit_code, 0);
  EXPECT_EQ(stored(), 2);
}

TEST_P(Ingest, ReceiptsFollowDurableBatches) {
  Process process(owner.surroundings(), {"ingest", "--connection", "home", "--stream", "notes", "--receipts", "--json"});
  std::int64_t sent = 0, through = 0;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < 500; ++i) process.write(note(format("n{}", ++sent), "body"));
  }
  process.close_input();
  std::string last;
  while (const auto line = process.read_line()) {
    if (line->starts_with("{\"durable_through\"")) {
      EXPECT_GE(durable_through(*line), through);
      through = durable_through(*line);
    } else {
      last = *line;
    }
  }
  EXPECT_EQ(process.wait().exit_code, 0);
  EXPECT_EQ(through, sent);
  EXPECT_EQ(number_at(Outcome{0, last, ""}.json(), "/records_accepted"), sent);
  EXPECT_EQ(stored(), sent);
}

TEST_P(Ingest, CtrlCKeepsAndReportsDurableRecords) {
  Process process(owner.surroundings(), {"ingest", "--connection", "home", "--stream", "notes", "--receipts"});
  std::int64_t sent = 0;
  std::optional<std::string> receipt;
  while (!receipt && sent < 200'000) {
    for (int i = 0; i < 500; ++i) process.write(note(format("n{}", ++sent), "body"));
    receipt = process.read_line(std::chrono::milliseconds(1));
  }
  ASSERT_TRUE(receipt);
  process.write("{\"key\":\"half a li");  // the program is reading a partial line when the signal comes
  process.signal(SIGINT);
  const Outcome outcome = process.wait();
  EXPECT_EQ(outcome.exit_code, 1) << outcome.summary();
  EXPECT_NE(outcome.err.find("stopped; lines up to "), std::string::npos) << outcome.summary();
  std::int64_t through = 0;
  for (std::size_t at = 0, end; (end = outcome.out.find('\n', at)) != std::string::npos; at = end + 1) {
    through = durable_through(outcome.out.substr(at, end - at));
  }
  EXPECT_GT(through, 0);
  EXPECT_EQ(stored(), through);
}

TEST_P(Ingest, AClosedOutputDoesNotStopIt) {
  std::string lines;
  for (int i = 0; i < 5000; ++i) lines += note(format("n{}", i), "body");
  const std::string path = owner.write_file("lines.ndjson", lines);
  const std::string command = "bash -c 'set -o pipefail; LADDER_DB=" + owner.place().location() +
                              " " LADDER_BINARY " ingest --connection home --stream notes --receipts " + path +
                              " 2>/dev/null | head -n 1 >/dev/null'";
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 0);
  EXPECT_EQ(stored(), 5000);
}

TEST_P(Ingest, AppendOnlyStreamsKeepTheirRecords) {
  const std::vector<std::string> words = {"ingest", "--connection", "home", "--stream", "log", "--json"};
  const std::string line = R"({"key":"l1","data":{"id":"l1","text":"first"}})";
  EXPECT_EQ(owner.ladder(words, line + "\n" + line + "\n").exit_code, 0);
  const Outcome other = owner.ladder(words, R"({"key":"l1","data":{"id":"l1","text":"second"}})");
  EXPECT_EQ(other.exit_code, 1) << other.summary();
  EXPECT_EQ(number_at(other.json(), "/records_rejected"), 1);
  EXPECT_EQ(text_at(owner.json({"read", "home/log:l1", "text"}), "/window/text"), "first");
}

LADDER_FOR_EVERY_ENGINE(Ingest);

}  // namespace
}  // namespace ladder::e2e
