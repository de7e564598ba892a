// Fuses the hits of several wordings of one question by reciprocal rank: a record counts 1 / (60 + rank) for each wording that
// finds it. Ranks compare across wordings and languages, and scores do not. Where the order is by time, the hits are merged by
// time.
#pragma once

#include "server/search/search_plan.h"
#include "store/word_search.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace ladder::server {

inline constexpr std::int64_t kFusedHits = 100;  // that are taken of each wording

class FusedHits {
 public:
  struct Fused {
    std::int64_t score = 0;
    std::size_t rank = 0;                     // in the wording that ranks it best
    const store::WordQuery* query = nullptr;  // of that wording, which gives the evidence
    const store::WordHit* hit = nullptr;      // likewise
    std::uint32_t hash = 0;
  };

  // `fold`: of a conversation one hit is shown.
  FusedHits(const std::vector<const SearchPlace*>& places, store::WordOrder order, bool fold)
      : places_(places), order_(order), fold_(fold) {}

  void add(const store::WordQuery& query, store::WordPage found);
  // Puts the hits into their order and returns how many there are.
  std::int64_t rank();
  void leave_out(std::span<const std::uint32_t> hashes);
  const std::vector<Fused>& hits() const { return hits_; }

 private:
  std::string key_of(const store::WordHit& hit);

  const std::vector<const SearchPlace*>& places_;
  const store::WordOrder order_;
  const bool fold_;
  std::deque<std::pair<store::WordQuery, store::WordPage>> wordings_;
  std::map<std::string, Fused> found_;       // by record or by the conversation that it stands for
  std::map<std::string, std::string> keys_;  // of the names of conversations
  std::vector<Fused> hits_;
};

}  // namespace ladder::server
