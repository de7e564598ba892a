// One line of the ledger: an answer that left for a client. Its bytes stand in journals and in the pages of the store.
#pragma once

#include "base/time/time.h"
#include "server/ledger/disclosure.h"
#include "store/rows.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::server {

// The part of an answer that was read under one grant.
struct GrantShare {
  std::string grant_id;
  std::int64_t chars = 0, bytes = 0;

  friend bool operator==(const GrantShare&, const GrantShare&) = default;
};

struct LedgerEntry {
  Instant at = 0;
  std::string client_id;
  std::vector<GrantShare> grants = {};
  std::string request_id;
  std::string door;  // rest, mcp, stdio or cli
  std::string name;  // the tool, or the route's pattern
  Disclosure shown;
  std::int64_t erased = 0;  // records of it whose ranges went with them
  // Of an entry that was read from the ledger: the cursor of the page that begins with it. It stays the same.
  std::string place = {};

  // Characters of the answer. A text that belongs to several records is in the ranges of each of them and was shown once.
  std::int64_t chars() const;

  friend bool operator==(const LedgerEntry&, const LedgerEntry&) = default;
};

// The entry of a window by reference: everything that is written of it, and nothing is copied before.
struct WindowEntry {
  store::OwnerNo owner = 0;
  Instant at = 0;
  std::string_view client_id, grant_id, request_id, door, name;
  std::string_view query;  // empty where the owner does not keep it
  const ShownWindow& shown;

  LedgerEntry whole() const;
};

// Everything but the records; and a record. `false` of read_head, nullopt of read_record: these are not the bytes of one.
std::string pack_head(const LedgerEntry& entry);
bool read_head(std::string_view packed, LedgerEntry& into);
std::string pack_record(const ShownRecord& record);
std::optional<ShownRecord> read_record(std::string_view packed);

// A whole entry with its owner, as a journal holds it.
std::string pack_entry(store::OwnerNo owner, const LedgerEntry& entry);
void pack_entry(const WindowEntry& entry, std::string& into);  // the bytes of its whole(), in place of what `into` held
struct OwnedEntry {
  store::OwnerNo owner = 0;
  LedgerEntry entry;
};
std::optional<OwnedEntry> read_entry(std::string_view packed);

// The fields of a record, for whoever keeps them under a key of its own.
void pack_fields(std::string& out, const std::vector<ShownField>& fields);
std::optional<std::vector<ShownField>> read_fields(std::string_view bytes, std::size_t& at);

}  // namespace ladder::server
