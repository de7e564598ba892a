// The pages of the ledger, and the chain of digests through them. A record in a page has a salt, and the page's digest covers the
// digest of the salted record: when the record's ranges are erased, that digest stays in their place, so that the chain still
// holds and nothing can be guessed from it.
#pragma once

#include "crypto/hash.h"
#include "server/ledger/entry.h"
#include "server/ledger/ledger.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::server {

// Random salts, taken from the operating system many at a time.
class Salts {
 public:
  std::string_view next();  // holds until the next call

 private:
  std::string bytes_;
  std::size_t at_ = 0;
};

struct PagedRecord {
  std::string salted;       // salt and packed record; empty when it was erased
  crypto::Digest digest{};  // of `salted`

  std::optional<ShownRecord> read() const;
};

struct PagedEntry {
  std::string head;  // packed
  std::vector<PagedRecord> records = {};

  static PagedEntry of(const LedgerEntry& entry, Salts& salts);
  std::optional<LedgerEntry> read() const;
};

struct EntryPage {
  crypto::Digest before{};  // the digest of the page before it
  std::vector<PagedEntry> entries = {};

  crypto::Digest digest() const;
  std::string pack() const;
  static std::optional<EntryPage> read(std::string_view packed);
  // Takes out the ranges of the records that `is_erased` names; whether there were any.
  bool erase(const std::function<bool(const model::RecordRef&)>& is_erased);
};

// An entry inside the bytes of a page, for whoever looks through many: no digest is worked out, and nothing is copied before it
// is asked for. Holds as long as those bytes.
struct EntryView {
  std::string_view head;     // packed
  std::string_view records;  // as the page holds them

  bool names(std::string_view text) const { return records.find(text) != std::string_view::npos; }  // false: in no record
  std::optional<LedgerEntry> read() const;
};
// In their order; nullopt: these are not the bytes of a page.
std::optional<std::vector<EntryView>> entries_in(std::string_view packed);

// Keys of items, which compare as bytes.
std::string day_key(std::int64_t day);
std::string page_key(std::int64_t day, std::int64_t page);
std::pair<std::int64_t, std::int64_t> day_and_page(std::string_view key);
// Of a record, then of the client; with empty parts at the end it is what all their keys begin with.
std::string seen_key(const model::RecordRef& record, std::string_view client_id = {});
std::string seen_prefix(const model::RecordRef& record);
std::string behind(std::string_view prefix);    // the first key that does not begin so; empty: there is none
std::string just_behind(std::string_view key);  // the first key after this one

std::string pack_day(const LedgerDay& day);
std::optional<LedgerDay> read_day(std::string_view key, std::string_view body);
std::string pack_seen(const SeenRecord& seen);
std::optional<SeenRecord> read_seen(std::string_view body);
std::string sum_key(const SeenSum& sum);
std::string pack_sum(const SeenSum& sum);
std::optional<SeenSum> read_sum(std::string_view key, std::string_view body);
std::string use_key(const LedgerUse& use);
std::string pack_use(const LedgerUse& use);
std::optional<LedgerUse> read_use(std::string_view key, std::string_view body);

// kDamagedData; `what` is part of a sentence: "a page cannot be read".
std::unexpected<Error> damaged_ledger(std::string_view what);

inline constexpr std::string_view kPageKind = "page", kDayKind = "day", kSeenKind = "seen", kUseKind = "use",
                                  kErasedKind = "erased", kErasureKind = "erasure", kSettingsKind = "settings",
                                  kBudgetKind = "budget", kSweptKind = "swept", kSumKind = "sum", kReservedKind = "reserved";

}  // namespace ladder::server
