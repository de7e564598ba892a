#include "property/leaky_store.h"

#include <algorithm>
#include <limits>

namespace ladder::test_support {
namespace {

using namespace store;  // NOLINT(google-build-using-namespace): a wrapper of that namespace's one class

class LeakyReader final : public testing::FaultyReader {
 public:
  LeakyReader(std::unique_ptr<Reader> inner, Store& store, SearchLeak leak)
      : FaultyReader(std::move(inner), std::make_shared<testing::FaultPlan>()), store_(store), leak_(leak) {}

  Result<WordPage> search(const WordSearch& search) override;

 private:
  WordScope everything_in(StreamNo stream);
  Result<std::int64_t> matches_everywhere(const WordSearch& search);
  Result<WordPage> filtered_late(const WordSearch& search);

  Store& store_;
  SearchLeak leak_;
};

WordScope LeakyReader::everything_in(StreamNo stream) {
  WordScope scope;
  scope.stream = stream;
  scope.columns = std::numeric_limits<text::WordColumns>::max();
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
  LADDER_TRY(const WordPage page, FaultyReader::search(all));
  return page.matches;
}

// Ranks everything in the streams, and only then removes what the caller may not see.
Result<WordPage> LeakyReader::filtered_late(const WordSearch& search) {
  WordSearch wide = search, exact = search;
  for (WordScope& scope : wide.scopes) scope = everything_in(scope.stream);
  exact.limit = std::numeric_limits<std::int32_t>::max();
  LADDER_TRY(WordPage ranked, FaultyReader::search(wide));
  LADDER_TRY(const WordPage allowed, FaultyReader::search(exact));
  std::erase_if(ranked.hits, [&](const WordHit& hit) {
    return std::ranges::none_of(allowed.hits, [&](const WordHit& other) { return other.record.no == hit.record.no; });
  });
  return ranked;
}

Result<WordPage> LeakyReader::search(const WordSearch& search) {
  if (leak_ == SearchLeak::kFilterAfterRanking) return filtered_late(search);
  LADDER_TRY(WordPage page, FaultyReader::search(search));
  if (leak_ == SearchLeak::kNone) return page;
  LADDER_TRY(const std::int64_t matches, matches_everywhere(search));
  for (WordHit& hit : page.hits) hit.sort_key.score = hit.sort_key.score * 1'000 / (1 + matches);
  return page;
}

}  // namespace

Result<std::unique_ptr<store::Reader>> LeakyStore::read(store::OwnerNo owner) {
  LADDER_TRY(auto reader, FaultyStore::read(owner));
  return std::make_unique<LeakyReader>(std::move(reader), *inner_, leak_);
}

}  // namespace ladder::test_support
