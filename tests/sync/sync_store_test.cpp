// The state of synced sources on both engines: sealed credentials, changes of two processes, and servers that list too little.
#include "support/server_fixture.h"
#include "sync/removals.h"
#include "sync/synchronizer.h"
#include "sync/testing/scripted_stream.h"

#include <algorithm>
#include <numeric>

namespace ladder::sync {
namespace {

using test_support::must;

constexpr std::string_view kSecret = "correct-horse-battery";

// Remembers the records in memory.
class RememberedRecords final : public RecordSink {
 public:
  Result<std::vector<StoredItem>> import(const std::filesystem::path& staged) override {
    std::vector<StoredItem> stored;
    std::uintmax_t bytes = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(staged)) {
      if (!entry.is_regular_file()) continue;
      bytes += entry.file_size();
      const std::string name = entry.path().filename().string();
      const auto uid = static_cast<imap::Uid>(std::stoul(name));
      stored.push_back({uid, {{"messages", format("m{}", uid)}, {"filings", format("f{}", uid)}}});
      records.insert(format("m{}", uid));
    }
    most_bytes = std::max(most_bytes, bytes);
    return stored;
  }
  Status set_flags(std::span<const FlagChange>) override { return {}; }
  Status remove(std::span<const RecordKey> removed) override {
    for (const RecordKey& each : removed) records.erase(each.key);
    return {};
  }
  Result<bool> is_shared() override { return shared; }
  void lose(const std::string&, imap::Uid uid, std::string) override { lost.insert(uid); }

  std::set<std::string> records;
  std::set<imap::Uid> lost;
  std::uintmax_t most_bytes = 0;  // of a batch
  bool shared = false;
};

// The messages that a command fetches.
imap::UidSet asked_in(const std::string& line) {
  constexpr std::string_view kBegin = "UID FETCH ";
  return must(imap::UidSet::parse(std::string_view(line).substr(kBegin.size(), line.find(' ', kBegin.size()) - kBegin.size())));
}

std::string message_answer(imap::Uid uid, const std::string& body = "A: b\n") {
  return format("* 1 FETCH (UID {} FLAGS () BODY[] {{{}}}\r\n{})\r\n", uid, body.size(), body);
}

class SyncStoreTest : public test_support::ServerFixture {
 protected:
  SyncStoreTest() {
    source_.name = "mail";
    source_.user = "ann";
    source_.server = {"mail.example", 143, imap::Security::kPlain};
    source_.connection = "mail-mail";
  }
  void add() { ASSERT_TRUE(sources().add(owner(), source_, kSecret)); }
  SyncStore sources() { return {store(), clock()}; }

  // Runs the source against a folder with these messages; the server says that it has `exists` messages.
  Result<RunReport> run(std::vector<imap::Uid> uids, std::size_t exists, bool confirm = false) {
    std::vector<std::string> sent;
    const auto answer = [&](const std::string& line) -> std::string {
      std::string data;
      if (line.starts_with("LIST")) data = list_;
      if (line.starts_with("EXAMINE"))
        data = format("* {} EXISTS\r\n* OK [UIDVALIDITY 5] x\r\n* OK [UIDNEXT {}] x\r\n", exists, uid_next_);
      if (line.starts_with("UID SEARCH")) {
        data = "* SEARCH";
        for (const imap::Uid uid : uids) data += format(" {}", uid);
        data += "\r\n";
      }
      if (fetch_ && line.starts_with("UID FETCH") && line.contains("BODY.PEEK[]")) return fetch_(line);
      if (line.starts_with("UID FETCH")) {
        const bool with_body = line.find("BODY.PEEK[]") != std::string::npos;
        for (const imap::Uid uid : uids)
          data += with_body ? format("* 1 FETCH (UID {} FLAGS () BODY[] {{5}}\r\nA: b\n)\r\n", uid)
                            : format("* 1 FETCH (UID {} FLAGS () RFC822.SIZE 5)\r\n", uid);
      }
      return data + "TAG OK\r\n";
    };
    auto stream = std::make_unique<imap::ScriptedStream>("* OK [CAPABILITY IMAP4rev1 AUTH=PLAIN] x\r\n", answer, sent);
    LADDER_TRY(const auto client, imap::Client::open(std::move(stream), source_.server, {"ann", "x"}, {}));
    SyncStore states = sources();
    return run_source(source_, states, owner(), imap_folders(*client), records_,
                      {confirm ? 1000 : 0, recently_, place().folder() / "staging"});
  }

