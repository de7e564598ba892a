#include "sync/imap/uid_set.h"

#include "base/text/format.h"
#include "sync/imap/value.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace ladder::sync::imap {
namespace {

std::optional<Uid> parse_uid(std::string_view digits) {
  const auto number = parse_number(digits);
  if (!number || *number == 0 || *number > std::numeric_limits<Uid>::max()) return std::nullopt;
  return static_cast<Uid>(*number);
}

}  // namespace

Result<UidSet> UidSet::parse(std::string_view text) {
  UidSet set;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(','), text.size());
    const std::string_view range = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t colon = range.find(':');
    const auto first = parse_uid(range.substr(0, colon));
    const auto last = colon == std::string_view::npos ? first : parse_uid(range.substr(colon + 1));
    if (!first || !last || set.ranges_.size() >= kMaxRanges)
      return fail(Code::kRsProtocol, "the mail server sent an invalid set of messages");
    set.add(std::min(*first, *last), std::max(*first, *last));
  }
  set.settle();
  return set;
}

void UidSet::add(Uid first, Uid last) {
  if (!ranges_.empty() && ranges_.back().last < std::numeric_limits<Uid>::max() && ranges_.back().last + 1 == first)
    ranges_.back().last = last;
  else ranges_.push_back({first, last});
}

void UidSet::settle() {
  std::ranges::sort(ranges_, {}, &Range::first);
  std::vector<Range> joined;
  for (const Range& range : ranges_) {
    const bool touches = !joined.empty() && range.first <= std::uint64_t{joined.back().last} + 1;
    if (touches) joined.back().last = std::max(joined.back().last, range.last);
    else joined.push_back(range);
  }
  ranges_ = std::move(joined);
}

bool UidSet::contains(Uid uid) const {
  const auto after = std::ranges::upper_bound(ranges_, uid, {}, &Range::first);
  return after != ranges_.begin() && std::prev(after)->last >= uid;
}

std::uint64_t UidSet::count() const {
  std::uint64_t sum = 0;
  for (const Range& range : ranges_) sum += std::uint64_t{range.last} - range.first + 1;
  return sum;
}

std::string UidSet::text() const {
  std::string text;
  for (const Range& range : ranges_) {
    text += format("{}{}", text.empty() ? "" : ",", range.first);
    if (range.last != range.first) text += format(":{}", range.last);
  }
  return text;
}

UidSet uid_set(std::span<const Uid> ascending) {
  UidSet set;
  for (const Uid uid : ascending) set.add(uid);
  return set;
}

}  // namespace ladder::sync::imap
