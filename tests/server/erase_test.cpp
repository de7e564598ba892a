// A connection erased for good: nothing of it remains, nothing else is affected, and an interrupted erasure can be
// resumed.
#include "store/index/field_index.h"
#include "support/server_fixture.h"

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace ladder::server {
namespace {

using test_support::must;
using test_support::record_line;
using test_support::text_member;

class StopsAfter final : public ErasureObserver {
 public:
  explicit StopsAfter(std::int64_t records = -1) : stop_at_(records) {}
  void erased(std::int64_t records) override { records_ = records; }
  bool wants_stop() override { return stop_at_ >= 0 && records_ >= stop_at_; }

 private:
  std::int64_t stop_at_, records_ = 0;
};

class Erase : public test_support::ServerFixture {
 protected:
  Erase() {
    must(server().add_source(owner(), searched_declaration(), "notes"));
    must(server().add_connection(owner(), "notes", "", "other"));
  }

  // Returns the next version with searchable fields.
  static std::string searched_declaration() {
    std::string text = test_support::notes_declaration();
    const std::string_view version = R"("declaration_version":"1")", selection = R"("selection":)";
    text.replace(text.find(version), version.size(), R"("declaration_version":"2")");
    text.insert(text.find(selection),
                R"("query":{"search":{"lexical_fields":["title","body"]},"range_filters":{"words":["gte"]}},)");
    return text;
  }

  std::string put_blob(std::string_view bytes) {
    test_support::TextSource source(bytes);
    return must(server().put_blob(owner(), "text/plain", source)).blob_id;
  }
  static std::string blob_member(const std::string& id) { return format(R"("blob_ref":{{"blob_id":"{}"}})", id); }

  // `name` is in every title, every long text and the blob.
  void fill(const std::string& connection, const std::string& name, int records) {
    std::string lines;
    for (int i = 0; i < records; ++i) {
      std::string body = format("{}body{} ", name, i);
      if (i % 10 == 0) {
        while (body.size() < 9'000) body += format("{}long{} ", name, body.size());
      }
      std::string members = text_member("title", format("{}title{}", name, i)) + "," + text_member("body", body);
      members += format(R"(,"words":{},"updated_at":"2026-03-0{}T00:00:00Z")", i, 1 + i % 9);
      if (i == 1) members += "," + blob_member(put_blob(name + "blob, its own"));
      if (i == 2) members += "," + blob_member(put_blob("shared by both"));
      lines += record_line(format("{}key{}", name, i), members);
    }
    EXPECT_EQ(ingest(lines, connection).accepted, records);
    ingest(format("{{\"key\":\"{}key5\",\"op\":\"delete\"}}\n", name), connection);
    EXPECT_TRUE(server().put_import(owner(), connection, "unit", format(R"({{"file":"{}account"}})", name)));
  }

  std::vector<std::string> summary(const std::string& connection) {
    std::vector<std::string> all;
    class Out final : public RecordsOut {
     public:
      explicit Out(std::vector<std::string>& lines) : lines_(lines) {}
      Status begin(std::string_view key, std::string_view) override {
        lines_.emplace_back(key);
        return {};
      }
      Status data(std::string_view piece) override {
        lines_.back() += piece;
        return {};
      }
      Status end(const std::optional<std::string>&) override { return {}; }
      Status discard() override {
        lines_.pop_back();
        return {};
      }
      Status damaged(std::string_view key, std::string_view) override {
        ADD_FAILURE() << key;
        return {};
      }

     private:
      std::vector<std::string>& lines_;
    } out(all);
    EXPECT_TRUE(server().export_stream(owner(), connection, "notes", out));
    return all;
  }

  bool is_in_files(std::string_view word) {
    for (const auto& entry : std::filesystem::directory_iterator(place().folder().path())) {
      if (!entry.is_regular_file()) continue;
      if (test_support::file_text(entry.path()).find(word) != std::string::npos) return true;
    }
    return false;
  }

  Result<api::SearchPage> search(std::string words, std::string connection = "") {
    api::SearchRequest request;
    request.q = std::move(words);
    request.scope.connection_id = std::move(connection);
    return server().search(owner(), request);
  }
  Result<api::RecordsPage> records(const Access& access, std::string connection = "") {
    api::RecordsRequest request;
    request.scope.connection_id = std::move(connection);
    request.stream = "notes";
    return server().records(access, request);
  }
  static GrantSelection notes_of(std::string connection) {
    GrantSelection selection;
    selection.connection_id = std::move(connection);
    selection.stream = "notes";
    return selection;
  }

  void expect_sound() { EXPECT_EQ(must(store().check_invariants()), std::vector<std::string>{}); }
};
LADDER_FOR_EVERY_ENGINE(Erase);

// Returns the size on disk, without the holes that erasing leaves.
std::int64_t disk_bytes(const std::string& path) {
  struct stat about{};
  return ::stat(path.c_str(), &about) == 0 ? about.st_blocks * 512 : 0;
}

TEST_P(Erase, RemovesEverythingOfTheConnectionAndNothingElse) {
  fill("work", "secret", 300);
  fill("other", "kept", 120);
  const std::vector<std::string> before = summary("other");
  ASSERT_EQ(before.size(), 119U);
  const std::string own = put_blob("secretblob, its own"), shared = put_blob("shared by both");
  must(server().sweep(owner(), Deadline::after(std::chrono::seconds(30))));  // moves the log into the file
  const std::int64_t bytes_before = place().database() ? 0 : disk_bytes(place().location());

  StopsAfter quiet;
  const Erasure erasure = must(server().erase_connection(owner(), "work", quiet));
  EXPECT_EQ(erasure.records, 299);
  EXPECT_TRUE(erasure.swept);
  EXPECT_EQ(erasure.space_kept, "");

  EXPECT_EQ(server().connection(owner(), "work").error().code, Code::kConnectionNotFound);
  EXPECT_EQ(summary("other"), before);
  EXPECT_FALSE(must(store().find_blob(1, *store::blob_digest(own))));
  EXPECT_TRUE(must(store().find_blob(1, *store::blob_digest(shared))));
  EXPECT_EQ(must(server().imports(owner(), "other")).size(), 1U);
  const api::SearchPage hits = must(search("keptbody7"));
  EXPECT_EQ(hits.hits.size(), 1U);
  EXPECT_TRUE(must(search("secretbody7")).hits.empty());
  expect_sound();
  if (!place().database()) {
    for (const char* word : {"secretkey", "secrettitle", "secretbody", "secretlong", "secretblob", "secretaccount"})
      EXPECT_FALSE(is_in_files(word)) << word;
    EXPECT_TRUE(is_in_files("keptbody")) << "the search must find existing words";
    EXPECT_LT(disk_bytes(place().location()), bytes_before * 3 / 4);
    EXPECT_GT(erasure.bytes_freed, 0);
  } else {
    EXPECT_EQ(place().database()->value("SELECT count(*) FROM ladder.imports"), "1");
    EXPECT_EQ(place().database()->value("SELECT count(*) FROM ladder.tombstones"), "1");
    EXPECT_EQ(place().database()->value("SELECT count(*) FROM ladder.loose_values"), "0");
  }

  // The name is free again.
  must(server().add_connection(owner(), "notes", "", "work"));
  fill("work", "again", 7);
  EXPECT_EQ(summary("work").size(), 6U);
  expect_sound();
}

TEST_P(Erase, ResumesAfterAnInterruption) {
  fill("work", "secret", 400);
  fill("other", "kept", 20);
  const IssuedGrants issued = issue({notes_of("work")});
  const Access client = must(server().authenticate(issued.token));
  StopsAfter soon(100);
  const auto stopped = server().erase_connection(owner(), "work", soon);
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, Code::kCancelled);
  expect_sound();

  // The rest is invisible, and no record can be added.
  EXPECT_EQ(must(server().connection(owner(), "work")).status, kErasing);
  EXPECT_TRUE(must(search("secretbody399")).hits.empty());
  EXPECT_EQ(records(client).error().code, Code::kConnectionNotFound);
  EXPECT_EQ(server().authenticate(issued.token).error().code, Code::kGrantRevoked);
  test_support::TextSource bytes(record_line("late", text_member("body", "x")));
  LineSource lines(bytes, limits::kMaxLineBytes);
  test_support::QuietObserver observer;
  const auto late = server().ingest(owner(), {"work", "notes"}, lines, observer);
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().code, Code::kConnectionNotWritable);
  EXPECT_NE(late.error().message.find("is being erased"), std::string::npos) << late.error().message;

  // The owner gets the error that it is being erased, not that a declared stream is missing.
  const auto expect_erasing = [](const auto& refused) {
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::kConnectionNotFound);
    EXPECT_NE(refused.error().message.find("is being erased"), std::string::npos) << refused.error().message;
  };
  expect_erasing(records(owner(), "work"));
  expect_erasing(search("secretbody399", "work"));

  StopsAfter never;
  const Erasure erasure = must(server().erase_connection(owner(), "work", never));
  EXPECT_GT(erasure.records, 0);
  EXPECT_LT(erasure.records, 399);
  EXPECT_EQ(server().connection(owner(), "work").error().code, Code::kConnectionNotFound);
  expect_sound();
}

