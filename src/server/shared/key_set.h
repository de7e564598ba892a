// A set of record keys in eight bytes each. Two keys with the same digest count as one, so a record may be missed, but never one
// too many is reported as missing.
#pragma once

#include "base/text/bytes.h"
#include "crypto/hash.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

namespace ladder::server {

class KeySet {
 public:
  void add(std::string_view key) { digests_.push_back(get_u64_be(crypto::view(crypto::sha256(key)))); }
  void add(const KeySet& other) { digests_.insert(digests_.end(), other.digests_.begin(), other.digests_.end()); }
  // Call it after the last add() and before the functions below.
  void finish() {
    std::ranges::sort(digests_);
    const auto repeated = std::ranges::unique(digests_);
    digests_.erase(repeated.begin(), repeated.end());
  }
  bool contains(std::string_view key) const {
    return std::ranges::binary_search(digests_, get_u64_be(crypto::view(crypto::sha256(key))));
  }
  std::int64_t size() const { return std::ssize(digests_); }

 private:
  std::vector<std::uint64_t> digests_;
};

}  // namespace ladder::server
