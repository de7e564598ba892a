// Stores with leaky searches, to show that the noninterference test detects the two leaks known from search engines:
// scores from statistics over all data, and filters applied after ranking.
#pragma once

#include "store/testing/faulty_store.h"

#include <memory>
#include <utility>

namespace ladder::test_support {

enum class SearchLeak : std::uint8_t { kNone, kGlobalStatistics, kFilterAfterRanking };

// Forwards everything but searches to the store it owns.
class LeakyStore final : public store::testing::FaultyStore {
 public:
  LeakyStore(std::unique_ptr<store::Store> inner, SearchLeak leak) : FaultyStore(*inner), inner_(std::move(inner)), leak_(leak) {}
  Result<std::unique_ptr<store::Reader>> read(store::OwnerNo owner) override;

 private:
  std::unique_ptr<store::Store> inner_;
  SearchLeak leak_;
};

}  // namespace ladder::test_support
