// A Reader over values in memory. It returns chunks and directory pages as an engine would and counts the bytes read.
// It has no rows and no change log; those calls return kInternal.
#pragma once

#include "store/long_values/value_sink.h"
#include "store/store.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace ladder::store::testing {

class MemoryReader final : public Reader {
 public:
  explicit MemoryReader(const BufferedValues& values) {
    for (const ChunkRow& row : values.chunks) chunks_[{row.value, row.chunk_no}] = row.bytes;
    for (const DirectoryRow& row : values.directory) pages_[{row.value, row.first}] = row.page;
  }

  Result<std::vector<std::string>> chunks(ValueId text_id, std::int64_t first, std::int64_t last) override {
    std::vector<std::string> found;
    for (auto at = chunks_.lower_bound({text_id, first}); at != chunks_.end() && at->first <= std::pair(text_id, last); ++at) {
      found.push_back(at->second);
      bytes_read_ += static_cast<std::int64_t>(at->second.size());
    }
    return found;
  }

  Result<std::optional<std::string>> directory_page(ValueId value, std::int64_t key) override {
    auto after = pages_.upper_bound({value, key});
    if (after == pages_.begin() || std::prev(after)->first.first != value) return std::nullopt;
    const std::string& page = std::prev(after)->second;
    bytes_read_ += static_cast<std::int64_t>(page.size());
    return page;
  }

  Result<GuardedRecords> records(const Guard&, std::span<const StreamNo>, std::string_view) override { return unsupported(); }
  Result<StreamCounters> counters(StreamNo) override { return unsupported(); }
  Result<std::vector<RecordRow>> page(StreamNo, std::string_view, bool, std::int64_t) override { return unsupported(); }
  Result<std::vector<RecordRow>> page_by_key(StreamNo, std::string_view, bool, std::int64_t) override { return unsupported(); }
  Result<std::vector<ChangeRow>> changes(StreamNo, std::span<const FieldNo>, std::int64_t, std::int64_t, std::int64_t) override {
    return unsupported();
  }
  Result<std::vector<IndexedRow>> index_page(IndexNo, const IndexRange&, bool, std::int64_t) override { return unsupported(); }
  Result<std::optional<std::string>> last_order_key(StreamNo, const IndexRange&) override { return unsupported(); }
  Result<std::int64_t> index_count(IndexNo, const IndexRange&, std::int64_t) override { return unsupported(); }
  Result<std::int64_t> order_count(StreamNo, const IndexRange&, std::int64_t) override { return unsupported(); }
  Result<std::vector<DayCount>> index_days(IndexNo, std::int64_t, std::int64_t) override { return unsupported(); }
  Result<std::vector<RecordRow>> records_with_blob(const Digest&, RecordNo, std::int64_t) override { return unsupported(); }
  Result<WordPage> search(const WordSearch&) override { return unsupported(); }

  std::int64_t take_bytes_read() { return std::exchange(bytes_read_, 0); }

 private:
  static std::unexpected<Error> unsupported() { return fail(Code::kInternal, "a MemoryReader holds values only"); }

  std::map<std::pair<ValueId, std::int64_t>, std::string> chunks_, pages_;
  std::int64_t bytes_read_ = 0;
};

}  // namespace ladder::store::testing
