// The access of a client: what it may see, how much of that it has seen, until when, and how much a day.
#pragma once

#include "auth/authorization.h"
#include "console/parts.h"
#include "pages/gate.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ladder::console {

// One stream of a client's grants.
struct StreamShare {
  std::string source_key, name;  // "Mail: messages"
  std::string what;              // "headers and text", or labels of fields
  std::string closed;            // labels of the fields that are not shared
  std::optional<Instant> since, until;
  std::int64_t may_see = 0;  // records at present
  std::int64_t seen = 0;     // records read at least in part
  std::int64_t chars = 0;    // distinct characters read
  bool counted = true;       // false: nothing was read, and it has no content of its own, or is an empty part of another stream

  std::string description() const;  // "since 16 November 2025; headers and text"
  std::string figure() const;       // "612 of 4,106 records"
};

struct ClientSummary {
  std::vector<const server::GrantSummary*> grants;  // active grants
  std::vector<StreamShare> streams;
  std::vector<std::string> closed;  // streams without access
  Instant since = 0;
  std::optional<Instant> ends, last_read;  // no value: until revoked
  std::optional<std::int64_t> budget;      // characters a day
  std::int64_t budget_bytes = 0;           // with a budget: bytes a day of non-text files
  std::int64_t chars_today = 0, bytes_today = 0, answers_today = 0;
};

// Returns true if another grant of the client was issued when this one was revoked.
bool was_replaced(const server::GrantSummary& ended, const std::vector<server::GrantSummary>& all);

// Loads the client data for one page.
class ClientDirectory {
 public:
  static Result<ClientDirectory> read(auth::AuthorizationServer& authorization, const server::Access& owner);

  Result<ClientSummary> summary(std::string_view client_id);
  std::int64_t chars_shown(std::string_view grant_id) const;  // in total; repeated text counts each time

  ClientFaces faces;
  auth::Offer offer;  // everything the owner has
  std::map<std::string, server::ReadBudget> budgets;

 private:
  Result<std::int64_t> visible(const server::Access& client, const grant::Grant& grant, const grant::StreamGrant& stream,
                               const auth::OfferedStream& offered);

  auth::AuthorizationServer* authorization_ = nullptr;
  const server::Access* owner_ = nullptr;
  struct Seen {
    std::int64_t records = 0, chars = 0;
  };
  std::map<std::pair<std::string, std::pair<std::string, std::string>>, Seen> seen_;  // by client, connection and stream
  std::map<std::string, Instant> last_seen_;                                          // last read by client
  std::vector<server::LedgerUse> uses_;
  std::map<std::string, std::int64_t> counted_;  // cached counts by stream and bounds
};

// Two letters in the color of the client.
html::Writer client_mark(const ClientFace& face, bool large);
// A bar for each stream.
html::Writer stream_bars(const ClientFace& face, const std::vector<StreamShare>& streams);
// "20 November 2026", with a badge when it is near.
html::Writer end_text(const std::optional<Instant>& ends, Instant now);
// A one-button form for an action on a client.
html::Writer client_action_form(const html::Url& action, const std::string& csrf, std::string_view client_id,
                                std::string_view name, std::string_view label, std::string_view look);
// Runs a submitted action: end, extend-30d, extend-1y, block, unblock, budget. Returns false for an unknown action.
Result<bool> run_client_action(auth::AuthorizationServer& authorization, const pages::Visit& visit, std::string_view client_id);

}  // namespace ladder::console
