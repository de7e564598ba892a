// A full disk: writes are refused with the reason, the owner's reads work, a client gets only what the ledger can
// record first (design D27), no acknowledged record is lost, and once there is space the same process writes again.
#include "base/text/format.h"
#include "owner_store.h"
#include "serving.h"
#include "small_disk.h"
#include "support/noise.h"

#include <iostream>
#include <thread>

namespace ladder::faults {
namespace {

constexpr std::size_t kDisk = 16 * limits::kMiB, kLargerDisk = 64 * limits::kMiB;
constexpr int kBatch = 20;                               // records per request
constexpr std::size_t kBodyChars = 20'000;               // per record: needs chunks and a row
constexpr int kMaxBatches = 200;                         // far more than fit
constexpr milliseconds kLongest = kSlower * seconds(5);  // the limit for any response

std::string body_of(int note) {
  return format("{:05}", note) + test_support::noise(kBodyChars, static_cast<std::uint64_t>(note));
}

class FullDisk : public ::testing::TestWithParam<SmallDisk::Kind> {
 protected:
  FullDisk()
      : disk_(GetParam(), kDisk), owner_store_(disk_.store()), token_(owner_store_.grant().token), serving_(disk_.store()) {
    disk_.hold(serving_.pid());
  }

  Answer ingest(int batch) {
    std::string lines;
    for (int n = batch * kBatch; n < (batch + 1) * kBatch; ++n)
      lines += record_line(format("n{}", n), text_member("body", body_of(n)));
    return serving_.send("POST", "/v1/ingest/notes?connection_id=work", owner_store_.owner_token(), lines);
  }
  void expect_refused(const Answer& answer) {
    EXPECT_EQ(answer.status, 503) << answer.summary();
    EXPECT_TRUE(answer.code == "ingest_batch_storage_error" || answer.code == "store_unavailable") << answer.summary();
    EXPECT_NE(answer.text.find("disk that holds the store is full"), std::string::npos) << answer.summary();
    EXPECT_LT(answer.took(), kLongest);
  }
  // The ledger's journal may still have space in its last block; the server never serves a read that it could not
  // record.
  void expect_recorded_or_refused(const Answer& answer) {
    if (answer.status == 200) return;
    EXPECT_TRUE(answer.is(503, "store_unavailable")) << answer.summary();
    EXPECT_NE(answer.text.find("can't be recorded in the ledger"), std::string::npos) << answer.summary();
  }
  // Every record of the earlier batches is returned unchanged by every kind of read.
  void expect_all_there(int batches, const std::string& token) {
    for (int n = 0; n < batches * kBatch; ++n) {
      const Answer record = serving_.get(format("/v1/streams/notes/records/n{}", n), token);
      ASSERT_EQ(record.status, 200) << record.summary();
      ASSERT_NE(record.text.find("\"" + body_of(n) + "\""), std::string::npos) << "note " << n << " is another";
    }
    const Answer window = serving_.get("/v1/streams/notes/records/n1/field-window?field=body&limit_chars=5", token);
    EXPECT_NE(window.text.find("\"text\":\"00001\""), std::string::npos) << window.summary();
    EXPECT_EQ(serving_.get("/v1/streams/notes/records?limit=100&fields=id&count=exact", token).status, 200);
    EXPECT_EQ(serving_.get("/v1/schema", token).status, 200);
  }

  SmallDisk disk_;
  OwnerStore owner_store_;
  std::string token_;
  Serving serving_;
};

TEST_P(FullDisk, RefusesWritesAndUnrecordedReads) {
  int batch = 0;
  Answer answer = ingest(batch);
  for (; answer.status == 200 && batch < kMaxBatches; answer = ingest(batch)) ++batch;
  std::cout << batch << " batches fit\n";
  ASSERT_GT(batch, 3) << answer.summary();
  ASSERT_LT(batch, kMaxBatches) << "the disk was never full";
  expect_refused(answer);
  expect_all_there(batch, owner_store_.owner_token());
  expect_refused(ingest(batch));
  expect_all_there(1, owner_store_.owner_token());
  for (int n = 0; n < kBatch; ++n) {
    expect_recorded_or_refused(serving_.get(format("/v1/streams/notes/records/n{}", n), token_));
  }

  disk_.enlarge(serving_.pid(), kLargerDisk);
  answer = ingest(batch);
  ASSERT_EQ(answer.status, 200) << "there is space again: " << answer.summary();
  EXPECT_NE(answer.text.find(format("\"records_accepted\":{}", kBatch)), std::string::npos) << answer.summary();
  ASSERT_EQ(ingest(batch + 1).status, 200);
  expect_all_there(batch + 2, token_);
  EXPECT_EQ(must(owner_store_.store().check_invariants()), std::vector<std::string>());
}

// Space is reserved for revocations; where that does not help, the server enforces them from memory.
TEST_P(FullDisk, AllowsRevocations) {
  int batch = 0;
  while (batch < kMaxBatches && ingest(batch).status == 200) ++batch;
  ASSERT_LT(batch, kMaxBatches) << "the disk was never full";
  for (int round = 0; round < 3; ++round) expect_refused(ingest(batch));
  const std::string target = "/v1/streams/notes/records/n1";
  expect_recorded_or_refused(serving_.get(target, token_));
  const std::string grant = must(owner_store_.server().grants().list(owner_store_.owner())).at(0).grant.grant_id;
  const Answer answer = serving_.send("POST", "/grants/" + grant + "/revoke", owner_store_.owner_token());
  const bool has_room = GetParam() == SmallDisk::Kind::kFileSystem;
  EXPECT_TRUE(answer.status == 200 || (!has_room && answer.status == 202)) << answer.summary();
  EXPECT_TRUE(serving_.get(target, token_).is(403, "grant_revoked"));
  const auto status = [&] { return must(owner_store_.server().grants().find(owner_store_.owner(), grant)).status; };
  if (has_room) {
    EXPECT_EQ(status(), "revoked");
  }
  disk_.enlarge(serving_.pid(), kLargerDisk);
  EXPECT_TRUE(eventually([&] { return status() == "revoked"; }));
}

INSTANTIATE_TEST_SUITE_P(, FullDisk, ::testing::ValuesIn(SmallDisk::kinds()), [](const auto& kind) {
  return kind.param == SmallDisk::Kind::kFileSystem ? "a_small_file_system" : "a_limit_on_files";
});

}  // namespace
}  // namespace ladder::faults
