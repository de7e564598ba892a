// The full workflow on both engines: a store, a source, records, windows forward and back, a grant, its limits and its
// end.
#include "owner.h"

#include "base/text/format.h"
#include "base/text/utf8.h"

namespace ladder::e2e {
namespace {

// Text in several scripts in which no two neighboring windows are alike.
std::string long_text() {
  std::string text;
  for (int i = 0; i < 3000; ++i) text += format("{}: ключ ключей — Schlüssel 鍵 🗝️ مفتاح\n", i);
  return text;
}

class Journey : public EveryEngine {};

TEST_P(Journey, GetsFromAnEmptyFolderToARevokedGrant) {
  EXPECT_EQ(owner.ladder({"connection", "list"}).exit_code, 78);
  owner.set_up();
  const std::string text = long_text();
  const auto receipt = owner.ingest(note("n1", text) + note("n2", "short"), {"--json"});
  ASSERT_EQ(receipt.exit_code, 0) << receipt.summary();
  EXPECT_EQ(number_at(receipt.json(), "/records_accepted"), 2);

  const auto grant = owner.json({"grant", "create", "--client", "assistant", "--stream", "home/notes:title,body"});
  const std::string grant_id = text_at(grant, "/grant_ids/0"), token = text_at(grant, "/token");
  const auto as_client = [&](std::vector<std::string> words) {
    words.insert(words.end(), {"--token", token, "--json"});
    return owner.ladder(words);
  };

  // Reads forward by cursor to the end and back again, without a gap or an overlap.
  std::string forward, backward;
  for (std::string cursor;;) {
    std::vector<std::string> words = {"read", "home/notes:n1", "body", "--limit", "16384"};
    if (!cursor.empty()) words.insert(words.end(), {"--cursor", cursor});
    const auto window = as_client(words).json();
    forward += text_at(window, "/window/text");
    if (window.at("window").at("next_cursor").is_null()) {
      cursor = text_at(window, "/window/previous_cursor");
      backward = text_at(window, "/window/text");
      while (!cursor.empty()) {
        const auto earlier = as_client({"read", "home/notes:n1", "body", "--cursor", cursor}).json();
        backward.insert(0, text_at(earlier, "/window/text"));
        const auto& before = earlier.at("window").at("previous_cursor");
        cursor = before.is_null() ? "" : std::string(before.as_string());
      }
      break;
    }
    cursor = text_at(window, "/window/next_cursor");
  }
  EXPECT_EQ(forward, text);
  EXPECT_EQ(backward, text);

  const auto match = as_client({"read", "notes:n1", "body", "--q", "2987: КЛЮЧ", "--before", "3", "--after", "3"}).json();
  EXPECT_EQ(text_at(match, "/window/text"), utf8::slice(text, number_at(match, "/window/match_start_chars") - 3, 16));
  EXPECT_EQ(utf8::slice(text, number_at(match, "/window/match_start_chars"), 10), "2987: ключ");

  EXPECT_EQ(as_client({"read", "home/notes:n1", "diary"}).exit_code, 77);
  EXPECT_EQ(as_client({"read", "home/notes:n1", "diary"}).error_code(), "field_not_granted");
  EXPECT_EQ(as_client({"read", "home/log:n1", "text"}).error_code(), "grant_stream_not_allowed");

  EXPECT_EQ(text_at(owner.json({"grant", "show", grant_id}), "/status"), "active");
  EXPECT_EQ(text_at(owner.json({"grant", "revoke", grant_id}), "/status"), "revoked");
  const auto refused = as_client({"read", "home/notes:n1", "body"});
  EXPECT_EQ(refused.exit_code, 77);
  EXPECT_EQ(refused.error_code(), "grant_revoked");
  EXPECT_EQ(refused.out.find("ключ"), std::string::npos);
}

TEST_P(Journey, OwnersDoNotSeeEachOther) {
  owner.set_up();
  ASSERT_EQ(owner.ingest(note("n1", "mine")).exit_code, 0);
  EXPECT_EQ(owner.ladder({"read", "home/notes:n1", "body", "--owner", "eve"}).exit_code, 78);
  owner.done({"init", "--owner", "eve"});
  const auto other = owner.ladder({"read", "home/notes:n1", "body", "--owner", "eve", "--json"});
  EXPECT_EQ(other.exit_code, 1) << other.summary();
  EXPECT_EQ(other.out.find("mine"), std::string::npos);
  EXPECT_EQ(owner.json({"connection", "list", "--owner", "eve"}).at("connections").as_array().size(), 0U);
}

TEST_P(Journey, InitTwiceChangesNothing) {
  owner.set_up();
  ASSERT_EQ(owner.ingest(note("n1", "kept")).exit_code, 0);
  owner.done({"init"});
  EXPECT_EQ(text_at(owner.json({"read", "home/notes:n1", "body"}), "/window/text"), "kept");
}

TEST_P(Journey, DeletedTextLeavesTheFiles) {
  owner.set_up();
  std::string secret;
  for (int i = 0; i < 2000; ++i) secret += "xyzzyplugh ";
  ASSERT_EQ(owner.ingest(note("n1", secret) + note("n2", "xyzzyplugh short")).exit_code, 0);
  ASSERT_EQ(owner.ingest("{\"key\":\"n1\",\"op\":\"delete\"}\n{\"key\":\"n2\",\"op\":\"delete\"}\n").exit_code, 0);
  EXPECT_EQ(owner.ladder({"read", "home/notes:n1", "body", "--json"}).error_code(), "not_found");
  if (owner.place().database() != nullptr) {
    EXPECT_EQ(
        owner.place().database()->value("SELECT (SELECT count(*) FROM ladder.chunks) + (SELECT count(*) FROM ladder.records)"),
        "0");
    return;
  }
  for (const auto& entry : std::filesystem::directory_iterator(owner.place().folder().path())) {
    if (!entry.is_regular_file() || entry.path().extension() == ".json") continue;
    const std::string command = "grep -c -a xyzzyplugh '" + entry.path().string() + "' >/dev/null";
    EXPECT_NE(std::system(command.c_str()), 0) << entry.path() << " still holds the word";
  }
}

TEST_P(Journey, GrantsLimitTimesAndRecords) {
  owner.set_up();
  std::string lines;
  for (const char* month : {"01", "02", "03"}) {
    lines +=
        format(R"({{"key":"m{0}","data":{{"id":"m{0}","body":"of {0}","updated_at":"2026-{0}-15T00:00:00Z"}}}})", month) + "\n";
  }
  ASSERT_EQ(owner.ingest(lines).exit_code, 0);
  const auto timed = owner.json(
      {"grant", "create", "--client", "c", "--stream", "notes:body", "--since", "2026-02-01", "--until", "2026-03-01"});
  const auto picked =
      owner.json({"grant", "create", "--client", "c", "--stream", "notes:body", "--record", "m01", "--record", "m03"});
  const auto reads = [&](const boost::json::value& grant, const std::string& id) {
    return owner.ladder({"read", "home/notes:" + id, "body", "--json", "--token", text_at(grant, "/token")});
  };
  EXPECT_EQ(reads(timed, "m01").error_code(), "not_found");
  EXPECT_EQ(reads(timed, "m02").exit_code, 0);
  EXPECT_EQ(reads(timed, "m03").error_code(), "not_found");
  EXPECT_EQ(reads(picked, "m01").exit_code, 0);
  EXPECT_EQ(reads(picked, "m02").error_code(), "not_found");
  EXPECT_EQ(reads(picked, "m03").exit_code, 0);
}

LADDER_FOR_EVERY_ENGINE(Journey);

}  // namespace
}  // namespace ladder::e2e
