// The ledger as a download: one text, a page of it in memory at a time. REST and the console give the same.
#pragma once

#include "http/message/message.h"
#include "server/resource_server.h"

#include <cstdint>
#include <functional>

namespace ladder::console {

enum class LedgerForm : std::uint8_t { kNdjson, kCsv };

// Says whether an entry belongs to it; without one, every entry that the query finds does.
using LedgerSieve = std::function<Result<bool>(const server::LedgerEntry&)>;

http::Response ledger_download(server::ResourceServer& server, const server::Access& owner, const server::LedgerQuery& query,
                               LedgerForm form, LedgerSieve sieve = {});

}  // namespace ladder::console
