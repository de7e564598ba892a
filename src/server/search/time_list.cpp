#include "server/search/time_list.h"

#include "json/scan/scan.h"
#include "server/read/list_walk.h"
#include "text/word_rank.h"

#include <algorithm>
#include <string>
#include <utility>

namespace ladder::server {
namespace {

constexpr std::size_t kMaxHeld = 1'000;  // records of one listing in memory at once
const Instant kFirst = *parse_time("0000-01-01"), kLast = *parse_time("9999-12-31");

class TimeList {
 public:
  TimeList(store::Reader& reader, const store::WordSearch& search) : reader_(reader), search_(search) {}

  Status add(const SearchStream& place, std::size_t scope_no) {
    const store::WordScope& scope = search_.scopes[scope_no];
    const model::Stream& declared = *place.stream().declared;
    const grant::StreamGrant* const granted = place.read_scope.granted;
    const std::string& field = declared.consent_time_field;
    const std::string& cursor = declared.cursor_field;
    const bool descending = search_.order == text::WordOrder::kNewest;
    Instant from = scope.since.value_or(kFirst), to = scope.until.value_or(kLast);
    if (search_.after && search_.after->time) {
      if (descending) to = std::min(to, *search_.after->time + 1);
      else from = std::max(from, *search_.after->time);
    }
    const RecordFilter filter = place.filter.in_time(field, from, to);
    const bool by_key = cursor.empty() || (granted && !granted->allows_field(cursor));
    const bool in_order = !by_key && cursor == field;
    LADDER_TRY(auto walk, ListWalk::start(reader_, place.read_scope, filter, {by_key, descending}, search_.limit + 1, {}));
    std::int64_t taken = 0;
    std::optional<Instant> last;
    for (;;) {
      if (search_.stop.stop_requested()) return fail(Code::kCancelled, "the search was cancelled");
      if (search_.deadline.passed()) return fail(Code::kDeadline, "the time range has too many records: ask for a shorter one");
      LADDER_TRY(auto walked, walk.next());
      if (!walked) return {};
      const auto time = time_of(walked->row, field);
      if (in_order && taken > search_.limit && time != last) return {};
      if (!time || !filter.matches(json::value_of(walked->row.body))) continue;
      text::HitSortKey at{0, time, walked->row.key, scope_no};
      if (search_.after && !text::comes_before(search_.order, *search_.after, at)) continue;
      LADDER_TRY(const bool accepted, search_.accept(scope_no, walked->row));
      if (!accepted) continue;
      last = time;
      ++taken;
      hits_.push_back({std::move(at), std::move(walked->row), {}});
      if (hits_.size() > kMaxHeld) shorten();
    }
  }

  store::WordPage take() {
    shorten();
    store::WordPage page;
    page.more = std::ssize(hits_) > search_.limit;
    page.exact = !page.more && !search_.after;
    page.matches = std::ssize(hits_);
    page.matches_all = page.matches;
    page.ranked = page.matches;
    if (page.more) hits_.pop_back();
    if (!hits_.empty()) page.last = hits_.back().sort_key;
    page.hits = std::move(hits_);
    return page;
  }

 private:
  static std::optional<Instant> time_of(const store::RecordRow& row, const std::string& field) {
    const auto value = json::member(row.body, field);
    if (!value || value->kind != json::Kind::kString) return std::nullopt;
    return parse_field_time(json::decode_string(json::raw_content(*value)));
  }
  // Keeps the first `limit` hits, plus one that shows whether there are more.
  void shorten() {
    std::ranges::sort(hits_, [&](const store::WordHit& a, const store::WordHit& b) {
      return text::comes_before(search_.order, a.sort_key, b.sort_key);
    });
    if (std::ssize(hits_) > search_.limit + 1) hits_.erase(hits_.begin() + search_.limit + 1, hits_.end());
  }

  store::Reader& reader_;
  const store::WordSearch& search_;
  std::vector<store::WordHit> hits_;
};

}  // namespace

Result<store::WordPage> list_by_time(store::Reader& reader, const std::vector<const SearchStream*>& places,
                                     const store::WordSearch& search) {
  TimeList list(reader, search);
  for (std::size_t scope = 0; scope < places.size(); ++scope) {
    if (search.scopes[scope].columns != 0 && search.scopes[scope].timed) LADDER_CHECK(list.add(*places[scope], scope));
  }
  return list.take();
}

}  // namespace ladder::server
