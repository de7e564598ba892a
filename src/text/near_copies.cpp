#include "text/near_copies.h"

#include "text/words.h"

#include <algorithm>
#include <iterator>

namespace ladder::text {
namespace {

constexpr std::size_t kMaxRead = 4'096;       // bytes of a record's text; the beginning shows its subject
constexpr std::int64_t kMinSubjectChars = 3;  // characters; shorter ones are mostly function words
constexpr std::size_t kRunWords = 3;
constexpr std::size_t kSharedHashes = 13;  // of the 16 smallest hashes of both texts

// The order of hashes must not depend on the words: FNV's last step leaves much of its input in place.
std::uint32_t mixed(std::uint32_t hash) {
  hash = (hash ^ (hash >> 16)) * 0x85EB'CA6B;
  hash = (hash ^ (hash >> 13)) * 0xC2B2'AE35;
  return hash ^ (hash >> 16);
}

// Hashes of the words that show the subject of a text: pairs in scripts without spaces, longer words in others.
void read_words(std::string_view text, std::vector<std::uint32_t>& hashes) {
  Words words;
  words.feed(text);
  words.finish();
  for (Word word; words.next(word);) {
    if (word.pair || word.end - word.start >= kMinSubjectChars) hashes.push_back(word_hash(word.text));
  }
}

std::string_view beginning(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && (static_cast<unsigned char>(text[bytes]) & 0xC0) == 0x80) --bytes;
  return text.substr(0, bytes);
}

}  // namespace

std::uint32_t word_hash(std::string_view word) {
  constexpr std::uint32_t kBasis = 2'166'136'261, kPrime = 16'777'619;  // FNV-1a
  std::uint32_t hash = kBasis;
  for (const char c : word) hash = (hash ^ static_cast<unsigned char>(c)) * kPrime;
  return hash;
}

std::vector<std::uint32_t> beginning_words(const RankedText& reading) {
  std::vector<std::uint32_t> words;
  std::size_t left = kMaxRead;
  for (const std::string& text : reading.texts) {
    const std::string_view some = beginning(text, left);
    left -= some.size();
    read_words(some, words);
  }
  return words;
}

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

}  // namespace ladder::text
