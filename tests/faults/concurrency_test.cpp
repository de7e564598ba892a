// Thirty-two readers and two writers over the same records: no errors, and no record that mixes two versions.
#include "base/text/format.h"
#include "owner_store.h"
#include "serving.h"
#include "support/store_fixture.h"

#include <boost/json.hpp>

#include <atomic>
#include <iostream>
#include <mutex>
#include <thread>
#include <vector>

namespace ladder::faults {
namespace {

constexpr int kReaders = 32, kWriters = 2;
constexpr int kNotes = 20;
constexpr int kRepeats = 2500;  // repetitions of the version in a body: too long for a record's row
constexpr int kLeastReads = 20 * kReaders, kLeastWrites = 8 * kWriters;  // in total

std::string body_of(int version) {
  const std::string word = format("{:07};", version);
  std::string body;
  for (int n = 0; n < kRepeats; ++n) body += word;
  return body;
}

// Returns one version of all notes of a writer.
std::string lines_of(int writer, int version) {
  std::string lines;
  const std::string members = format("\"words\":{},{},{}", version, text_member("title", format("{:07};", version)),
                                     text_member("body", body_of(version)));
  for (int n = writer; n < kNotes; n += kWriters) lines += record_line(format("n{}", n), members);
  return lines;
}

// Returns why this is no single version of a note; empty if it is.
std::string tear_in(const boost::json::object& data) {
  const std::string title(data.at("title").as_string());
  const std::string_view body = data.at("body").as_string();
  if (format("{:07};", data.at("words").as_int64()) != title) return "words and title differ";
  if (body.size() != title.size() * kRepeats) return "the body has another length";
  for (std::size_t at = 0; at < body.size(); at += title.size()) {
    if (body.substr(at, title.size()) != title)
      return format("the body is of version {} at {}", body.substr(at, title.size()), at);
  }
  return {};
}

std::string tear_in_text(std::string_view text) {
  for (std::size_t at = 8; at + 8 <= text.size(); at += 8) {
    if (text.substr(at, 8) != text.substr(0, 8)) return "the window is of two versions";
  }
  return text.empty() ? "the window is empty" : "";
}

class Concurrency : public ::testing::TestWithParam<std::string> {
 protected:
  Concurrency() : place_(GetParam()), owner_store_(place_.location()), serving_(place_.location()) {}

  void write(int writer) {
    for (int version = 1; !stop_; ++version) {
      const Answer answer =
          serving_.send("POST", "/v1/ingest/notes?connection_id=work", owner_store_.owner_token(), lines_of(writer, version));
      if (answer.status != 200 || answer.text.find("\"records_rejected\":0") == std::string::npos) note(answer.summary());
      ++writes_;
    }
  }

  void read(int reader, const std::string& token) {
    const std::string records = "/v1/streams/notes/records";
    for (int n = reader; !stop_; ++n) {
      const int kind = n % 3;
      const std::string id = format("n{}", n % kNotes);
      const std::string target = kind == 0 ? format("{}/{}", records, id)
                                 : kind == 1
                                     ? format("{}/{}/field-window?field=body&offset_chars=8000&limit_chars=8000", records, id)
                                     : records + "?limit=5";
      const Answer answer = serving_.get(target, token);
      if (answer.status == 429) std::this_thread::sleep_for(milliseconds(50));  // above the per-client limit
      else if (answer.status != 200) note(answer.summary());
      else check(kind, boost::json::parse(answer.text).as_object());
      if (answer.status != 429) ++reads_;
    }
  }

  void check(int kind, const boost::json::object& answer) {
    std::string tear;
    if (kind == 0) tear = tear_in(answer.at("data").as_object());
    if (kind == 1) tear = tear_in_text(answer.at("window").at("text").as_string());
    if (kind == 2) {
      if (answer.at("data").as_array().size() != 5) note("a page of another length");
      for (const auto& record : answer.at("data").as_array()) tear += tear_in(record.at("data").as_object());
    }
    if (!tear.empty()) note(tear);
  }

  void note(const std::string& fault) {
    const std::lock_guard lock(mutex_);
    if (faults_.size() < 20) faults_.push_back(fault);
  }

  test_support::StoreLocation place_;
  OwnerStore owner_store_;
  Serving serving_;
  std::atomic<bool> stop_ = false;
  std::atomic<int> reads_ = 0, writes_ = 0;
  std::mutex mutex_;
  std::vector<std::string> faults_;
};

TEST_P(Concurrency, ReadersSeeCompleteRecordsDuringWrites) {
  for (int writer = 0; writer < kWriters; ++writer) owner_store_.put(lines_of(writer, 0));
  const std::string token = owner_store_.grant().token;
  std::vector<std::thread> threads;
  for (int n = 0; n < kWriters; ++n) threads.emplace_back([this, n] { write(n); });
  for (int n = 0; n < kReaders; ++n) threads.emplace_back([this, n, &token] { read(n, token); });
  EXPECT_TRUE(eventually([&] { return reads_ >= kLeastReads && writes_ >= kLeastWrites; }))
      << reads_ << " reads, " << writes_ << " writes";
  stop_ = true;
  for (std::thread& thread : threads) thread.join();
  std::cout << reads_ << " reads, " << writes_ << " writes\n";
  EXPECT_EQ(faults_, std::vector<std::string>());
  EXPECT_EQ(must(owner_store_.store().check_invariants()), std::vector<std::string>());
}

LADDER_FOR_EVERY_ENGINE(Concurrency);

}  // namespace
}  // namespace ladder::faults
