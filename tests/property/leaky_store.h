// Stores whose search leaks in the two ways that search engines are known for, so that the test of non-interference can show that
// it would notice: scores that use statistics over everything there is, and constraints applied to what was ranked without them.
#pragma once

#include "store/testing/faulty_store.h"

#include <memory>
#include <utility>

namespace ladder::test_support {

enum class SearchLeak : std::uint8_t { kNone, kGlobalStatistics, kFilterAfterRanking };

// Passes everything on to the store it owns, but for searches.
class LeakyStore final : public store::testing::FaultyStore {
 public:
  LeakyStore(std::unique_ptr<store::Store> inner, SearchLeak leak) : FaultyStore(*inner), inner_(std::move(inner)), leak_(leak) {}
  Result<std::unique_ptr<store::Reader>> read() override;

 private:
  std::unique_ptr<store::Store> inner_;
  SearchLeak leak_;
};

}  // namespace ladder::test_support
