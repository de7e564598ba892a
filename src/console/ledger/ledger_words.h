// An entry of the ledger in words: what of which records went out, with links to what each client saw of them.
#pragma once

#include "console/explore/record_names.h"
#include "html/html.h"
#include "server/ledger/entry.h"

#include <span>
#include <string>
#include <string_view>

namespace ladder::console {

// "A window of text, 0 to 4,096 of <a>Re: Kitchen quote</a>." Of several records the first few; the others are on the entry's
// page.
Result<html::Writer> what_went_out(const server::LedgerEntry& entry, RecordNames& names);
// The same without a list of records: "25 search hits".
Result<html::Writer> entry_words(const server::LedgerEntry& entry, RecordNames& names);
// <li> for each of these records: its title, and which parts of it.
Result<html::Writer> record_items(std::span<const server::ShownRecord> records, RecordNames& names);
html::Url entry_page(const server::LedgerEntry& entry);  // /ledger/entry?at=…

// Of one record: "subject, from; text, 0 to 4,096".
std::string fields_text(const server::ShownRecord& shown);

// "0 to 4,096", "0 to 100, 200 to 300 and 4 more ranges".
std::string ranges_text(const server::ShownRanges& ranges);

std::string_view kind_text(std::string_view kind);  // "Window", "Search hits"

// The tool by its name; a route's pattern would say no more than the kind does.
std::string tool_text(const server::LedgerEntry& entry);

html::Url seen_page(const model::RecordRef& record);  // /ledger/record?id=…

// Says whether what the owner typed occurs in the title of a record, the client's name or address, or the tool. `words` is
// folded.
Result<bool> mentions(const server::LedgerEntry& entry, const std::string& words, std::string_view client, RecordNames& names);

}  // namespace ladder::console
