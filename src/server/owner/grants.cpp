// Resolves selections to connections and sources.
#include "base/error/error.h"
#include "base/limits.h"
#include "base/text/format.h"
#include "base/text/utf8.h"
#include "crypto/random.h"
#include "model/quote.h"
#include "model/record_id.h"
#include "server/access/token.h"
#include "server/catalog/catalog.h"
#include "server/resource_server.h"
#include "store/auth_store.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>
#include <vector>

namespace ladder::server {

// Plans the grants for an owner's request: resolves the selections to connections and groups them by source (design
// D14: a grant belongs to one source). Reads only the catalog; the rules of a grant are in grant/.

struct PlannedGrant {
  const SourceEntry* source = nullptr;  // owned by the catalog
  std::vector<grant::StreamSelection> streams;
};

// Returns plans in the order in which the selections first name a source. A selection with fields but no connection
// applies to connections whose stream has all the fields. kConnectionNotFound, kConnectionInactive,
// kStreamNotDeclared and kUnknownField list existing names; kInvalidRequest if nothing is selected, or one stream is
// selected twice with different bounds.
Result<std::vector<PlannedGrant>> plan_grants(const OwnerCatalog& catalog, const std::vector<GrantSelection>& selections);

namespace {

using model::in_quotes;

// Normalizes a compound key with whitespace. Malformed keys are left for grant/ to reject.
std::string tidy_key(const std::string& key, std::size_t arity) {
  if (arity < 2 || !json::check(key, 1)) return key;
  auto canonical = model::canonical_key(json::value_of(key), arity);
  return canonical ? *std::move(canonical) : key;
}

bool same_bounds(const grant::StreamSelection& a, const grant::StreamSelection& b) {
  return a.fields == b.fields && a.since == b.since && a.until == b.until && a.resources == b.resources;
}

Result<std::vector<ConnectionStream>> places_of(const OwnerCatalog& catalog, const GrantSelection& selection) {
  std::vector<ConnectionStream> places;
  if (!selection.connection_id.empty()) {
    const ConnectionEntry* connection = catalog.connection(selection.connection_id);
    if (!connection) return unknown_connection(catalog, selection.connection_id);
    if (connection->row.status != "active") {
      return fail(Code::kConnectionInactive,
                  format("connection {} is {}; only an active one can be granted", in_quotes(selection.connection_id),
                         connection->row.status),
                  "connection_id");
    }
    const auto place = catalog.find_stream(*connection, selection.stream);
    if (!place) return unknown_stream(*connection->source, selection.stream);
    places.push_back(*place);
    return places;
  }
  for (const auto& connection : catalog.connections()) {
    if (connection->row.status != "active") continue;
    if (const auto place = catalog.find_stream(*connection, selection.stream)) places.push_back(*place);
  }
  if (!places.empty()) return places;

  std::vector<std::string> names;
  for (const auto& source : catalog.sources()) {
    if (source->declaration.stream(selection.stream)) {
      return fail(Code::kConnectionNotFound,
                  format("source {} declares the stream {}, but has no active connection; `ladder connection add {}` adds one",
                         in_quotes(source->row.key), in_quotes(selection.stream), source->row.key),
                  "stream");
    }
    for (const model::Stream& stream : source->declaration.streams) {
      if (std::ranges::find(names, stream.name) == names.end()) names.push_back(stream.name);
    }
  }
  return fail(Code::kStreamNotDeclared,
              format("no source declares a stream {}; there is {}", in_quotes(selection.stream), listed(names, "none yet")),
              "stream");
}

// Returns the first named field that the stream lacks; "" if it has them all.
std::string missing_field(const model::Stream& declared, const std::vector<std::string>& fields) {
  const auto found = std::ranges::find_if(fields, [&](const std::string& name) { return declared.field(name) == nullptr; });
  return found == fields.end() ? "" : *found;
}

// Sources may use a stream name such as "messages" differently. Without a connection, only streams with all the named
// fields are meant.
Status leave_out_others(const GrantSelection& selection, std::vector<ConnectionStream>& places) {
  if (places.size() < 2) return {};
  const auto lacks = [&](const ConnectionStream& place) { return !missing_field(*place.declared, selection.fields).empty(); };
  if (!std::ranges::all_of(places, lacks)) {
    std::erase_if(places, lacks);
    return {};
  }
  constexpr std::size_t kShown = 4;
  std::string which;
  for (std::size_t i = 0; i < std::min(places.size(), kShown); ++i) {
    which += format("{}{} has no {}", i == 0 ? "" : ", ", in_quotes(places[i].connection->row.connection_id),
                    in_quotes(missing_field(*places[i].declared, selection.fields)));
  }
  if (places.size() > kShown) which += format(", {} more lack one", places.size() - kShown);
  return fail(Code::kUnknownField,
              format("no connection has a stream {} with all of these fields: {}; `ladder schema {}` shows them",
                     in_quotes(selection.stream), which, selection.stream),
              "fields");
}

PlannedGrant& plan_for(std::vector<PlannedGrant>& plans, const SourceEntry* source) {
  const auto found = std::ranges::find(plans, source, &PlannedGrant::source);
  return found != plans.end() ? *found : plans.emplace_back(PlannedGrant{source, {}});
}

Status add(PlannedGrant& plan, const ConnectionStream& place, const GrantSelection& selection) {
  grant::StreamSelection wanted{
      selection.stream, {place.connection->row.connection_id}, selection.fields, selection.since, selection.until, {}};
  for (const std::string& key : selection.records) wanted.resources.push_back(tidy_key(key, place.declared->primary_key.size()));
  const auto known = std::ranges::find(plan.streams, wanted.name, &grant::StreamSelection::name);
  if (known == plan.streams.end()) {
    plan.streams.push_back(std::move(wanted));
    return {};
  }
  if (!same_bounds(*known, wanted)) {
    return fail(
        Code::kInvalidRequest,
        format("stream {} of source {} is selected twice with different fields, times or records; make a grant of its own "
               "for each",
               in_quotes(selection.stream), in_quotes(plan.source->row.key)),
        "stream");
  }
  if (std::ranges::find(known->instance_ids, wanted.instance_ids.front()) == known->instance_ids.end()) {
    known->instance_ids.push_back(std::move(wanted.instance_ids.front()));
  }
  return {};
}

// Expands "*" of a connection into one selection per stream.
Result<std::vector<GrantSelection>> each_stream(const OwnerCatalog& catalog, const GrantSelection& selection) {
  if (selection.stream != "*" || selection.connection_id.empty()) return std::vector{selection};
  const ConnectionEntry* connection = catalog.connection(selection.connection_id);
  if (!connection) return unknown_connection(catalog, selection.connection_id);
  if (!selection.fields.empty() || !selection.records.empty()) {
    return fail(Code::kInvalidRequest,
                format("fields and records are those of one stream; name the stream of connection {} with --stream",
                       in_quotes(selection.connection_id)),
                selection.fields.empty() ? "record" : "fields");
  }
  std::vector<GrantSelection> all;
  for (const model::Stream& stream : connection->source->declaration.streams) {
    all.push_back(selection);
    all.back().stream = stream.name;
  }
  return all;
}

}  // namespace

Result<std::vector<PlannedGrant>> plan_grants(const OwnerCatalog& catalog, const std::vector<GrantSelection>& selections) {
  if (selections.empty())
    return fail(Code::kInvalidRequest, "a grant needs at least one stream; name it with --stream", "stream");
  std::vector<PlannedGrant> plans;
  for (const GrantSelection& asked : selections) {
    LADDER_TRY(const auto each, each_stream(catalog, asked));
    for (const GrantSelection& selection : each) {
      LADDER_TRY(auto places, places_of(catalog, selection));
      LADDER_CHECK(leave_out_others(selection, places));
      for (const ConnectionStream& place : places) LADDER_CHECK(add(plan_for(plans, place.connection->source), place, selection));
    }
  }
  return plans;
}

// Creates, lists and revokes the owner's grants.

namespace {

using model::in_quotes;

constexpr std::size_t kGrantIdBytes = 8;
constexpr std::size_t kMaxPurposeBytes = 4096;
constexpr auto kRetryTime = std::chrono::milliseconds(500);  // for one earlier revocation that is not written yet

Status check_client(std::string_view client_id) {
  const auto unfit = [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; };
  if (client_id.find_first_not_of(' ') == std::string_view::npos) {
    return fail(Code::kInvalidRequest, "the grant needs a client's name; give it with --client", "client");
  }
  if (client_id.size() > limits::kMaxNameBytes || !utf8::is_valid(client_id) || std::ranges::any_of(client_id, unfit)) {
    return fail(Code::kInvalidRequest,
                format("the client's name must be one line of UTF-8, at most {} bytes", limits::kMaxNameBytes), "client");
  }
  return {};
}

Status check_purpose(const GrantTerms& terms) {
  if (terms.purpose_code.size() <= kMaxPurposeBytes && terms.purpose_description.size() <= kMaxPurposeBytes &&
      utf8::is_valid(terms.purpose_description)) {
    return {};
  }
  return fail(Code::kInvalidRequest, format("purpose and description must be UTF-8, at most {} bytes each", kMaxPurposeBytes),
              "purpose");
}

store::NewGrant row_of(const grant::Grant& grant, const grant::Selection& selection) {
  return {grant.grant_id,
          grant.client_id,
          grant::to_json(grant),
          grant.issued_at,
          grant.expires_at,
          grant.single_use,
          grant::named_fields_json(grant, selection)};
}

// A token expires with the last of its grants.
std::optional<Instant> token_end(const std::vector<store::NewGrant>& grants) {
  std::optional<Instant> latest;
  for (const store::NewGrant& grant : grants) {
    if (!grant.expires_at) return std::nullopt;
    latest = latest ? std::max(*latest, *grant.expires_at) : *grant.expires_at;
  }
  return latest;
}

// Returns true if the grants share a stream of a connection.
bool overlap(const grant::Grant& a, const grant::Grant& b) {
  if (a.source_id != b.source_id) return false;
  return std::ranges::any_of(a.streams, [&](const grant::StreamGrant& stream) {
    const grant::StreamGrant* const other = b.stream(stream.name);
    return other && std::ranges::any_of(stream.instance_ids, [&](const std::string& id) { return other->allows_instance(id); });
  });
}

std::unexpected<Error> unknown_grant(std::string_view grant_id) {
  return fail(Code::kNotFound, format("there is no grant {}; `ladder grant list` shows them", in_quotes(grant_id)), "grant_id");
}

}  // namespace

Result<DraftGrants> ResourceServer::draft_grants(const Access& access, const GrantRequest& request) {
  LADDER_CHECK(require_owner(access));
  const Instant now = clock_.now();
  LADDER_CHECK(check_client(request.client_id));
  LADDER_TRY(const auto catalog, catalogs_.newest(access.owner()));
  LADDER_TRY(auto plans, plan_grants(*catalog, request.streams));

  DraftGrants draft;
  for (PlannedGrant& plan : plans) {
    const auto own = request.by_source.find(plan.source->row.source_id);
    const GrantTerms& terms = own == request.by_source.end() ? request : own->second;
    LADDER_CHECK(check_purpose(terms));
    const grant::Selection selection{std::move(plan.streams), terms.purpose_code, terms.purpose_description, terms.single_use,
                                     terms.expires_at};
    LADDER_TRY(auto grant, grant::make_grant(plan.source->declaration, selection, "grt_" + crypto::random_hex(kGrantIdBytes),
                                             access.owner_name(), request.client_id, now));
    draft.rows.push_back(row_of(grant, selection));
    draft.grants.push_back(std::move(grant));
  }
  draft.ends_at = token_end(draft.rows);
  return draft;
}

Result<Access> ResourceServer::draft_access(const Access& access, const DraftGrants& draft) {
  LADDER_CHECK(require_owner(access));
  Access seen;
  seen.owner_ = access.owner();
  seen.owner_name_ = access.owner_name();
  seen.client_id_ = draft.grants.empty() ? "" : draft.grants.front().client_id;
  for (const grant::Grant& grant : draft.grants) {
    auto held = std::make_shared<HeldGrant>();
    held->grant = grant;
    seen.grants_.push_back(std::move(held));
  }
  return seen;
}

Result<Access> ResourceServer::access_as_client(const Access& access, std::string_view client_id) {
  LADDER_CHECK(require_owner(access));
  LADDER_TRY(auto rows, store_.grants(access.owner()));
  const Instant now = clock_.now();
  std::vector<std::shared_ptr<const HeldGrant>> active;
  for (store::GrantRow& row : rows) {
    revocations_.apply(row);
    if (row.client_id != client_id || row.revoked_at || (row.expires_at && now >= *row.expires_at)) continue;
    LADDER_TRY(auto held, parsed_grants_.get(row));
    active.push_back(std::move(held));
  }
  std::ranges::sort(active, std::greater(), [](const auto& held) { return std::pair(held->grant.issued_at, held->no); });
  Access seen;
  seen.owner_ = access.owner();
  seen.owner_name_ = access.owner_name();
  seen.client_id_ = client_id;
  for (auto& held : active) {
    const bool given_anew =
        std::ranges::any_of(seen.grants_, [&](const auto& newer) { return overlap(newer->grant, held->grant); });
    if (!given_anew) seen.grants_.push_back(std::move(held));
  }
  std::ranges::sort(seen.grants_, {}, [](const auto& held) { return held->no; });  // the order in which a token lists them
  return seen;
}

Result<IssuedGrants> ResourceServer::create_grants(const Access& access, const GrantRequest& request) {
  LADDER_TRY(const DraftGrants draft, draft_grants(access, request));
  IssuedGrants issued;
  for (const grant::Grant& grant : draft.grants) issued.grant_ids.push_back(grant.grant_id);
  issued.token = new_token(store::TokenKind::kClient);
  const store::NewToken token{token_hash(issued.token), store::TokenKind::kClient, request.client_id, clock_.now(),
                              draft.ends_at};
  LADDER_CHECK(store_.add_grants(access.owner(), draft.rows, token));
  return issued;
}

Result<std::vector<GrantSummary>> ResourceServer::grants(const Access& access) {
  LADDER_CHECK(require_owner(access));
  LADDER_TRY(auto rows, store_.grants(access.owner()));
  return summarize(access.owner(), std::move(rows));
}

Result<GrantSummary> ResourceServer::grant(const Access& access, std::string_view grant_id) {
  LADDER_CHECK(require_owner(access));
  LADDER_TRY(auto row, store_.find_grant(access.owner(), grant_id));
  if (!row) return unknown_grant(grant_id);
  LADDER_TRY(auto summaries, summarize(access.owner(), {*std::move(row)}));
  return std::move(summaries.front());
}

Result<GrantSummary> ResourceServer::revoke_grant(const Access& access, std::string_view grant_id, Deadline wait_limit) {
  LADDER_CHECK(require_owner(access));
  const auto known = store_.find_grant(access.owner(), grant_id);
  if (known && !*known) return unknown_grant(grant_id);
  const Instant at = revocations_.add(access.owner(), grant_id, clock_.now());
  parsed_grants_.refuse(access.owner_name(), grant_id);
  accesses_.forget_all();
  auto row = store_.revoke_grant(access.owner(), grant_id, at, wait_limit);
  if (!row && row.error().code != Code::kNotFound) return std::unexpected(std::move(row).error());
  revocations_.remove(access.owner(), grant_id);
  accesses_.forget_all();
  if (!row) return unknown_grant(grant_id);
  // Skips the field origins, so that a revocation needs no further reads.
  LADDER_TRY(const auto held, parsed_grants_.get(*row));
  return GrantSummary{*std::move(row), held->grant, "revoked", {}};
}

Result<std::int64_t> ResourceServer::revoke_all_access(const Access& access) {
  LADDER_CHECK(require_owner(access));
  const Instant now = clock_.now();
  std::int64_t stood = 0;
  // A store that fails to read may still accept the revocation.
  if (const auto rows = store_.grants(access.owner())) {
    for (const store::GrantRow& row : *rows) {
      if (row.revoked_at || (row.expires_at && now >= *row.expires_at)) continue;
      ++stood;
      revocations_.add(access.owner(), row.grant_id, now);
      parsed_grants_.refuse(access.owner_name(), row.grant_id);
    }
  }
  accesses_.forget_all();
  store::AuthChange change;
  change.owner = access.owner();
  change.revoke_everything = true;
  change.now = now;
  LADDER_CHECK(store_.auth().apply(change));  // on failure, write_revocations() retries
  for (const Revocations::Pending& pending : revocations_.all()) {
    if (pending.owner == access.owner()) revocations_.remove(pending.owner, pending.grant_id);
  }
  accesses_.forget_all();
  return stood;
}

Status ResourceServer::write_revocations() {
  for (const Revocations::Pending& pending : revocations_.all()) {
    const auto row = store_.revoke_grant(pending.owner, pending.grant_id, pending.at, Deadline::after(kRetryTime));
    if (!row && row.error().code != Code::kNotFound) return std::unexpected(row.error());
    revocations_.remove(pending.owner, pending.grant_id);
  }
  return {};
}

// Summarizes grants for their owner: status, field origins and last use.

namespace {

// Caches the declarations that grants were based on.
class Declarations {
 public:
  Declarations(store::Store& store, store::OwnerNo owner, const OwnerCatalog& catalog)
      : store_(store), owner_(owner), catalog_(catalog) {}

