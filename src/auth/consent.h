// Consent: what can be granted, what the owner chose, and the resulting access. A review reads through draft grants
// with the code that enforces grants (design D26); approval is bound to its digest.
#pragma once

#include "api/records.h"
#include "auth/clients.h"
#include "auth/details.h"
#include "base/error/error.h"
#include "base/time/time.h"
#include "server/access/access.h"
#include "server/owner/grants.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::server {
class ResourceServer;
}

namespace ladder::auth {

struct OfferedField {
  std::string name;
  std::string label;       // for people
  std::string level = {};  // the lowest level of its stream that includes it
  std::string role = {};   // x_pdpp_role
  bool forced = false;     // required by the declaration; always included
  bool is_text = false;    // says what the record says
  bool technical = false;  // says nothing to people: only the highest level includes it, or it identifies a group
  bool asked = false;
  bool granted_before = false;
};

struct OfferedStream {
  std::string source_key, source_name, source_id;
  std::string stream, label;
  std::vector<OfferedField> fields;
  struct Account {
    std::string connection_id, name;
    std::int64_t records = 0;
    bool asked = false;
  };
  std::vector<Account> accounts;
  std::vector<model::View> views;
  std::vector<model::Level> levels;  // lowest first
  std::string part_of = {};          // the stream of the same source whose kind of data includes this one; empty: none
  bool has_time = false;
  std::string time_field = {};
  std::string sorted_by = {};  // the time by which the newest records come first; empty: none
  bool has_field_choice = false;
  bool asked = false, required = false;
  std::optional<Instant> asked_since, asked_until;
  std::vector<std::string> asked_records;
  std::int64_t records = 0;  // number of the owner's records; -1: too many to count

  std::string id() const { return source_key + "/" + stream; }
};

struct Offer {
  std::vector<OfferedStream> streams;
  std::vector<std::string> missing;  // requested but not available; shown, never granted
};

// Lists everything the owner has, marked with what was requested. `held` are the client's current grants.
Result<Offer> make_offer(server::ResourceServer& server, const server::Access& owner, const std::vector<RequestedSource>& asked,
                         const std::vector<server::GrantSummary>& held);

struct ChosenStream {
  std::string id;  // OfferedStream::id
  std::vector<std::string> connection_ids;
  std::vector<std::string> fields;
  std::optional<Instant> since = {}, until = {};  // for the period "held"
};

struct Choices {
  std::vector<ChosenStream> streams;
  std::string period = "asked";                         // 30d, 12m, 5y, all, asked, held
  std::string duration = "30d";                         // 1d, 30d, 1y, end, held
  std::optional<Instant> ends = {};                     // for the duration "held"; nullopt: no expiry
  std::map<std::string, server::GrantTerms> held = {};  // for the duration "held": terms by source id
  std::string budget = "none";                          // none, held, or a number of characters per day
  std::optional<std::int64_t> chars_a_day = {};         // the resulting limit; nullopt: no limit
  bool training = false;
  bool replaces = true;  // revokes the client's current grants
};

// Selects exactly what was requested as required.
Choices required_choices(const Offer& offer);
// Selects the client's current access: streams, fields, accounts, times and duration.
Choices held_choices(const Offer& offer, const std::vector<server::GrantSummary>& held);
// Selects the client's current access plus what it requests as required.
Choices wider_choices(const Offer& offer, const std::vector<server::GrantSummary>& held);
// Fills the times and the expiry of choices that say "held".
void fill_held(Choices& choices, const Offer& offer, const std::vector<server::GrantSummary>& held);
// Returns the smallest daily budget of the client's grants in characters; nullopt if one of them has none.
std::optional<std::int64_t> held_budget(const std::map<std::string, server::ReadBudget>& budgets,
                                        const std::vector<server::GrantSummary>& held);
// Sets the daily budget from the choice; 0 for an invalid number, which make_review rejects.
void fill_budget(Choices& choices, std::optional<std::int64_t> held);
struct StreamPreview {
  const OfferedStream* offered = nullptr;
  std::size_t grant = 0;              // index of its grant in the draft
  std::vector<std::string> fields;    // granted fields, including forced ones
  std::vector<std::string> withheld;  // the stream's other fields
  std::int64_t records = 0;           // visible records
  std::string earliest, latest;
  std::optional<Instant> since, until;
  std::vector<api::Record> newest;  // as the client would get them, with long strings cut
};

struct Review {
  server::DraftGrants draft;
  std::vector<StreamPreview> streams;
  std::optional<Instant> ends_at;
  std::optional<std::int64_t> budget;  // characters per day
  std::int64_t budget_bytes = 0;       // with a budget: bytes per day of non-text files
  std::string digest;                  // of `evidence`
  std::string evidence;                // JSON: everything that was shown and would be approved
};

struct ReviewSubject {
  const Client& client;
  std::string_view redirect_uri, resource, details;
  const std::vector<RequestedSource>& asked;
};

// Returns kInvalidRequest if nothing is chosen or the choice can't be granted.
Result<Review> make_review(server::ResourceServer& server, const server::Access& owner, const ReviewSubject& of,
                           const Offer& offer, const Choices& choices, Instant now);

// Reduces a client's access. It never adds anything, whatever the choices are.
struct Narrowing {
  std::vector<server::Reissue> drafts;
  Review review;
  bool changes = false;
};
// Removes from the offer what the client does not have.
Offer held_offer(Offer offer, const std::vector<server::GrantSummary>& held);
// Returns kInvalidRequest if nothing would remain.
Result<Narrowing> make_narrowing(server::ResourceServer& server, const server::Access& owner, const Client& client,
                                 const Offer& offer, const std::vector<server::GrantSummary>& held,
                                 std::optional<std::int64_t> held_budget, const Choices& choices, Instant now);

// One line of the comparison with the current access. `of` is the stream; empty: all.
struct Change {
  enum class Kind { kSame, kMore, kLess };
  Kind kind = Kind::kSame;
  std::string of, what;
};
// Compares the review with the client's current access. `replaces`: the current access is revoked.
std::vector<Change> difference(const Offer& offer, const std::vector<server::GrantSummary>& held, const Review& review,
                               bool replaces);

bool wants_training(const std::vector<RequestedSource>& asked);

}  // namespace ladder::auth
