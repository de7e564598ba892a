// Consent: what could be given, what the owner chooses, and what that means. A review is made by the code that enforces grants,
// with grants that are not issued (design D26); approval is bound to its digest.
#pragma once

#include "auth/clients.h"
#include "auth/details.h"
#include "base/error/error.h"
#include "server/resource_server.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::auth {

struct OfferedField {
  std::string name;
  bool forced = false;  // goes with every record: the declaration requires it
  bool asked = false;
  bool granted_before = false;
};

struct OfferedStream {
  std::string source_key, source_name, source_id;
  std::string stream, label;
  std::vector<OfferedField> fields;
  struct Place {
    std::string connection_id, name;
    std::int64_t records = 0;
    bool asked = false;
  };
  std::vector<Place> places;
  std::vector<model::View> views;
  bool has_time = false;
  std::string time_field = {};
  bool has_field_choice = false;
  bool asked = false, required = false;
  std::optional<Instant> asked_since, asked_until;
  std::vector<std::string> asked_records;
  std::int64_t records = 0;  // the owner has; -1 when there are too many to count

  std::string id() const { return source_key + "/" + stream; }
};

struct Offer {
  std::vector<OfferedStream> streams;
  std::vector<std::string> missing;  // asked for, and not here: shown, never given
};

// Everything the owner has, marked by what was asked for. `held` are grants that the client has already.
Result<Offer> make_offer(server::ResourceServer& server, const server::Access& owner, const std::vector<AskedSource>& asked,
                         const std::vector<server::GrantSummary>& held);

struct ChosenStream {
  std::string id;  // OfferedStream::id
  std::vector<std::string> connection_ids;
  std::vector<std::string> fields;
  std::optional<Instant> since = {}, until = {};  // of the period "held"
};

struct Choices {
  std::vector<ChosenStream> streams;
  std::string period = "asked";                         // 30d, 12m, 5y, all, asked, held
  std::string duration = "30d";                         // 1d, 30d, 1y, end, held
  std::optional<Instant> ends = {};                     // of the duration "held"; nothing: until it is ended
  std::map<std::string, server::GrantTerms> held = {};  // of the duration "held": the terms of each source, by its id
  std::string budget = "none";                          // none, held, or a number of chars a day
  std::optional<std::int64_t> chars_a_day = {};         // what that means; nothing: no bound
  bool training = false;
  bool replaces = true;  // ends what the client had
};

// Ticks what was asked for as required, and nothing else.
Choices required_choices(const Offer& offer);
// The same as the client has now: streams, fields, accounts and times, as long as before.
Choices held_choices(const Offer& offer, const std::vector<server::GrantSummary>& held);
// The same as the client has now, and on top of it the parts that it asks for as required.
Choices wider_choices(const Offer& offer, const std::vector<server::GrantSummary>& held);
// Times and end of what the client has, for choices that say "held".
void fill_held(Choices& choices, const Offer& offer, const std::vector<server::GrantSummary>& held);
// Chars a day of what the client has: those of the tightest of its grants; nothing when one of them has no bound.
std::optional<std::int64_t> held_budget(const std::map<std::string, server::ReadBudget>& budgets,
                                        const std::vector<server::GrantSummary>& held);
// Chars a day by the choice; 0 for what is no number of chars, which make_review refuses.
void fill_budget(Choices& choices, std::optional<std::int64_t> held);
// "12m", "heads" (subjects and senders only), "source" (this source only): never more than `choices` has. "fields SOURCE/STREAM"
// ticks every field of a chosen stream.
Choices with_preset(const Offer& offer, Choices choices, std::string_view preset);

struct StreamPreview {
  const OfferedStream* offered = nullptr;
  std::size_t grant = 0;              // which of the draft's grants it belongs to
  std::vector<std::string> fields;    // granted, forced ones included
  std::vector<std::string> withheld;  // of those the stream has
  std::int64_t records = 0;           // visible
  std::string earliest, latest;
  std::optional<Instant> since, until;
  std::vector<api::Record> newest;  // as the client gets them, long strings cut
};

struct Review {
  server::DraftGrants draft;
  std::vector<StreamPreview> streams;
  std::optional<Instant> ends_at;
  std::optional<std::int64_t> budget;  // chars a day
  std::int64_t budget_bytes = 0;       // with a budget: bytes a day of files that are not text
  std::string digest;                  // of `evidence`
  std::string evidence;                // JSON: everything that was shown and would be approved
};

struct ReviewOf {
  const Client& client;
  std::string_view redirect_uri, resource, details;
  const std::vector<AskedSource>& asked;
};

// kInvalidRequest when nothing is chosen, or when it cannot be granted as chosen.
Result<Review> make_review(server::ResourceServer& server, const server::Access& owner, const ReviewOf& of, const Offer& offer,
                           const Choices& choices, Instant now);

// Less than a client has: of each of its grants what stays. Never more, whatever the choices say.
struct Narrowing {
  std::vector<server::Reissue> drafts;
  Review review;
  bool changes = false;
};
// The offer without what the client does not have.
Offer held_offer(Offer offer, const std::vector<server::GrantSummary>& held);
// kInvalidRequest when nothing is left.
Result<Narrowing> make_narrowing(server::ResourceServer& server, const server::Access& owner, const Client& client,
                                 const Offer& offer, const std::vector<server::GrantSummary>& held,
                                 std::optional<std::int64_t> held_budget, const Choices& choices, Instant now);

// A line of what would change: of which stream (empty: of all) and what.
struct Change {
  enum class Kind { kSame, kMore, kLess };
  Kind kind = Kind::kSame;
  std::string of, what;
};
// Against what the client has. `replaces`: that ends.
std::vector<Change> difference(const Offer& offer, const std::vector<server::GrantSummary>& held, const Review& review,
                               bool replaces);

bool wants_training(const std::vector<AskedSource>& asked);

}  // namespace ladder::auth
