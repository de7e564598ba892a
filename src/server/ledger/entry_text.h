// An entry of the ledger as text: JSON, a JSON line, or rows of a table. The same over REST, on the command line and in the
// console.
#pragma once

#include "json/writer.h"
#include "server/ledger/entry.h"

#include <string>

namespace ladder::server {

// Members of an object: the record, and of each of its fields the ranges.
void write_shown(json::Writer& out, const ShownRecord& shown);
void write_ledger_entry(json::Writer& out, const LedgerEntry& entry);

std::string ledger_line(const LedgerEntry& entry);  // NDJSON
// RFC 4180, a row a range; a text that a spreadsheet would take for a formula begins with an apostrophe.
std::string ledger_csv_head();
std::string ledger_csv_rows(const LedgerEntry& entry);

std::string date_of_day(std::int64_t day);  // 2026-04-01

}  // namespace ladder::server
