#include "import/formats/versions.h"

#include "crypto/hash.h"

#include <utility>

namespace ladder::imports {
namespace {

constexpr std::size_t kDigestBytes = 16;

}  // namespace

Rank rank_of(std::optional<Instant> changed, std::string_view text) {
  const crypto::Digest digest = crypto::sha256(text);
  return {changed.value_or(0), std::string(crypto::view(digest).substr(0, kDigestBytes))};
}

void Versions::add(const std::string& id, Rank rank) {
  const auto [place, fresh] = seen_.try_emplace(id);
  Seen& seen = place->second;
  if (!fresh && !seen.duplicated && seen.best != rank) {
    seen.duplicated = true;
    ++duplicates_;
  }
  if (fresh || rank > seen.best) seen.best = std::move(rank);
}

bool Versions::is_duplicated(const std::string& id) const {
  const auto found = seen_.find(id);
  return found != seen_.end() && found->second.duplicated;
}

void Versions::add_part(const std::string& id, const std::string& part, const Rank& rank) {
  const auto found = seen_.find(id);
  if (found == seen_.end() || !found->second.duplicated) return;
  const auto [place, fresh] = found->second.inside.try_emplace(part, rank);
  if (!fresh && rank > place->second) place->second = rank;
}

bool Versions::is_selected(const std::string& id, const Rank& rank) const {
  const auto found = seen_.find(id);
  return found == seen_.end() || !found->second.duplicated || found->second.best == rank;
}

bool Versions::is_part_selected(const std::string& id, const std::string& part, const Rank& rank) const {
  const auto found = seen_.find(id);
  if (found == seen_.end() || !found->second.duplicated) return true;
  const auto inside = found->second.inside.find(part);
  return inside == found->second.inside.end() || inside->second == rank;
}

}  // namespace ladder::imports
