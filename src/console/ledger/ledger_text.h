// Ledger entries as text: which parts of which records were read, with links.
#pragma once

#include "console/explore/record_names.h"
#include "html/html.h"
#include "server/ledger/entry.h"

#include <span>
#include <string>
#include <string_view>

namespace ladder::console {

// "Part of text, 0 to 4,096 of <a>Re: Kitchen quote</a>." Lists the first few of several records; the page of the entry has the
// rest.
Result<html::Writer> disclosure_text(const server::LedgerEntry& entry, RecordNames& names);
// The same without the list: "25 search hits".
Result<html::Writer> entry_summary(const server::LedgerEntry& entry, RecordNames& names);
// <li> for each record: its title and the parts that were read.
Result<html::Writer> record_items(std::span<const server::ShownRecord> records, RecordNames& names);
html::Url entry_page(const server::LedgerEntry& entry);  // /ledger/entry?at=…

// The parts of one record: "subject, from; text, 0 to 4,096".
std::string fields_text(const server::ShownRecord& shown);

// "0 to 4,096", "0 to 100, 200 to 300 and 4 more ranges".
std::string ranges_text(const server::ShownRanges& ranges);

std::string_view kind_text(std::string_view kind);  // "Part of a text", "Search"

// The tool name. REST routes have none, because the kind says the same.
std::string tool_text(const server::LedgerEntry& entry);

html::Url seen_page(const model::RecordRef& record);  // /ledger/record?id=…

// Returns whether `words` (case-folded) occurs in a record title, the name or address of the client, or the tool.
Result<bool> mentions(const server::LedgerEntry& entry, const std::string& words, std::string_view client, RecordNames& names);

}  // namespace ladder::console
