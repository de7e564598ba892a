// The parts of a split export, or two exports joined, may hold one object (a conversation) in several versions. Which of them is
// taken must not depend on the order of the parts, and must be known before the first is sent: else every import would write them
// over each other again. The version that was changed last is taken, of those the one whose digest is larger; what is inside an
// object and only older versions have (a message) is taken from the newest that has it.
//
// First every object is shown by saw(); when has_doubles(), those that are doubled show what is inside them by saw_inside().
#pragma once

#include "base/time.h"

#include <compare>
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

}  // namespace ladder::imports
