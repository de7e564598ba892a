// A client as the owner decides about it: what it may see, how much of that it has seen, until when, and how much a day.
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
  std::vector<std::string> fields, closed;
  std::optional<Instant> since, until;
  std::int64_t may_see = 0;  // records now
  std::int64_t seen = 0;     // records, at least in part, ever
  std::int64_t chars = 0;    // seen of them, each counted once

  std::string words() const;   // "since 16 November 2025; date, from and subject"
  std::string figure() const;  // "612 of 4,106 records"
};

struct ClientFacts {
  std::vector<const server::GrantSummary*> grants;  // those that stand
  std::vector<StreamShare> streams;
  std::vector<std::string> closed;  // streams that it sees nothing of
  Instant since = 0;
  std::optional<Instant> ends, last_read;  // no end: until it is ended
  std::optional<std::int64_t> budget;      // chars a day
  std::int64_t budget_bytes = 0;           // with a budget: bytes a day of files that are not text
  std::int64_t chars_today = 0, bytes_today = 0, answers_today = 0;
};

// Another grant of the client took its place: they changed hands within a moment.
bool was_replaced(const server::GrantSummary& ended, const std::vector<server::GrantSummary>& all);

// Everything that the pages of clients say, read once for a page.
class ClientBook {
 public:
  static Result<ClientBook> read(auth::AuthorizationServer& authorization, const server::Access& owner);

  Result<ClientFacts> facts(std::string_view client_id);
  std::int64_t chars_shown(std::string_view grant_id) const;  // ever, also twice the same

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
  std::map<std::string, Instant> last_seen_;                                          // when a client read last
  std::vector<server::LedgerUse> uses_;
  std::map<std::string, std::int64_t> counted_;  // of streams with the same bounds, once
};

// Two letters in the client's colour.
html::Writer client_mark(const ClientFace& face, bool large);
// A bar for each stream.
html::Writer stream_bars(const ClientFace& face, const std::vector<StreamShare>& streams);
// "20 November 2026", with a badge when it is near.
html::Writer end_text(const std::optional<Instant>& ends, Instant now);
// A form of the deeds about a client, sent to `action`.
html::Writer deed(const html::Url& action, const std::string& csrf, std::string_view client_id, std::string_view deed,
                  std::string_view label, std::string_view look);
// Does what such a form says: end, extend-30d, extend-1y, block, unblock, budget. False: it is none of these.
Result<bool> do_deed(auth::AuthorizationServer& authorization, const pages::Visit& visit, std::string_view client_id);

}  // namespace ladder::console
