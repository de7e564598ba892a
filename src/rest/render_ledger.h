// The disclosure ledger as its owner reads it, over REST and on the command line: JSON, a JSON line an entry, or a table.
#pragma once

#include "json/writer.h"
#include "server/resource_server.h"

#include <string>
#include <vector>

namespace ladder::rest {

void write_ledger_entry(json::Writer& out, const server::LedgerEntry& entry);
std::string render_ledger(const server::LedgerPage& page);
std::string render_seen(const std::vector<server::SeenRecord>& seen);
std::string render_uses(const std::vector<server::LedgerUse>& uses);
std::string render_ledger_state(const server::ResourceServer::LedgerState& state);

std::string ledger_line(const server::LedgerEntry& entry);  // NDJSON
// RFC 4180, a row a range; a text that a spreadsheet would take for a formula begins with an apostrophe.
std::string ledger_csv_head();
std::string ledger_csv_rows(const server::LedgerEntry& entry);

std::string date_of_day(std::int64_t day);  // 2026-04-01

}  // namespace ladder::rest
