// A set of message numbers (UIDs), as ranges: "1:3,5,7:9".
#pragma once

#include "base/error/error.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::sync::imap {

using Uid = std::uint32_t;
// The largest number that a message may have here: one less than the protocol allows, so that the next one exists.
inline constexpr Uid kMaxUid = 0xFFFFFFFE;

class UidSet {
 public:
  // A range may be written in either order. kRsProtocol for anything else, such as "*" or more than kMaxRanges.
  static constexpr std::size_t kMaxRanges = 1'000'000;
  static Result<UidSet> parse(std::string_view text);

  void add(Uid uid) { add(uid, uid); }
  void add(Uid first, Uid last);
  void settle();  // sorts and joins the ranges; call it after the last add()
  std::size_t range_count() const { return ranges_.size(); }
  bool contains(Uid uid) const;  // of a settled set
  bool empty() const { return ranges_.empty(); }
  std::uint64_t count() const;
  std::string text() const;

 private:
  struct Range {
    Uid first = 0, last = 0;
  };
  std::vector<Range> ranges_;
};

// Returns the set of ascending numbers.
UidSet uid_set(std::span<const Uid> ascending);

}  // namespace ladder::sync::imap
