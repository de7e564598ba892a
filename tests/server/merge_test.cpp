// Two connections of one source merged into one: each key once, in its newer version, and nothing lost when the merge is
// interrupted.
#include "base/text/utf8.h"
#include "support/server_fixture.h"

#include <map>

namespace ladder::server {
namespace {

using test_support::must;
using test_support::record_line;
using test_support::text_member;

class Watches final : public MergeObserver {
 public:
  explicit Watches(std::int64_t stop_at = -1) : stop_at_(stop_at) {}
  void copied(std::int64_t records) override { copied_ = records; }
  void erased(std::int64_t records) override { erased_ = records; }
  bool wants_stop() override { return stop_at_ >= 0 && copied_ >= stop_at_; }
  std::int64_t copied_ = 0, erased_ = 0;

 private:
  std::int64_t stop_at_;
};

class Merge : public test_support::ServerFixture {
 protected:
  Merge() {
    must(server().sources().add(owner(), searched_declaration(), "notes"));
    must(server().sources().add_connection(owner(), "notes", "Old copy", "old"));
  }

  static std::string searched_declaration() {
    std::string text = test_support::notes_declaration();
    const std::string_view version = R"("declaration_version":"1")", selection = R"("selection":)";
    text.replace(text.find(version), version.size(), R"("declaration_version":"2")");
    text.insert(text.find(selection), R"("query":{"search":{"lexical_fields":["title","body"]}},)");
    return text;
  }

