// A ledger entry records one response sent to a client. Its bytes are stored in journals and in the store's ledger
// pages.
#pragma once

#include "base/time/time.h"
#include "server/ledger/disclosure.h"
#include "store/rows/rows.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::server {

// The part of a response that was read under one grant.
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
  std::string transport;  // rest, mcp, stdio or cli
  std::string name;       // the tool, or the route pattern
  Disclosure shown;
  std::int64_t erased = 0;  // its records whose ranges were erased
  // Set on entries read from the ledger: a stable cursor of the page that starts with this entry.
  std::string cursor = {};

  // Returns the characters of the response. Text that belongs to several records is in the ranges of each, but counts
  // once.
  std::int64_t chars() const;

  friend bool operator==(const LedgerEntry&, const LedgerEntry&) = default;
};

// References the parts of a window's entry, so that nothing is copied before it is written.
struct WindowEntry {
  store::OwnerNo owner = 0;
  Instant at = 0;
  std::string_view client_id, grant_id, request_id, transport, name;
  std::string_view query;  // empty if the owner does not keep queries
  const ShownWindow& shown;

  LedgerEntry full_entry() const;
};

// An entry is stored as a head, with everything but the records, and its records. Malformed bytes make read_head
// return false and read_record return nullopt.
std::string pack_head(const LedgerEntry& entry);
bool read_head(std::string_view packed, LedgerEntry& into);
std::string pack_record(const ShownRecord& record);
std::optional<ShownRecord> read_record(std::string_view packed);

// A complete entry with its owner, as stored in a journal.
std::string pack_entry(store::OwnerNo owner, const LedgerEntry& entry);
void pack_entry(const WindowEntry& entry, std::string& into);  // the bytes of full_entry(); replaces the contents of `into`
struct OwnedEntry {
  store::OwnerNo owner = 0;
  LedgerEntry entry;
};
std::optional<OwnedEntry> read_entry(std::string_view packed);

// Serializes the fields of a record, for callers that store the record's key separately.
void pack_fields(std::string& out, const std::vector<ShownField>& fields);
std::optional<std::vector<ShownField>> read_fields(std::string_view bytes, std::size_t& at);

}  // namespace ladder::server
