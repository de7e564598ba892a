// The rows of the disclosure ledger. As with sign-in (auth_store.h) the store does not look into them: an item is bytes of its
// writer's making under an owner, a kind and a key. Items are read by key or in the order of their keys, and change by
// compare-and-swap, several of them in one transaction, so that any process may write the ledger. Errors are those of store.h.
#pragma once

#include "base/error/error.h"
#include "store/rows.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::store {

struct LedgerKey {
  OwnerNo owner = 0;  // 0: nobody's
  std::string kind;   // "page", "seen", …
  std::string key;    // bytes, unique within owner and kind

  friend auto operator<=>(const LedgerKey&, const LedgerKey&) = default;
};

struct LedgerItem {
  LedgerKey at;
  std::string body;
  std::int64_t version = 0;  // 1 when it was added, and one more with every change
};

// Everything in one transaction, durable when it returns, or nothing of it.
struct LedgerChange {
  std::vector<LedgerItem> puts = {};    // version 0: a new item; else it replaces the item of that version
  std::vector<LedgerKey> removes = {};  // fine when they are not there
};

enum class KeyOrder : std::uint8_t { kAscending, kDescending };

class LedgerStore {
 public:
  virtual ~LedgerStore() = default;

  // The items that are there, in the order in which they were asked for.
  virtual Result<std::vector<LedgerItem>> find(std::span<const LedgerKey> keys) = 0;
  // Items of the owner and kind with from <= key < to, in the order of their keys; an empty `to` is no bound.
  virtual Result<std::vector<LedgerItem>> scan(OwnerNo owner, std::string_view kind, std::string_view from, std::string_view to,
                                               std::int64_t limit, KeyOrder order) = 0;
  // False when an item exists already, or is gone or has another version: nothing was changed.
  virtual Result<bool> apply(const LedgerChange& change) = 0;
};

}  // namespace ladder::store
