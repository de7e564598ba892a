// Renders responses as JSON: bodies shared by all adapters (api/render/render.h), and those specific to REST.
#pragma once

#include "api/render/render.h"
#include "json/writer.h"
#include "server/owner/owner_ledger.h"
#include "server/owner/owner_tokens.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::rest {

using api::render;
using api::render_schema;
using api::render_stream;
using api::ResponseTail;
using api::SchemaForm;

std::string render_connectors(const api::SchemaView& view, ResponseTail response_tail);
std::string render_streams(const api::SchemaView& view, ResponseTail response_tail);
// Writes a grant for its owner: the original body, its status, and per stream the named and the added fields.
void write_grant(json::Writer& out, const server::GrantSummary& summary);
std::string render_grants(const std::vector<server::GrantSummary>& grants);
// Renders RFC 7662; an empty issuer or audience is omitted.
std::string render_token(const server::TokenInfo& facts, std::string_view issuer, std::string_view audience);

// Renders the disclosure ledger for its owner, for REST and for --json on the command line.

std::string render_ledger(const server::LedgerPage& page);
std::string render_seen(const std::vector<server::SeenRecord>& seen);
std::string render_uses(const std::vector<server::LedgerUse>& uses);
std::string render_ledger_state(const server::LedgerState& state);
// Both numbers are null without a budget.
std::string render_budget(std::string_view grant_id, const server::ReadBudget* budget);

}  // namespace ladder::rest