TEST_P(Erase, RevokesAndNarrowsGrants) {
  fill("work", "secret", 12);
  fill("other", "kept", 12);
  const IssuedGrants only = issue({notes_of("work")});
  const IssuedGrants both = issue({notes_of("")});
  const Access narrowed = must(server().authenticate(both.token));
  StopsAfter never;
  const Erasure erasure = must(server().erase_connection(owner(), "work", never));
  EXPECT_EQ(erasure.revoked_grants, only.grant_ids);
  EXPECT_EQ(erasure.narrowed_grants, both.grant_ids);

  const api::RecordsPage page = must(records(narrowed));
  EXPECT_EQ(page.records.size(), 11U);
  EXPECT_EQ(records(narrowed, "work").error().code, Code::kConnectionNotFound);
  EXPECT_EQ(server().authenticate(only.token).error().code, Code::kGrantRevoked);

  // An old grant would cover a new connection of the same id.
  const auto taken = server().add_connection(owner(), "notes", "", "work");
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().code, Code::kConflict);
  EXPECT_NE(taken.error().message.find(both.grant_ids.front()), std::string::npos);
  must(server().revoke_grant(owner(), both.grant_ids.front()));
  EXPECT_TRUE(server().add_connection(owner(), "notes", "", "work"));
}

TEST_P(Erase, KeepsBlobsOfOthersAndRefusesUnknownIds) {
  EXPECT_TRUE(store().add_owner("eve", clock().now()));
  must(server().add_source(owner("eve"), searched_declaration(), "notes"));
  must(server().add_connection(owner("eve"), "notes", "", "eves"));
  fill("work", "secret", 3);
  test_support::TextSource bytes("shared by both");
  const std::string id = must(server().put_blob(owner("eve"), "text/plain", bytes)).blob_id;
  ingest(record_line("e", blob_member(id)), "eves", "notes", "eve");
  StopsAfter never;
  EXPECT_EQ(server().erase_connection(owner("eve"), "work", never).error().code, Code::kConnectionNotFound);
  const auto unknown = server().erase_connection(owner(), "wrok", never);
  ASSERT_FALSE(unknown);
  EXPECT_NE(unknown.error().message.find("work"), std::string::npos) << unknown.error().message;
  must(server().erase_connection(owner(), "work", never));
  EXPECT_FALSE(must(store().find_blob(1, *store::blob_digest(id))));
  EXPECT_TRUE(must(store().find_blob(2, *store::blob_digest(id))));
  EXPECT_TRUE(server().blob(owner("eve"), {.blob_id = id, .scope = {}, .first_byte = 0, .max_bytes = 10}));
  expect_sound();
}

}  // namespace
}  // namespace ladder::server
