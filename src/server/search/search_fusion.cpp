#include "server/search/search_fusion.h"

#include "base/text/bytes.h"
#include "server/search/search_group.h"
#include "store/search/top_hits.h"
#include "text/word_rank.h"

#include <algorithm>
#include <utility>

namespace ladder::server {

namespace {

constexpr std::int64_t kScale = 1'000'000, kRankOffset = 60;  // 60 is the usual constant

}  // namespace

// Two wordings may find different members of one conversation; only one of them is shown.
std::string FusedHits::key_of(const store::WordHit& hit) {
  const SearchStream& place = *places_[hit.sort_key.scope];
  const std::string& connection = place.stream().connection->row.connection_id;
  std::vector<std::string> names;
  if (fold_) names = groups_of(place.group, connection, hit.record);
  const auto known = std::ranges::find_if(names, [this](const std::string& name) { return keys_.contains(name); });
  if (!names.empty()) {
    const std::string key = known != names.end() ? keys_.at(*known) : "g" + names.front();
    for (const std::string& name : names) keys_.emplace(name, key);
    return key;
  }
  std::string key = "r";
  for (const std::string& part : {connection, place.stream().declared->name, hit.record.key}) put_sized(key, part);
  return key;
}

void FusedHits::add(const text::WordQuery& query, store::WordPage found) {
  const auto& [kept, page] = wordings_.emplace_back(query, std::move(found));
  for (std::size_t rank = 0; rank < page.hits.size(); ++rank) {
    if (page.hits[rank].more == store::kIsSecond) continue;
    const std::string key = key_of(page.hits[rank]);
    Fused& fused = found_[key];
    fused.score += kScale / (kRankOffset + static_cast<std::int64_t>(rank) + 1);
    if (fused.hit != nullptr && fused.rank <= rank) continue;
    fused.rank = rank;
    fused.query = &kept;
    fused.hit = &page.hits[rank];
    fused.hash = text::word_hash(key);
  }
}

std::int64_t FusedHits::rank() {
  hits_.clear();
  for (const auto& [key, fused] : found_) hits_.push_back(fused);
  const bool by_score = order_ == text::WordOrder::kScore;
  std::ranges::sort(hits_, [&](const Fused& a, const Fused& b) {
    if (by_score && a.score != b.score) return a.score > b.score;
    return text::comes_before(by_score ? text::WordOrder::kNewest : order_, a.hit->sort_key, b.hit->sort_key);
  });
  return std::ssize(hits_);
}

void FusedHits::leave_out(std::span<const std::uint32_t> hashes) {
  std::erase_if(hits_, [&](const Fused& hit) { return std::ranges::find(hashes, hit.hash) != hashes.end(); });
}

}  // namespace ladder::server
