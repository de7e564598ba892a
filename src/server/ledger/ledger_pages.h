// The pages of the ledger and their digest chain. Each record in a page has a salt, and the page's digest covers the
// digest of the salted record. When the record's ranges are erased, the digest remains, so the chain stays valid and
// the erased content can't be guessed from it.
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

// Random salts, read from the operating system in batches.
class Salts {
 public:
  std::string_view next();  // valid until the next call

 private:
  std::string bytes_;
  std::size_t at_ = 0;
};

struct PagedRecord {
  std::string salted;       // salt and packed record; empty after erasure
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
  crypto::Digest before{};  // digest of the previous page
  std::vector<PagedEntry> entries = {};

  crypto::Digest digest() const;
  std::string pack() const;
  static std::optional<EntryPage> read(std::string_view packed);
  // Erases the ranges of records for which `is_erased` returns true. Returns true if there were any.
  bool erase(const std::function<bool(const model::RecordRef&)>& is_erased);
};

// An entry inside the bytes of a page, for scanning many entries: it computes no digests and parses lazily. Valid as
// long as those bytes.
struct EntryView {
  std::string_view head;     // packed
  std::string_view records;  // as stored in the page

  bool names(std::string_view text) const {
    return records.find(text) != std::string_view::npos;
  }  // false: no record contains it
  std::optional<LedgerEntry> read() const;
};
// Returns the entries in order; nullopt if the bytes are not a page.
std::optional<std::vector<EntryView>> entries_in(std::string_view packed);

// Item keys. They compare as bytes.
std::string day_key(std::int64_t day);
std::string page_key(std::int64_t day, std::int64_t page);
std::pair<std::int64_t, std::int64_t> day_and_page(std::string_view key);
// A key of a record and a client. With trailing empty parts it is the common prefix of the keys.
std::string seen_key(const model::RecordRef& record, std::string_view client_id = {});
std::string seen_prefix(const model::RecordRef& record);
std::string prefix_end(std::string_view prefix);  // the first key after all keys with this prefix; empty: there is none
std::string next_key(std::string_view key);       // the first key after this one

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

// Returns kDamagedData; `what` is a clause such as "a page cannot be read".
std::unexpected<Error> damaged_ledger(std::string_view what);

inline constexpr std::string_view kPageKind = "page", kDayKind = "day", kSeenKind = "seen", kUseKind = "use",
                                  kErasedKind = "erased", kErasureKind = "erasure", kSettingsKind = "settings",
                                  kBudgetKind = "budget", kSweptKind = "swept", kSumKind = "sum", kReservedKind = "reserved",
                                  kEnteredKind = "entered";

}  // namespace ladder::server
