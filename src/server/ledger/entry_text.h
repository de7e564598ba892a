// Formats ledger entries as JSON, as JSON lines, or as table rows, for REST, the command line and the console.
#pragma once

#include "json/writer.h"
#include "server/ledger/entry.h"

#include <string>

namespace ladder::server {

// Writes object members: the record, and the ranges of each field.
void write_shown(json::Writer& out, const ShownRecord& shown);
void write_ledger_entry(json::Writer& out, const LedgerEntry& entry);

std::string ledger_line(const LedgerEntry& entry);  // NDJSON
// RFC 4180 with one row per range. Text that a spreadsheet would parse as a formula is prefixed with an apostrophe.
std::string ledger_csv_head();
std::string ledger_csv_rows(const LedgerEntry& entry);

std::string date_of_day(std::int64_t day);  // 2026-04-01

}  // namespace ladder::server
