// Single records that the owner erases: an import that runs meanwhile does not bring them back, and the bytes of their blobs go.
#include "store/index/field_index.h"
#include "store/testing/faulty_store.h"
#include "support/server_fixture.h"

#include <functional>
#include <set>
#include <utility>

namespace ladder::server {
namespace {

using test_support::must;
using test_support::record_line;
using test_support::text_member;

// Runs an action of another process right before the next batch of records is written.
class InterruptedStore final : public store::testing::FaultyStore {
 public:
  using FaultyStore::FaultyStore;
  Result<std::vector<store::Outcome>> write(const store::WriteTarget& target, std::span<store::RecordWrite> records,
                                            Instant now) override {
    if (interruption) std::exchange(interruption, nullptr)();
    return FaultyStore::write(target, records, now);
  }
  std::function<void()> interruption;
};

// An import as the ingest sees it.
class Importing final : public IngestObserver {
 public:
  void durable_through(std::int64_t, const IngestReport&) override {}
  bool in_bulk() const override { return true; }
  bool leaves_out_erased() const override { return true; }
  void saw_key(std::string_view key) override { keys.emplace(key); }
  void left_out_blob(const store::Digest& blob) override { blobs.insert(blob); }

  std::set<std::string> keys;
  std::set<store::Digest> blobs;
};

class ErasedRecords : public test_support::ServerFixture {
 protected:
  ErasedRecords() : interrupted_(store()), importer_(interrupted_, clock()) {}

  IngestReport import(std::string_view lines, Importing& observer) {
    test_support::TextSource bytes(lines);
    LineSource source(bytes, limits::kMaxLineBytes);
    return must(importer_.ingest().put_records(owner(), {"work", "notes"}, source, observer));
  }
  void erase(std::string_view key) {
    ASSERT_TRUE(server().erasures().erase_record(owner(), {"work", "notes", std::string(key)}));
  }
  void before_next_write(std::function<void()> action) { interrupted_.interruption = std::move(action); }
  std::int64_t records() {
    for (const auto& stream : must(server().sources().connection(owner(), "work")).streams) {
      if (stream.stream == "notes") return stream.records;
    }
    return -1;
  }
  std::string put_blob(std::string_view bytes) {
    test_support::TextSource source(bytes);
    return must(server().ingest().put_blob(owner(), "text/plain", source)).blob_id;
  }
  static std::string line(std::string_view key, const std::string& blob) {
    return record_line(key, format(R"("blob_ref":{{"blob_id":"{}"}})", blob));
  }
  bool has_blob(const std::string& id) { return must(store().find_blob(owner().owner(), *store::blob_digest(id))).has_value(); }
  void expect_sound() { EXPECT_EQ(must(store().check_invariants()), std::vector<std::string>{}); }

 private:
  InterruptedStore interrupted_;
  ResourceServer importer_;
};
LADDER_FOR_EVERY_ENGINE(ErasedRecords);

TEST_P(ErasedRecords, ARecordErasedDuringAnImportDoesNotComeBack) {
  std::string lines;
  for (int i = 0; i < 20; ++i) lines += record_line(format("n{}", i), text_member("body", format("text {}", i)));
  Importing observer;
  before_next_write([&] {
    erase("n3");
    erase("n7");
  });
  const IngestReport report = import(lines, observer);
  EXPECT_EQ(report.added, 18);
  EXPECT_EQ(report.erased, 2);
  EXPECT_EQ(report.accepted, 20);
  EXPECT_EQ(observer.keys.size(), 20U) << "they are not missing in the files";
  EXPECT_EQ(records(), 18);
  EXPECT_FALSE(read(owner(), "n3", "body"));
  EXPECT_TRUE(read(owner(), "n4", "body"));
  expect_sound();
}

// A long record is staged and written alone.
TEST_P(ErasedRecords, ALongRecordErasedDuringAnImportDoesNotComeBack) {
  Importing observer;
  before_next_write([&] { erase("long"); });
  const IngestReport report = import(record_line("long", text_member("body", std::string(700'000, 'x'))), observer);
  EXPECT_EQ(report.erased, 1);
  EXPECT_EQ(records(), 0);
  expect_sound();
}

TEST_P(ErasedRecords, TheBytesOfAnErasedRecordGo) {
  const std::string own = put_blob("only in one"), shared = put_blob("in two");
  ingest(line("a", own) + line("b", shared) + line("c", shared));
  erase("a");
  erase("b");
  EXPECT_FALSE(has_blob(own));
  EXPECT_TRUE(has_blob(shared)) << "another record refers to it";
  expect_sound();
}

TEST_P(ErasedRecords, TheBytesOfALeftOutRecordGo) {
  const std::string own = put_blob("only in one"), shared = put_blob("in two");
  ingest(line("a", own) + line("b", shared) + line("c", shared));
  erase("a");
  erase("b");
  EXPECT_EQ(put_blob("only in one"), own) << "an import stores the blob before the record";
  Importing observer;
  EXPECT_EQ(import(line("a", own) + line("b", shared) + line("c", shared), observer).erased, 2);
  ASSERT_EQ(observer.blobs.size(), 2U);
  const std::vector<store::Digest> blobs(observer.blobs.begin(), observer.blobs.end());
  ASSERT_TRUE(server().ingest().drop_unused_blobs(owner(), blobs, observer));
  EXPECT_FALSE(has_blob(own));
  EXPECT_TRUE(has_blob(shared));
  expect_sound();
}

TEST_P(ErasedRecords, TheBytesOfARecordThatItsSourceDeletedGo) {
  const std::string own = put_blob("only in one");
  ingest(line("a", own));
  Importing observer;
  const std::vector<std::string> keys = {"a"};
  EXPECT_EQ(must(server().ingest().remove_records(owner(), {"work", "notes"}, keys, observer)), 1);
  EXPECT_FALSE(has_blob(own));
  expect_sound();
}

}  // namespace
}  // namespace ladder::server