  Source source_;
  imap::ScriptedStream::Answer fetch_;  // answers the command that fetches messages
  std::string list_ = "* LIST () \"/\" INBOX\r\n";
  std::int64_t recently_ = 0;
  std::uint64_t uid_next_ = 1000;
  RememberedRecords records_;
};

TEST_P(SyncStoreTest, SecretsAreSealed) {
  add();
  const auto items = must(store().auth().list("sync_source", owner().owner()));
  ASSERT_EQ(items.size(), 1U);
  EXPECT_EQ(items[0].body.find(kSecret), std::string::npos);
  EXPECT_NE(items[0].body.find("mail.example"), std::string::npos);
  EXPECT_EQ(must(sources().secret(owner(), must(sources().find(owner(), "mail")))), kSecret);
  Source moved = must(sources().find(owner(), "mail"));
  moved.name = "other";
  EXPECT_FALSE(sources().secret(owner(), moved)) << "a secret belongs to its source";
}

// A number that is too high once would otherwise hide all later messages.
TEST_P(SyncStoreTest, AServerThatLiesAboutItsNextNumberHidesNothing) {
  add();
  for (const std::uint64_t lie : {std::uint64_t{4'294'967'295}, std::uint64_t{4'294'967'296}, std::uint64_t{1} << 60}) {
    uid_next_ = lie;
    ASSERT_TRUE(run({1, 2, 3}, 3));
  }
  uid_next_ = 5;
  EXPECT_EQ(must(run({1, 2, 3, 4}, 4)).fetched, 1);
  EXPECT_EQ(records_.records, (std::set<std::string>{"m1", "m2", "m3", "m4"}));
  EXPECT_EQ(must(run({1, 2, 3, 4}, 4)).fetched, 0);
}

TEST_P(SyncStoreTest, AnImpossibleMessageNumberIsRefused) {
  add();
  EXPECT_EQ(run({1, 4'294'967'295}, 2).error().code, Code::kRsProtocol);
  EXPECT_EQ(must(run({1, 2}, 2)).fetched, 2) << "the next answer is read again";
}

TEST_P(SyncStoreTest, ARequestCountsAlsoAfterTheClockWasSetBack) {
  add();
  SyncStore states = sources();
  SourceStatus status;
  status.tried_at = clock().now() + 3600 * kSecond;
  ASSERT_TRUE(states.put_status(owner(), "mail", status));
  ASSERT_TRUE(states.ask_for_run(owner(), "mail", 7));
  const Source asked = must(states.find(owner(), "mail"));
  EXPECT_TRUE(is_asked(asked, must(states.status(owner(), "mail"))));
}

TEST_P(SyncStoreTest, OnlyTheOwnerManagesSources) {
  add();
  server::GrantSelection notes;
  notes.stream = "notes";
  const server::Access client = this->client(notes);
  EXPECT_EQ(sources().list(client).error().code, Code::kPermission);
  EXPECT_EQ(sources().secret(client, source_).error().code, Code::kPermission);
  EXPECT_EQ(sources().remove(client, "mail").error().code, Code::kPermission);
  ASSERT_TRUE(store().add_owner("ben", clock().now()));
  EXPECT_TRUE(must(sources().list(owner("ben"))).empty());
  EXPECT_EQ(sources().find(owner("ben"), "mail").error().code, Code::kNotFound);
  EXPECT_TRUE(sources().add(owner("ben"), source_, "another")) << "owners may use the same names";
}

TEST_P(SyncStoreTest, NamesAndSecretsAreChecked) {
  for (const char* bad : {"", "a b", "A", "../x", ".x", "a\nb"}) {
    source_.name = bad;
    EXPECT_EQ(sources().add(owner(), source_, kSecret).error().code, Code::kInvalidRequest) << bad;
  }
  source_.name = "mail";
  EXPECT_EQ(sources().add(owner(), source_, "").error().code, Code::kInvalidRequest);
  EXPECT_EQ(sources().add(owner(), source_, std::string(5000, 'x')).error().code, Code::kInvalidRequest);
  add();
  EXPECT_EQ(sources().add(owner(), source_, kSecret).error().code, Code::kConflict);
}

TEST_P(SyncStoreTest, TwoProcessesDoNotOverwriteEachOther) {
  add();
  ASSERT_TRUE(run({1, 2, 3}, 3));
  SyncStore one = sources(), two = sources();
  FolderState first = must(one.folders(owner(), "mail")).at(0), second = must(two.folders(owner(), "mail")).at(0);
  ASSERT_TRUE(one.load_entries(owner(), "mail", first));
  ASSERT_TRUE(two.load_entries(owner(), "mail", second));
  first.add({9, "", {{"messages", "m9"}}});
  second.add({10, "", {{"messages", "m10"}}});
  EXPECT_TRUE(one.save(owner(), "mail", first));
  EXPECT_EQ(two.save(owner(), "mail", second).error().code, Code::kConflict);
}

TEST_P(SyncStoreTest, RemovingASourceLeavesNothing) {
  add();
  ASSERT_TRUE(run({1, 2, 3}, 3));
  ASSERT_TRUE(sources().remove(owner(), "mail"));
  for (const char* kind : {"sync_source", "sync_state", "sync_folder", "sync_entries"})
    EXPECT_TRUE(must(store().auth().list(kind, owner().owner())).empty()) << kind;
}

TEST_P(SyncStoreTest, AShortListRemovesNothing) {
  add();
  ASSERT_TRUE(run({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 10));
  ASSERT_EQ(records_.records.size(), 10U);
  const auto cut = run({1, 2, 3}, 9);  // the server says 9, and lists 3
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().code, Code::kRsProtocol);
  EXPECT_EQ(records_.records.size(), 10U);
  const auto asks = run({1, 2, 3}, 3);
  ASSERT_TRUE(asks);
  EXPECT_EQ(asks->waiting_removals, 7);
  EXPECT_EQ(records_.records.size(), 10U);
  const auto confirmed = run({1, 2, 3}, 3, true);
  ASSERT_TRUE(confirmed);
  EXPECT_EQ(confirmed->removed, 7);
  EXPECT_EQ(records_.records, (std::set<std::string>{"m1", "m2", "m3"}));
}

TEST_P(SyncStoreTest, AFifthMayGoWithoutAConfirmation) {
  add();
  ASSERT_TRUE(run({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 10));
  const auto fifth = run({1, 2, 3, 4, 5, 6, 7, 8}, 8);
  ASSERT_TRUE(fifth);
  EXPECT_EQ(fifth->removed, 2);
  const auto more = run({1, 2, 3, 4, 5, 6}, 6);
  ASSERT_TRUE(more);
  EXPECT_EQ(more->removed, 0);
  EXPECT_EQ(more->waiting_removals, 2) << "2 of 8 are more than 20 %";
}

TEST_P(SyncStoreTest, RemovalsOfAWeekAddUp) {
  add();
  std::vector<imap::Uid> uids(85);
  std::iota(uids.begin(), uids.end(), 1);
  ASSERT_TRUE(run(uids, 85));
  recently_ = 15;
  uids.resize(79);
  EXPECT_EQ(must(run(uids, 79)).waiting_removals, 6) << "21 of 100 within a week";
  EXPECT_EQ(must(run(uids, 79, true)).removed, 6);
  uids.resize(78);
  recently_ = 3;
  EXPECT_EQ(must(run(uids, 78)).removed, 1);
}

TEST(SourceStatusTest, RemovalsAreForgottenAfterAWeekOrAConfirmation) {
  SourceStatus status;
  RunReport report;
  report.removed = 4;
  const Instant day = 24 * 3600 * kSecond, now = 100 * day;
  count_removals(status, report, false, now);
  count_removals(status, report, false, now + 1);
  count_removals(status, report, false, now + 2 * day);
  EXPECT_EQ(status.removed.size(), 2U);
  status = status_of(to_body(status));
  EXPECT_EQ(removed_since(status, now), 12);
  count_removals(status, report, false, now + 8 * day);
  EXPECT_EQ(removed_since(status, now), 8) << "the first two were more than a week ago";
  count_removals(status, report, true, now + 8 * day);
  EXPECT_EQ(removed_since(status, 0), 0);
}

TEST_P(SyncStoreTest, ASharedConnectionAsksFirst) {
  add();
  ASSERT_TRUE(run({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 10));
  records_.shared = true;
  EXPECT_EQ(must(run({1, 2, 3, 4, 5, 6, 7, 8, 9}, 9)).waiting_removals, 1);
  EXPECT_EQ(records_.records.size(), 10U);
  EXPECT_EQ(must(run({1, 2, 3, 4, 5, 6, 7, 8, 9}, 9, true)).removed, 1);
}

TEST_P(SyncStoreTest, AFolderThatIsNoLongerChosenAsksFirst) {
  add();
  ASSERT_TRUE(run({1, 2, 3}, 3));
  list_ += "* LIST () \"/\" Other\r\n";
  source_.folders = {"Other"};
  std::vector<imap::Uid> uids(50);
  std::iota(uids.begin(), uids.end(), 11);
  EXPECT_EQ(must(run(uids, 50)).waiting_removals, 3) << "although it is a small part of all messages";
  EXPECT_EQ(records_.records.size(), 53U);
  EXPECT_EQ(must(run(uids, 50, true)).removed, 3);
}

TEST_P(SyncStoreTest, AMessageThatTheServerCannotSendIsLostAlone) {
  add();
  const auto answer = [](const std::string& line) {
    std::string data;
    for (const imap::Uid uid : {1, 2, 3, 4, 5}) {
      if (asked_in(line).contains(uid) && uid != 3) data += message_answer(uid);
    }
    return data + (asked_in(line).contains(3) ? "TAG NO [SERVERBUG] x\r\n" : "TAG OK\r\n");
  };
  fetch_ = answer;
  ASSERT_TRUE(run({1, 2, 3, 4, 5}, 5));
  EXPECT_EQ(records_.records, (std::set<std::string>{"m1", "m2", "m4", "m5"}));
  EXPECT_EQ(records_.lost, (std::set<imap::Uid>{3}));
}

TEST_P(SyncStoreTest, AServerThatSendsNothingLosesNothing) {
  add();
  for (const char* refusal : {"TAG NO x\r\n", "TAG NO [UNAVAILABLE] x\r\n"}) {
    fetch_ = [&](const std::string&) { return refusal; };
    EXPECT_FALSE(run({1, 2, 3}, 3)) << refusal;
    EXPECT_TRUE(records_.lost.empty()) << refusal;
  }
  fetch_ = nullptr;
  EXPECT_EQ(must(run({1, 2, 3}, 3)).fetched, 3);
}

TEST_P(SyncStoreTest, AMessageWithoutContentIsNamed) {
  add();
  fetch_ = [](const std::string&) { return message_answer(1) + "* 2 FETCH (UID 2 FLAGS ())\r\nTAG OK\r\n"; };
  ASSERT_TRUE(run({1, 2}, 2));
  EXPECT_EQ(records_.records, (std::set<std::string>{"m1"}));
  EXPECT_EQ(records_.lost, (std::set<imap::Uid>{2}));
}

TEST_P(SyncStoreTest, BatchesAreCutByTheRealSizes) {
  add();
  fetch_ = [](const std::string& line) {
    std::string data;
    for (const imap::Uid uid : {1, 2, 3, 4}) {
      if (asked_in(line).contains(uid)) data += message_answer(uid, std::string(12 << 20, 'x'));
    }
    return data + "TAG OK\r\n";
  };
  ASSERT_TRUE(run({1, 2, 3, 4}, 4));
  EXPECT_EQ(records_.records.size(), 4U);
  EXPECT_LE(records_.most_bytes, 32U << 20) << "the server announced 5 bytes each";
}

TEST_P(SyncStoreTest, DeletedMessagesStayIfTheOwnerWantsSo) {
  source_.keep_deleted = true;
  add();
  ASSERT_TRUE(run({1, 2, 3, 4, 5}, 5));
  const auto report = run({1}, 1);
  ASSERT_TRUE(report);
  EXPECT_EQ(report->removed, 0);
  EXPECT_EQ(report->waiting_removals, 0);
  EXPECT_EQ(records_.records.size(), 5U);
}

LADDER_FOR_EVERY_ENGINE(SyncStoreTest);

}  // namespace
}  // namespace ladder::sync
