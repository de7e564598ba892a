// The ledger as a streamed download, one page in memory at a time. Used by REST and the console.
#pragma once

#include "http/message/message.h"
#include "server/owner/owner_ledger.h"

#include <cstdint>
#include <functional>

namespace ladder::pages {

enum class LedgerFormat : std::uint8_t { kNdjson, kCsv };

// Returns whether to include an entry. Without a filter, every entry of the query is included.
using LedgerFilter = std::function<Result<bool>(const server::LedgerEntry&)>;

http::Response ledger_download(server::OwnerLedger& ledger, const server::Access& owner, const server::LedgerQuery& query,
                               LedgerFormat form, LedgerFilter filter = {});

}  // namespace ladder::pages
