// Many owners in one store: suspending, limits, deleting and moving. Errors never name another owner.
#include "server/owner_move.h"
#include "support/server_fixture.h"

#include <thread>

namespace ladder::server {
namespace {

using test_support::record_line;
using test_support::text_member;

class QuietErasure final : public ErasureObserver {};

class ManyOwners : public test_support::ServerFixture {
 public:
  using ServerFixture::server;  // for observers
  Result<IngestReport> try_ingest(std::string_view name, std::string_view text) {
    TextBytes bytes(text);
    LineSource source(bytes, limits::kMaxLineBytes);
    test_support::QuietObserver observer;
    LADDER_TRY(const Access access, server().accesses().local_owner(name));
    return server().ingest().put_records(access, {"work", "notes"}, source, observer);
  }

 protected:
  ManyOwners() {
    for (const char* name : {"ann", "bob"}) {
      must(server().operators().add(name));
      must(server().sources().add(owner(name), test_support::notes_declaration(), "notes"));
      must(server().sources().add_connection(owner(name), "notes", "", "work"));
      EXPECT_EQ(ingest(lines(name, 20), "work", "notes", name).accepted, 20);
      GrantSelection notes;
      notes.stream = "notes";
      notes.fields = {"title", "body"};
      tokens_[name] = issue({notes}, name).token;
    }
  }