  void add(const std::string& connection, const std::string& key, const std::string& body, std::string_view day,
           const std::string& stream = "notes") {
    std::string line = record_line(key, text_member("body", body));
    line.insert(1, format(R"("emitted_at":"2026-0{}T00:00:00Z",)", day));
    ASSERT_EQ(ingest(line, connection, stream).accepted, 1);
  }
  std::map<std::string, std::string> bodies(const std::string& connection, const std::string& stream = "notes") {
    std::map<std::string, std::string> all;
    api::RecordsRequest request;
    request.scope.connection_id = connection;
    request.stream = stream;
    request.limit = 1'000;
    for (const api::Record& record : must(server().reads().records(owner(), request)).records) {
      const auto member = json::member(record.data, "body");
      all[record.ref.record_id] = member ? json::decode_string(json::raw_content(*member)).substr(0, 40) : "";
    }
    return all;
  }
  std::vector<std::string> found(const std::string& words) {
    api::SearchRequest request;
    request.q = words;
    std::vector<std::string> ids;
    for (const api::SearchHit& hit : must(server().search().find(owner(), request)).hits)
      ids.push_back(hit.ref.connection_id + "/" + hit.ref.record_id);
    return ids;
  }
  std::vector<std::string> connections() {
    std::vector<std::string> ids;
    for (const ConnectionSummary& one : must(server().sources().connections(owner()))) ids.push_back(one.connection_id);
    return ids;
  }
  static GrantSelection notes_of(std::string connection) { return {std::move(connection), "notes", {}, {}, {}, {}}; }
  void expect_sound() {
    EXPECT_EQ(must(store().check_invariants()), std::vector<std::string>{});
    EXPECT_EQ(must(server().ledger().check(owner())), std::vector<std::string>{});
  }
};
LADDER_FOR_EVERY_ENGINE(Merge);

TEST_P(Merge, KeepsEachKeyOnceInItsNewerVersion) {
  std::string long_text = "zeppelin ";
  while (long_text.size() < 300'000) long_text += "long text ä ";
  add("work", "both", "same in both", "1-01");
  add("old", "both", "same in both", "1-01");
  add("work", "newer-here", "aardvark", "3-01");
  add("old", "newer-here", "badger", "2-01");
  add("work", "newer-there", "camel", "2-01");
  add("old", "newer-there", "dromedary", "3-01");
  add("work", "only-work", "elephant", "1-01");
  add("old", "only-old", long_text, "1-01");
  add("old", "erased", "ferret", "1-01");
  add("work", "erased", "ferret", "1-01");
  must(server().erasures().erase_record(owner(), {"work", "notes", "erased"}));
  add("work", "d", "written first", "1-01", "diary");
  add("old", "d", "written later", "5-01", "diary");
  add("old", "e", "another day", "5-01", "diary");
  ASSERT_TRUE(server().imports().put(owner(), "old", "unit", R"({"file":"old.mbox"})"));

  const MergePreview preview = must(server().merges().preview(owner(), "old", "work"));
  EXPECT_EQ(preview.counts.added, 2);
  EXPECT_EQ(preview.counts.same, 1);
  EXPECT_EQ(preview.counts.replaced, 1);
  EXPECT_EQ(preview.counts.kept, 2) << "the older version, and the day that a diary already has";
  EXPECT_EQ(preview.counts.left_out, 1);
  EXPECT_TRUE(preview.counts.is_complete);
  EXPECT_TRUE(preview.effects.empty());
  EXPECT_EQ(connections(), (std::vector<std::string>{"work", "old"})) << "a preview changes nothing";

  Watches observer;
  const Merged merged = must(server().merges().merge(owner(), "old", "work", observer));
  EXPECT_EQ(merged.counts.added, 2);
  EXPECT_EQ(observer.copied_, 3);
  EXPECT_EQ(merged.erasure.records, 7);
  EXPECT_EQ(connections(), (std::vector<std::string>{"work"}));
  const auto notes = bodies("work");
  EXPECT_EQ(notes.size(), 5U);
  EXPECT_EQ(notes.at("both"), "same in both");
  EXPECT_EQ(notes.at("newer-here"), "aardvark");
  EXPECT_EQ(notes.at("newer-there"), "dromedary");
  EXPECT_FALSE(notes.contains("erased")) << "what the owner deleted does not come back";
  EXPECT_EQ(bodies("work", "diary").at("d"), "written first");
  EXPECT_EQ(bodies("work", "diary").size(), 2U);
  const auto whole = must(server().windows().read(owner(), window_request("only-old", "body", test_support::at_offset(0, 20))));
  EXPECT_EQ(whole.size_chars, utf8::count(long_text));
  EXPECT_EQ(found("zeppelin"), (std::vector<std::string>{"work/only-old"}));
  EXPECT_EQ(found("dromedary"), (std::vector<std::string>{"work/newer-there"}));
  EXPECT_TRUE(found("camel").empty()) << "the replaced version";
  EXPECT_TRUE(found("badger").empty()) << "the older version";
  EXPECT_EQ(must(server().imports().list(owner(), "work")).size(), 1U) << "the report of the import is kept";
  expect_sound();
  EXPECT_EQ(server().merges().merge(owner(), "old", "work", observer).error().code, Code::kConnectionNotFound);
}

TEST_P(Merge, AnInterruptedMergeLosesNothingAndContinues) {
  for (int i = 0; i < 60; ++i) add("old", format("k{}", i), std::string(200'000, 'x'), "1-01");
  Watches soon(10);
  const auto stopped = server().merges().merge(owner(), "old", "work", soon);
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, Code::kCancelled);
  EXPECT_EQ(soon.erased_, 0);
  EXPECT_EQ(bodies("old").size(), 60U);
  EXPECT_GT(bodies("work").size(), 0U);
  EXPECT_LT(bodies("work").size(), 60U);
  Watches never;
  const Merged merged = must(server().merges().merge(owner(), "old", "work", never));
  EXPECT_GT(merged.counts.same, 0);
  EXPECT_EQ(merged.counts.same + merged.counts.added, 60);
  EXPECT_EQ(bodies("work").size(), 60U);
  expect_sound();
}

TEST_P(Merge, TellsWhichGrantsChange) {
  add("work", "w", "alpaca", "1-01");
  add("old", "o", "buffalo", "1-01");
  const IssuedGrants of_old = issue({notes_of("old")}), of_work = issue({notes_of("work")}), both = issue({notes_of("")});
  const auto effect = [&](const MergePreview& preview, const std::string& id) {
    const auto at = std::ranges::find(preview.effects, id, &MergeEffect::grant_id);
    return at == preview.effects.end() ? std::string("same") : format("{}{}", at->loses ? "loses" : "", at->gains ? "gains" : "");
  };
  const MergePreview preview = must(server().merges().preview(owner(), "old", "work"));
  EXPECT_EQ(effect(preview, of_old.grant_ids.front()), "loses");
  EXPECT_EQ(effect(preview, of_work.grant_ids.front()), "gains");
  EXPECT_EQ(effect(preview, both.grant_ids.front()), "same");
  Watches observer;
  const Merged merged = must(server().merges().merge(owner(), "old", "work", observer));
  EXPECT_EQ(merged.erasure.revoked_grants, of_old.grant_ids);
  EXPECT_EQ(merged.erasure.narrowed_grants, both.grant_ids);
  EXPECT_EQ(server().accesses().authenticate(of_old.token).error().code, Code::kGrantRevoked);
  for (const IssuedGrants* kept : {&of_work, &both}) {
    api::RecordsRequest request;
    request.stream = "notes";
    const Access access = must(server().accesses().authenticate(kept->token));
    EXPECT_EQ(must(server().reads().records(access, request)).records.size(), 2U);
  }
}

TEST_P(Merge, MovesWhatClientsHaveSeen) {
  for (const char* connection : {"work", "old"}) {
    add(connection, "both", "0123456789 in both, of forty characters..", "1-01");
    add(connection, "gone", "the owner deletes one copy", "1-01");
  }
  add("old", "only", "0123456789 in one of them only", "1-01");
  const Access agent = client(notes_of(""));
  const auto read_at = [&](const std::string& connection, const std::string& key, std::int64_t from) {
    must(server().windows().read(agent, window_request(key, "body", test_support::at_offset(from, 10), connection)));
  };
  read_at("work", "both", 0);
  read_at("old", "both", 20);
  read_at("old", "only", 5);
  read_at("old", "gone", 0);
  must(server().erasures().erase_record(owner(), {"work", "notes", "gone"}));
  Watches observer;
  must(server().merges().merge(owner(), "old", "work", observer));
  std::map<std::string, ShownRanges> seen;
  for (const SeenRecord& one : must(server().ledger().seen(owner(), {}))) {
    EXPECT_EQ(one.shown.record.connection_id, "work");
    ASSERT_EQ(one.shown.fields.size(), 1U);
    seen[one.shown.record.record_id] = one.shown.fields.front().ranges;
  }
  EXPECT_EQ(seen.size(), 2U);
  EXPECT_EQ(seen["both"], (ShownRanges{{0, 10}, {20, 30}}));
  EXPECT_EQ(seen["only"], (ShownRanges{{5, 15}}));
  std::int64_t named = 0, unnamed = 0;
  for (const LedgerEntry& entry : must(server().ledger().page(owner(), {})).entries) {
    for (const ShownRecord& shown : entry.shown.records) {
      EXPECT_EQ(shown.record.connection_id, "work");
      ++named;
    }
    unnamed += entry.erased;
  }
  EXPECT_EQ(named, 1);
  EXPECT_EQ(unnamed, 3) << "single entries no longer name the old copies";
  const auto sums = must(server().ledger().sums(owner()));
  ASSERT_EQ(sums.size(), 1U);
  EXPECT_EQ(sums.front().connection_id, "work");
  EXPECT_EQ(sums.front().records, 2);
  EXPECT_EQ(sums.front().chars, 30);
  expect_sound();
  // Erasing the record erases what was seen of both copies.
  must(server().erasures().erase_record(owner(), {"work", "notes", "both"}));
  EXPECT_EQ(must(server().ledger().seen(owner(), {})).size(), 1U);
}

TEST_P(Merge, MarksOfDeletedRecordsMoveUnlessTheOtherCopyIsThere) {
  add("old", "a", "deleted in the old copy only", "1-01");
  add("work", "a", "kept here", "1-01");
  add("old", "b", "deleted, and in one place only", "1-01");
  must(server().erasures().erase_record(owner(), {"old", "notes", "a"}));
  must(server().erasures().erase_record(owner(), {"old", "notes", "b"}));
  Watches observer;
  must(server().merges().merge(owner(), "old", "work", observer));
  class Import final : public IngestObserver {
   public:
    void durable_through(std::int64_t, const IngestReport&) override {}
    bool leaves_out_erased() const override { return true; }
  } importing;
  const std::string again = record_line("a", text_member("body", "changed")) + record_line("b", text_member("body", "back"));
  test_support::TextSource bytes(again);
  LineSource lines(bytes, limits::kMaxLineBytes);
  const IngestReport report = must(server().ingest().put_records(owner(), {"work", "notes"}, lines, importing));
  EXPECT_EQ(report.changed, 1);
  EXPECT_EQ(report.erased, 1);
  EXPECT_EQ(bodies("work").size(), 1U);
}

TEST_P(Merge, RefusesWhatCannotBeMerged) {
  must(server().sources().add(owner(), test_support::notes_declaration("https://sources.example/others"), "others"));
  must(server().sources().add_connection(owner(), "others", "", "different"));
  const auto code = [&](const char* from, const char* into) {
    Watches observer;
    const auto merged = server().merges().merge(owner(), from, into, observer);
    return merged ? Code::kInternal : merged.error().code;
  };
  EXPECT_EQ(code("work", "work"), Code::kInvalidRequest);
  EXPECT_EQ(code("work", "different"), Code::kInvalidRequest);
  EXPECT_EQ(code("work", "nowhere"), Code::kConnectionNotFound);
  EXPECT_EQ(code("nowhere", "work"), Code::kConnectionNotFound);
  Watches observer;
  EXPECT_EQ(server().merges().merge(client(notes_of("work")), "old", "work", observer).error().code, Code::kPermission);
  EXPECT_EQ(connections().size(), 3U);
}

}  // namespace
}  // namespace ladder::server
