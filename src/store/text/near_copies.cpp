#include "store/text/near_copies.h"

#include <algorithm>
#include <iterator>

namespace ladder::store {
namespace {

constexpr std::size_t kRunWords = 3;
constexpr std::size_t kSharedHashes = 13;  // of the 16 smallest hashes of both texts

// The order of hashes must not depend on the words: FNV's last step leaves much of its input in place.
std::uint32_t mixed(std::uint32_t hash) {
  hash = (hash ^ (hash >> 16)) * 0x85EB'CA6B;
  hash = (hash ^ (hash >> 13)) * 0xC2B2'AE35;
  return hash ^ (hash >> 16);
}

}  // namespace

NearSketch near_sketch(const RankedText& reading, std::span<const std::uint32_t> words) {
  if (reading.chars < kMinNearChars || !reading.whole || words.size() < kRunWords) return {};
  NearSketch hashes;
  hashes.reserve(words.size());
  for (std::size_t i = kRunWords - 1; i < words.size(); ++i)
    hashes.push_back(mixed(mixed(mixed(words[i - 2]) + words[i - 1]) + words[i]));
  std::ranges::sort(hashes);
  hashes.erase(std::ranges::unique(hashes).begin(), hashes.end());
  if (hashes.size() < kSketchHashes) return {};
  hashes.resize(kSketchHashes);
  hashes.shrink_to_fit();
  return hashes;
}

bool nearly_same(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b) {
  if (a.empty() || b.empty()) return false;
  std::size_t smallest = 0, shared = 0;
  for (auto at = a.begin(), other = b.begin(); smallest < kSketchHashes && at != a.end() && other != b.end(); ++smallest) {
    if (*at == *other) ++shared, ++at, ++other;
    else if (*at < *other) ++at;
    else ++other;
  }
  return shared >= kSharedHashes;
}

}  // namespace ladder::store
