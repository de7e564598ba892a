// The parts of a split export, or two exports joined, may hold one object (a conversation) in several versions. Which of them is
// taken must not depend on the order of the parts, and must be known before the first is sent: else every import would write them
// over each other again. The version that was changed last is taken, of those the one whose digest is larger; what is inside an
// object and only older versions have (a message) is taken from the newest that has it.
//
// First every object is shown by saw(); when has_doubles(), those that are doubled show what is inside them by saw_inside().
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
  void saw(const std::string& id, Rank rank);
  bool has_doubles() const { return doubles_ > 0; }
  bool is_doubled(const std::string& id) const;
  void saw_inside(const std::string& id, const std::string& part, const Rank& rank);

  // Of objects that are not doubled, everything is taken.
  bool takes(const std::string& id, const Rank& rank) const;
  bool takes_inside(const std::string& id, const std::string& part, const Rank& rank) const;

 private:
  struct Seen {
    Rank best;
    bool doubled = false;
    std::unordered_map<std::string, Rank> inside;
  };
  std::unordered_map<std::string, Seen> seen_;
  std::size_t doubles_ = 0;
};

// Of several versions of one record in the same files, which one is kept: without this, an import would write them over each
// other every time it runs.
struct Version {
  std::int64_t sequence = 0;  // higher is newer
  std::int64_t time = 0;      // then later
  std::size_t file = 0;       // then what is read later: the place of the file, and the offset in it
  std::int64_t byte = 0;

  friend auto operator<=>(const Version&, const Version&) = default;
};

class Newest {
 public:
  void saw(const std::string& id, const Version& version) {
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
