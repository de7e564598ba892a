// Renders the answers of the routes as JSON: bodies that every adapter shares (api/render/render.h), and those that only REST
// has.
#pragma once

#include "api/render/render.h"
#include "json/writer.h"
#include "server/resource_server.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::rest {

using api::Ending;
using api::render;
using api::render_schema;
using api::render_stream;
using api::SchemaForm;

std::string render_connectors(const api::SchemaView& view, Ending ending);
std::string render_streams(const api::SchemaView& view, Ending ending);
// A grant as its owner sees it: the body as it was made, its access status, and per stream which fields were named and which
// added.
void write_grant(json::Writer& out, const server::GrantSummary& summary);
void write_names(json::Writer& out, std::string_view member, const std::vector<std::string>& names);
std::string render_grants(const std::vector<server::GrantSummary>& grants);
// RFC 7662; issuer and audience are left out when empty.
std::string render_token(const server::TokenFacts& facts, std::string_view issuer, std::string_view audience);

// The disclosure ledger as its owner reads it, over REST and with --json on the command line.

std::string render_ledger(const server::LedgerPage& page);
std::string render_seen(const std::vector<server::SeenRecord>& seen);
std::string render_uses(const std::vector<server::LedgerUse>& uses);
std::string render_ledger_state(const server::ResourceServer::LedgerState& state);
// Without a budget both numbers are null.
std::string render_budget(std::string_view grant_id, const server::ReadBudget* budget);

}  // namespace ladder::rest