  static std::string lines(std::string_view of, int count) {
    std::string all;
    for (int i = 0; i < count; ++i)
      all += record_line(format("n{}", i),
                         text_member("title", format("harbour of {}", of)) + "," + text_member("body", std::string(5'000, 'x')));
    return all;
  }
  Result<Access> app(std::string_view name) { return server().accesses().authenticate(tokens_.at(std::string(name))); }
  Code code_of(const Result<api::FieldWindow>& result) { return result ? Code::kInternal : result.error().code; }
  std::map<std::string, std::string> tokens_;
};
LADDER_FOR_EVERY_ENGINE(ManyOwners);

TEST_P(ManyOwners, ASuspensionEndsEveryKindOfAccessAtOnce) {
  const Access reads = must(app("ann")), writes = owner("ann");
  EXPECT_TRUE(read(reads, "n1", "body"));
  // Another process suspends the owner: this one has everything cached.
  ResourceServer other(store(), clock());
  must(other.operators().suspend("ann"));

  EXPECT_EQ(code_of(read(reads, "n1", "body")), Code::kOwnerSuspended) << "a request that was authenticated before";
  EXPECT_EQ(code_of(read(writes, "n1", "body")), Code::kOwnerSuspended) << "the owner's own";
  EXPECT_EQ(server().reads().schema(reads, {}).error().code, Code::kOwnerSuspended);
  EXPECT_EQ(server().grants().list(writes).error().code, Code::kOwnerSuspended);
  EXPECT_EQ(server().accesses().local_owner("ann").error().code, Code::kOwnerSuspended) << "a page of the console";
  TextBytes bytes(record_line("new", ""));
  LineSource source(bytes, limits::kMaxLineBytes);
  test_support::QuietObserver observer;
  EXPECT_EQ(server().ingest().put_records(writes, {"work", "notes"}, source, observer).error().code, Code::kOwnerSuspended)
      << "an import that was under way";
  clock().move(2 * kSecond);
  EXPECT_EQ(app("ann").error().code, Code::kOwnerSuspended);
  EXPECT_TRUE(read(must(app("bob")), "n1", "body")) << "another owner notices nothing";

  must(other.operators().resume("ann"));
  EXPECT_TRUE(read(must(app("ann")), "n1", "body")) << "with the same token";
  EXPECT_TRUE(try_ingest("ann", record_line("new", "")));
}

TEST_P(ManyOwners, ARunningImportStops) {
  class Suspends final : public ByteSource {
   public:
    Suspends(ManyOwners& test) : test_(test) {}
    Result<std::size_t> read(char* buffer, std::size_t capacity) override {
      if (++lines_ == 3'000) must(test_.server().operators().suspend("ann"));
      if (lines_ > 30'000) return 0;
      return record_line(format("k{}", lines_), "").copy(buffer, capacity);
    }

   private:
    ManyOwners& test_;
    int lines_ = 0;
  } bytes(*this);
  LineSource source(bytes, limits::kMaxLineBytes);
  test_support::QuietObserver observer;
  const auto stored = server().ingest().put_records(owner("ann"), {"work", "notes"}, source, observer);
  ASSERT_FALSE(stored);
  EXPECT_EQ(stored.error().code, Code::kOwnerSuspended) << stored.error().message;
  EXPECT_LT(observer.line(), 30'000);
}

TEST_P(ManyOwners, ErrorsNeverNameAnotherOwner) {
  const auto says_nothing = [](const Error& error) {
    for (const char* name : {"ann", "bob", "local"}) EXPECT_EQ(error.message.find(name), std::string::npos) << error.message;
  };
  says_nothing(server().accesses().local_owner("carl").error());
  says_nothing(server().operators().find("carl").error());
  says_nothing(server().operators().suspend("carl").error());
  QuietErasure quiet;
  says_nothing(server().operators().erase("carl", quiet).error());
  EXPECT_EQ(server().operators().add("ann").error().code, Code::kConflict);
}

TEST_P(ManyOwners, RecordsAndBytesAreLimited) {
  must(server().operators().set_limits("ann", {.records = 25}));
  EXPECT_TRUE(try_ingest("ann", record_line("a", "") + record_line("b", "")));
  EXPECT_TRUE(try_ingest("ann", record_line("c", "") + record_line("d", "") + record_line("e", "")));
  const auto refused = try_ingest("ann", record_line("f", ""));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kOwnerLimit);
  EXPECT_NE(refused.error().message.find("25"), std::string::npos) << refused.error().message;
  EXPECT_TRUE(try_ingest("ann", R"({"key":"a","op":"delete"})"
                                "\n"))
      << "deleting is allowed at the limit";
  EXPECT_TRUE(try_ingest("ann", record_line("f", "")));
  EXPECT_TRUE(try_ingest("bob", record_line("f", "")));

  must(server().operators().set_limits("ann", {.bytes = 1'000}));
  EXPECT_EQ(try_ingest("ann", record_line("g", "")).error().code, Code::kOwnerLimit);
  TextBytes bytes("a file");
  EXPECT_EQ(server().ingest().put_blob(owner("ann"), "text/plain", bytes).error().code, Code::kOwnerLimit);
  must(server().operators().set_limits("ann", {.bytes = 100'000'000}));
  EXPECT_TRUE(try_ingest("ann", record_line("g", "")));
  const auto usage = must(server().operators().usage("ann"));
  EXPECT_EQ(usage.records, 26);
  EXPECT_GT(usage.bytes, 1'000);
}

TEST_P(ManyOwners, RequestsAreLimited) {
  const store::OwnerNo ann = owner("ann").owner(), bob = owner("bob").owner();
  must(server().operators().set_limits("ann", {.requests_per_minute = 4, .requests_at_once = 2}));
  {
    const RequestTicket first = must(server().quotas().admit_request(ann)), second = must(server().quotas().admit_request(ann));
    const auto third = server().quotas().admit_request(ann);
    ASSERT_FALSE(third);
    EXPECT_EQ(third.error().code, Code::kRateLimited);
    EXPECT_EQ(third.error().more->retry_after_seconds, 1);
    EXPECT_TRUE(server().quotas().admit_request(bob));
  }
  EXPECT_TRUE(server().quotas().admit_request(ann));
  EXPECT_TRUE(server().quotas().admit_request(ann));
  const auto fifth = server().quotas().admit_request(ann);
  ASSERT_FALSE(fifth);
  EXPECT_EQ(fifth.error().code, Code::kRateLimited);
  EXPECT_EQ(fifth.error().more->retry_after_seconds, 60);
  clock().move(60 * kSecond);
  EXPECT_TRUE(server().quotas().admit_request(ann));
}

TEST_P(ManyOwners, DeletingAnOwnerLeavesNothingOfIt) {
  EXPECT_TRUE(read(must(app("ann")), "n1", "body"));  // an entry in the journal
  const store::OwnerNo ann = owner("ann").owner();
  QuietErasure quiet;
  const OwnerDeletion deletion = must(server().operators().erase("ann", quiet));
  EXPECT_EQ(deletion.records, 20);
  EXPECT_GT(deletion.tables, 30);
  EXPECT_TRUE(deletion.swept);
  for (const store::TableRows& table : must(store().owner_rows(ann))) EXPECT_EQ(table.rows, 0) << table.table;
  clock().move(2 * kSecond);
  EXPECT_EQ(app("ann").error().code, Code::kAuthentication);
  EXPECT_TRUE(read(must(app("bob")), "n1", "body"));
  must(server().ledger().sweep());
  for (const store::TableRows& table : must(store().owner_rows(ann))) EXPECT_EQ(table.rows, 0) << table.table;
  EXPECT_TRUE(must(store().check_invariants()).empty());
  must(server().operators().add("ann"));
  EXPECT_EQ(must(server().operators().find("ann")).records, 0);
}

// To the other engine, while records change.
TEST_P(ManyOwners, MovingKeepsRecordsFilesAndTokens) {
  const test_support::StoreLocation there(GetParam() == "sqlite" ? "postgres" : "sqlite");
  const auto target_store = there.open();
  ResourceServer target(*target_store, clock());
  must(target.operators().add("carl"));
  must(server().operators().set_limits("ann", {.records = 1'000}));

  class Changes final : public MoveObserver {
   public:
    explicit Changes(ManyOwners& test) : test_(test) {}
    // The owner is still served: a record is added, one is changed and one deleted after they were copied.
    void suspending() override {
      must(test_.try_ingest("ann", record_line("late", text_member("body", "late")) +
                                       record_line("n2", text_member("body", "changed")) +
                                       "{\"key\":\"n3\",\"op\":\"delete\"}\n"));
    }

   private:
    ManyOwners& test_;
  } observer(*this);
  const OwnerMove moved = must(move_owner(server(), target, "ann", observer));
  EXPECT_EQ(moved.records, 20);
  EXPECT_EQ(moved.copied_again, 20);
  EXPECT_EQ(moved.grants, 1);
  EXPECT_EQ(moved.tokens, 1);

  const Access app_there = must(target.accesses().authenticate(tokens_.at("ann")));
  const auto body = [&](std::string id) {
    const auto window = target.windows().read(app_there, window_request(std::move(id), "body"));
    return window ? window->text : std::string(window.error().wire());
  };
  EXPECT_EQ(body("late"), "late");
  EXPECT_EQ(body("n2"), "changed");
  EXPECT_EQ(body("n3"), "not_found");
  EXPECT_EQ(body("n4").size(), static_cast<std::size_t>(limits::kWindowDefaultChars));
  EXPECT_EQ(must(target.operators().find("ann")).limits.records, 1'000);
  EXPECT_EQ(code_of(read(must(app("bob")), "n1", "body")), Code::kInternal);
  clock().move(2 * kSecond);
  EXPECT_EQ(app("ann").error().code, Code::kOwnerSuspended) << "the old store keeps the data and refuses access";
  EXPECT_TRUE(must(target_store->check_invariants()).empty());
  const auto again = move_owner(server(), target, "ann", observer);
  ASSERT_FALSE(again);
  EXPECT_EQ(again.error().code, Code::kConflict);
  EXPECT_EQ(again.error().message.find("carl"), std::string::npos);
}

TEST_P(ManyOwners, AFailedMoveGivesAccessBack) {
  const test_support::StoreLocation there(GetParam());
  const auto target_store = there.open();
  ResourceServer target(*target_store, clock());
  class Stops final : public MoveObserver {
   public:
    bool wants_stop() override { return ++asked_ > 2; }

   private:
    int asked_ = 0;
  } stops;
  EXPECT_EQ(move_owner(server(), target, "ann", stops).error().code, Code::kCancelled);
  EXPECT_TRUE(read(must(app("ann")), "n1", "body"));
  EXPECT_EQ(target.accesses().local_owner("ann").error().code, Code::kOwnerSuspended) << "half of an owner is not served";
  MoveObserver quiet;
  EXPECT_EQ(must(move_owner(server(), target, "ann", quiet)).records, 20) << "the same call continues";
}

}  // namespace
}  // namespace ladder::server
