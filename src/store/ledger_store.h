// Rows of the disclosure ledger. As with sign-in (auth_store.h), the store does not interpret them: an item is opaque
// bytes with an owner, a kind and a key. Items are read by key or in key order, and change by compare-and-swap, several
// in one transaction, so that any process may write the ledger. Errors are those of store.h.
#pragma once

#include "base/error/error.h"
#include "store/rows/rows.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::store {

struct LedgerKey {
  OwnerNo owner = 0;  // 0: no owner
  std::string kind;   // "page", "seen", …
  std::string key;    // bytes, unique within owner and kind

  friend auto operator<=>(const LedgerKey&, const LedgerKey&) = default;
};

struct LedgerItem {
  LedgerKey at;
  std::string body;
  std::int64_t version = 0;  // 1 when it was added; each change adds one
};

// All changes are applied in one transaction, durable on return, or none of them.
struct LedgerChange {
  std::vector<LedgerItem> puts = {};    // version 0: a new item; else it replaces the item of that version
  std::vector<LedgerKey> removes = {};  // missing items are ignored
};

enum class KeyOrder : std::uint8_t { kAscending, kDescending };

class LedgerStore {
 public:
  virtual ~LedgerStore() = default;

  // The existing items, in the order of `keys`.
  virtual Result<std::vector<LedgerItem>> find(std::span<const LedgerKey> keys) = 0;
  // Items of the owner and kind with from <= key < to, in key order; an empty `to` means no upper bound.
  virtual Result<std::vector<LedgerItem>> scan(OwnerNo owner, std::string_view kind, std::string_view from, std::string_view to,
                                               std::int64_t limit, KeyOrder order) = 0;
  // Returns false, and changes nothing, when an item exists already, is missing or has another version.
  virtual Result<bool> apply(const LedgerChange& change) = 0;
};

}  // namespace ladder::store