  const model::SourceDeclaration* current(const std::string& source_id) const {
    const SourceEntry* source = catalog_.source_by_id(source_id);
    return source ? &source->declaration : nullptr;
  }

  // Returns null if the store has no readable declaration of that version.
  Result<const model::SourceDeclaration*> of_version(const std::string& source_id, const std::string& version) {
    const model::SourceDeclaration* now = current(source_id);
    if (now && now->version == version) return now;
    const auto [place, is_new] = known_.try_emplace({source_id, version});
    if (is_new) {
      LADDER_TRY(const auto text, store_.declaration(owner_, source_id, version));
      if (text) {
        auto parsed = model::parse_declaration(*text);
        if (parsed) place->second = *std::move(parsed);
      }
    }
    return place->second ? &*place->second : nullptr;
  }

 private:
  store::Store& store_;
  store::OwnerNo owner_;
  const OwnerCatalog& catalog_;
  std::map<std::pair<std::string, std::string>, std::optional<model::SourceDeclaration>> known_;
};

}  // namespace

bool GrantSummary::is_widened() const {
  return std::ranges::any_of(origins, [](const grant::FieldOrigin& origin) { return !origin.content.empty(); });
}

Result<std::vector<GrantSummary>> ResourceServer::summarize(store::OwnerNo owner, std::vector<store::GrantRow> rows) {
  LADDER_TRY(const auto catalog, catalogs_.newest(owner));
  Declarations declarations(store_, owner, *catalog);
  const Instant now = clock_.now();
  std::vector<GrantSummary> all;
  for (store::GrantRow& row : rows) {
    revocations_.apply(row);
    LADDER_TRY(const auto held, parsed_grants_.get(row));
    const grant::Grant& grant = held->grant;
    LADDER_TRY(const auto* then, declarations.of_version(grant.source_id, grant.declaration_version));
    const bool expired = row.expires_at && now >= *row.expires_at;
    std::string status = row.revoked_at ? "revoked" : expired ? "expired" : "active";
    auto origins = grant::field_origins(grant, row.named, then, declarations.current(grant.source_id));
    all.push_back({std::move(row), grant, std::move(status), std::move(origins)});
  }
  return all;
}

void ResourceServer::note_use(const Access& access) { uses_.note(access, clock_.now()); }

Status ResourceServer::flush_grant_uses() {
  const auto due = uses_.take(clock_.now());
  if (due.empty()) return {};
  Status kept = store_.record_grant_uses(due);
  if (!kept) uses_.restore(due);
  return kept;
}

}  // namespace ladder::server
