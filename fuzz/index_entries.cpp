// The field index: entries of any stored record compare like its values, stay within the maximum key length, and a
// range query finds each value.
#include "base/limits.h"
#include "json/scan/scan.h"
#include "store/index/field_index.h"
#include "store/index/order_key.h"

#include "frame.h"

#include <algorithm>
#include <array>

namespace ladder::fuzz {
namespace {

constexpr std::size_t kMaxEntryBytes = 2'704;  // maximum key size of PostgreSQL's index

void check_record(std::string_view body) {
  const std::array<store::IndexSpec, 4> indexes = {
      store::IndexSpec{1, store::IndexKind::kTime, "a", {}}, store::IndexSpec{2, store::IndexKind::kNumber, "b", {}},
      store::IndexSpec{3, store::IndexKind::kText, "c", {}}, store::IndexSpec{4, store::IndexKind::kDays, "a", {}}};
  const store::IndexRows rows = store::index_rows(indexes, "key", "order", body);
  FUZZ_CHECK(rows.entries.size() <= 3 && rows.days.size() <= 2);
  FUZZ_CHECK(std::ranges::is_sorted(rows.entries) && std::ranges::is_sorted(rows.days));
  for (const store::IndexEntry& entry : rows.entries) {
    FUZZ_CHECK(entry.bytes.ends_with("order") && entry.bytes.size() < kMaxEntryBytes);
    const std::string value = entry.bytes.substr(0, entry.bytes.size() - 5);
    const store::IndexRange range = store::entries_with(value);
    FUZZ_CHECK(range.from <= entry.bytes && (range.to.empty() || entry.bytes < range.to));
  }
  const auto unfinished = std::array<store::IndexSpec, 1>{store::IndexSpec{1, store::IndexKind::kTime, "a", "aaa"}};
  FUZZ_CHECK(store::index_rows(unfinished, "key", "order", body).entries.empty());
}

void check_texts(std::string_view a, std::string_view b) {
  std::string first, second;
  store::put_sorted_text(first, a);
  store::put_sorted_text(second, b);
  FUZZ_CHECK((first < second) == (a < b) && (first == second) == (a == b));
  FUZZ_CHECK(a == b || !(first.starts_with(second) || second.starts_with(first)));
  FUZZ_CHECK((store::index_text(a) == store::index_text(b)) == (a == b));
}

}  // namespace

void run(std::string_view input) {
  std::string_view rest = input;
  const std::string_view first = take_line(rest);
  check_texts(first, rest);
  if (const auto digest = store::blob_digest(first)) FUZZ_CHECK(store::blob_id(*digest) == first);
  const auto checked = json::check(input, limits::kMaxJsonDepth);
  if (checked && json::value_of(input).kind == json::Kind::kObject) check_record(json::value_of(input).text);
}

}  // namespace ladder::fuzz
