// Fuses the hits of several wordings of one question by reciprocal rank: each wording that finds a record adds 1 /
// (60 + rank). Unlike scores, ranks are comparable across wordings and languages. In time order the hits are merged
// by time instead.
#pragma once

#include "server/search/search_plan.h"
#include "store/rows/word_search.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace ladder::server {

inline constexpr std::int64_t kFusedHits = 100;  // taken from each wording

class FusedHits {
 public:
  struct Fused {
    std::int64_t score = 0;
    std::size_t rank = 0;                    // in the wording that ranks it best
    const text::WordQuery* query = nullptr;  // that wording, which supplies the evidence
    const store::WordHit* hit = nullptr;     // the hit in that wording
    std::uint32_t hash = 0;
  };

  // With `fold`, only one hit per conversation is shown.
  FusedHits(const std::vector<const SearchStream*>& places, text::WordOrder order, bool fold)
      : places_(places), order_(order), fold_(fold) {}

  void add(const text::WordQuery& query, store::WordPage found);
  // Sorts the hits and returns their number.
  std::int64_t rank();
  void leave_out(std::span<const std::uint32_t> hashes);
  const std::vector<Fused>& hits() const { return hits_; }

 private:
  std::string key_of(const store::WordHit& hit);

  const std::vector<const SearchStream*>& places_;
  const text::WordOrder order_;
  const bool fold_;
  std::deque<std::pair<text::WordQuery, store::WordPage>> wordings_;
  std::map<std::string, Fused> found_;       // by record, or by the conversation it represents
  std::map<std::string, std::string> keys_;  // conversation names to their keys
  std::vector<Fused> hits_;
};

}  // namespace ladder::server
