// Selects one version of objects (conversations) that occur several times in split or joined exports. The choice must not
// depend on the order of the parts and must be known before the first object is sent; otherwise every import would overwrite
// records again. The version with the latest change time wins, then the one with the larger digest. For parts (messages) that
// only older versions have, the newest version that has them wins.
//
// First call saw() for every object. If has_duplicates(), call add_part() for the parts of duplicated objects.
#pragma once

#include "base/time/time.h"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace ladder::imports {

struct Rank {
  Instant time = 0;
  std::string digest;
  friend auto operator<=>(const Rank&, const Rank&) = default;
};
Rank rank_of(std::optional<Instant> changed, std::string_view text);

class Versions {
 public:
  void add(const std::string& id, Rank rank);
  bool has_duplicates() const { return duplicates_ > 0; }
  bool is_duplicated(const std::string& id) const;
  void add_part(const std::string& id, const std::string& part, const Rank& rank);

  // Returns true for everything in objects that are not duplicated.
  bool is_selected(const std::string& id, const Rank& rank) const;
  bool is_part_selected(const std::string& id, const std::string& part, const Rank& rank) const;

 private:
  struct Seen {
    Rank best;
    bool duplicated = false;
    std::unordered_map<std::string, Rank> inside;
  };
  std::unordered_map<std::string, Seen> seen_;
  std::size_t duplicates_ = 0;
};

// Orders versions of one record in the same files. Without a fixed choice every import would overwrite them again.
struct Version {
  std::int64_t sequence = 0;  // higher is newer
  std::int64_t time = 0;      // then the later time
  std::size_t file = 0;       // then the later position: file index and offset
  std::int64_t byte = 0;

  friend auto operator<=>(const Version&, const Version&) = default;
};

class Newest {
 public:
  void add(const std::string& id, const Version& version) {
    Version& best = best_.try_emplace(id, version).first->second;
    if (version > best) best = version;
  }
  bool is_newest(const std::string& id, std::size_t file, std::int64_t byte) const {
    const auto found = best_.find(id);
    return found == best_.end() || (found->second.file == file && found->second.byte == byte);
  }

 private:
  std::unordered_map<std::string, Version> best_;
};

}  // namespace ladder::imports
