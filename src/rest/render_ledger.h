// The disclosure ledger as its owner reads it, over REST and with --json on the command line.
#pragma once

#include "server/resource_server.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::rest {

std::string render_ledger(const server::LedgerPage& page);
std::string render_seen(const std::vector<server::SeenRecord>& seen);
std::string render_uses(const std::vector<server::LedgerUse>& uses);
std::string render_ledger_state(const server::ResourceServer::LedgerState& state);
std::string render_budget(std::string_view grant_id, std::optional<std::int64_t> chars_a_day);

}  // namespace ladder::rest
