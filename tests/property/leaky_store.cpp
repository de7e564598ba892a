#include "property/leaky_store.h"

#include <algorithm>
#include <limits>

namespace ladder::test_support {
namespace {

using namespace store;  // NOLINT(google-build-using-namespace): a wrapper of that namespace's one class

class LeakyReader final : public Reader {
 public:
  LeakyReader(std::unique_ptr<Reader> inner, Store& store, SearchLeak leak)
      : inner_(std::move(inner)), store_(store), leak_(leak) {}

  Result<GuardedRecords> records(const Guard& guard, std::span<const StreamNo> streams, std::string_view key) override {
    return inner_->records(guard, streams, key);
  }
  Result<std::vector<std::string>> chunks(ValueId text_id, std::int64_t first, std::int64_t last) override {
    return inner_->chunks(text_id, first, last);
  }
  Result<std::optional<std::string>> directory_page(ValueId value, std::int64_t key) override {
    return inner_->directory_page(value, key);
  }
  Result<StreamCounters> counters(StreamNo stream) override { return inner_->counters(stream); }
  Result<std::vector<RecordRow>> page(StreamNo stream, std::string_view after, bool descending, std::int64_t limit) override {
    return inner_->page(stream, after, descending, limit);
  }
  Result<std::vector<RecordRow>> page_by_key(StreamNo stream, std::string_view after, bool descending,
                                             std::int64_t limit) override {
    return inner_->page_by_key(stream, after, descending, limit);
  }
  Result<std::vector<ChangeRow>> changes(StreamNo stream, std::span<const FieldNo> fields, std::int64_t since, std::int64_t upto,
                                         std::int64_t limit) override {
    return inner_->changes(stream, fields, since, upto, limit);
  }
  Result<std::vector<IndexedRow>> index_page(IndexNo index, const IndexRange& range, bool descending,
                                             std::int64_t limit) override {
    return inner_->index_page(index, range, descending, limit);
  }
  Result<std::int64_t> index_count(IndexNo index, const IndexRange& range, std::int64_t limit) override {
    return inner_->index_count(index, range, limit);
  }
  Result<std::int64_t> order_count(StreamNo stream, const IndexRange& range, std::int64_t limit) override {
    return inner_->order_count(stream, range, limit);
  }
  Result<std::optional<std::string>> last_order_key(StreamNo stream, const IndexRange& range) override {
    return inner_->last_order_key(stream, range);
  }
  Result<std::vector<DayCount>> index_days(IndexNo index, std::int64_t first, std::int64_t last) override {
    return inner_->index_days(index, first, last);
  }
  Result<std::vector<RecordRow>> records_with_blob(const Digest& blob, RecordNo after, std::int64_t limit) override {
    return inner_->records_with_blob(blob, after, limit);
  }
  Result<WordPage> search(const WordSearch& search) override;

 private:
  WordScope everything_in(StreamNo stream);
  Result<std::int64_t> matches_everywhere(const WordSearch& search);
  Result<WordPage> filtered_late(const WordSearch& search);

  std::unique_ptr<Reader> inner_;
  Store& store_;
  SearchLeak leak_;
};

WordScope LeakyReader::everything_in(StreamNo stream) {
  WordScope scope;
  scope.stream = stream;
  scope.columns = std::numeric_limits<WordColumns>::max();
  scope.timed = true;
  return scope;
}

Result<std::int64_t> LeakyReader::matches_everywhere(const WordSearch& search) {
  WordSearch all = search;
  all.after.reset();
  all.scopes.clear();
  // Statistics exclude only the scopes that the query named.
  all.accept = [](std::size_t, const RecordRow&) -> Result<bool> { return true; };
  all.reading = {};
  all.fold = false;
  LADDER_TRY(const auto owners, store_.owners());
  for (const OwnerRow& owner : owners) {
    LADDER_TRY(const Catalog catalog, store_.catalog(owner.no));
    for (const StreamRow& stream : catalog.streams) all.scopes.push_back(everything_in(stream.no));
  }
  LADDER_TRY(const WordPage page, inner_->search(all));
  return page.matches;
}

// Ranks everything in the streams, and only then removes what the caller may not see.
Result<WordPage> LeakyReader::filtered_late(const WordSearch& search) {
  WordSearch wide = search, exact = search;
  for (WordScope& scope : wide.scopes) scope = everything_in(scope.stream);
  exact.limit = std::numeric_limits<std::int32_t>::max();
  LADDER_TRY(WordPage ranked, inner_->search(wide));
  LADDER_TRY(const WordPage allowed, inner_->search(exact));
  std::erase_if(ranked.hits, [&](const WordHit& hit) {
    return std::ranges::none_of(allowed.hits, [&](const WordHit& other) { return other.record.no == hit.record.no; });
  });
  return ranked;
}

Result<WordPage> LeakyReader::search(const WordSearch& search) {
  if (leak_ == SearchLeak::kFilterAfterRanking) return filtered_late(search);
  LADDER_TRY(WordPage page, inner_->search(search));
  if (leak_ == SearchLeak::kNone) return page;
  LADDER_TRY(const std::int64_t matches, matches_everywhere(search));
  for (WordHit& hit : page.hits) hit.sort_key.score = hit.sort_key.score * 1'000 / (1 + matches);
  return page;
}

}  // namespace

Result<std::unique_ptr<store::Reader>> LeakyStore::read() {
  LADDER_TRY(auto reader, FaultyStore::read());
  return std::make_unique<LeakyReader>(std::move(reader), *inner_, leak_);
}

}  // namespace ladder::test_support
