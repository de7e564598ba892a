#include "server/owner/grants.h"

#include "base/text/format.h"
#include "base/text/utf8.h"
#include "crypto/random.h"
#include "model/quote.h"
#include "server/access/token.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

namespace ladder::server {
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

Result<DraftGrants> Grants::draft(const Access& access, const GrantRequest& request) {
  LADDER_CHECK(shared_.accesses.require_owner(access));
  const Instant now = shared_.clock.now();
  LADDER_CHECK(check_client(request.client_id));
  LADDER_TRY(const auto catalog, shared_.catalogs.newest(access.owner()));
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

Result<Access> Grants::draft_access(const Access& access, const DraftGrants& draft) {
  LADDER_CHECK(shared_.accesses.require_owner(access));
  std::vector<std::shared_ptr<const HeldGrant>> grants;
  for (const grant::Grant& grant : draft.grants) {
    auto held = std::make_shared<HeldGrant>();
    held->grant = grant;
    grants.push_back(std::move(held));
  }
  return Accesses::under_grants(access, draft.grants.empty() ? "" : draft.grants.front().client_id, std::move(grants));
}

Result<Access> Grants::access_as_client(const Access& access, std::string_view client_id) {
  LADDER_CHECK(shared_.accesses.require_owner(access));
  LADDER_TRY(auto rows, shared_.store.grants(access.owner()));
  const Instant now = shared_.clock.now();
  std::vector<std::shared_ptr<const HeldGrant>> active;
  for (store::GrantRow& row : rows) {
    shared_.revocations.apply(row);
    if (row.client_id != client_id || row.revoked_at || (row.expires_at && now >= *row.expires_at)) continue;
    LADDER_TRY(auto held, shared_.grants.get(row));
    active.push_back(std::move(held));
  }
  std::ranges::sort(active, std::greater(), [](const auto& held) { return std::pair(held->grant.issued_at, held->no); });
  std::vector<std::shared_ptr<const HeldGrant>> newest;
  for (auto& held : active) {
    const bool is_replaced = std::ranges::any_of(newest, [&](const auto& newer) { return overlap(newer->grant, held->grant); });
    if (!is_replaced) newest.push_back(std::move(held));
  }
  std::ranges::sort(newest, {}, [](const auto& held) { return held->no; });  // the order in which a token lists them
  return Accesses::under_grants(access, client_id, std::move(newest));
}

Result<IssuedGrants> Grants::create(const Access& access, const GrantRequest& request) {
  LADDER_TRY(const DraftGrants draft, draft(access, request));
  IssuedGrants issued;
  for (const grant::Grant& grant : draft.grants) issued.grant_ids.push_back(grant.grant_id);
  issued.token = new_token(store::TokenKind::kClient);
  const store::NewToken token{token_hash(issued.token), store::TokenKind::kClient, request.client_id, shared_.clock.now(),
                              draft.ends_at};
  LADDER_CHECK(shared_.store.add_grants(access.owner(), draft.rows, token));
  return issued;
}

Result<std::vector<GrantSummary>> Grants::list(const Access& access) {
  LADDER_CHECK(shared_.accesses.require_owner(access));
  LADDER_TRY(auto rows, shared_.store.grants(access.owner()));
  return summarize(access.owner(), std::move(rows));
}

Result<GrantSummary> Grants::find(const Access& access, std::string_view grant_id) {
  LADDER_CHECK(shared_.accesses.require_owner(access));
  LADDER_TRY(auto row, shared_.store.find_grant(access.owner(), grant_id));
  if (!row) return unknown_grant(grant_id);
  LADDER_TRY(auto summaries, summarize(access.owner(), {*std::move(row)}));
  return std::move(summaries.front());
}

Result<GrantSummary> Grants::revoke(const Access& access, std::string_view grant_id, Deadline wait_limit) {
  LADDER_CHECK(shared_.accesses.require_owner(access));
  const auto known = shared_.store.find_grant(access.owner(), grant_id);
  if (known && !*known) return unknown_grant(grant_id);
  const Instant at = shared_.revocations.add(access.owner(), grant_id, shared_.clock.now());
  shared_.grants.refuse(access.owner_name(), grant_id);
  shared_.accesses.forget_all();
  auto row = shared_.store.revoke_grant(access.owner(), grant_id, at, wait_limit);
  if (!row && row.error().code != Code::kNotFound) return std::unexpected(std::move(row).error());
  shared_.revocations.remove(access.owner(), grant_id);
  shared_.accesses.forget_all();
  if (!row) return unknown_grant(grant_id);
  // Skips the field origins, so that a revocation needs no further reads.
  LADDER_TRY(const auto held, shared_.grants.get(*row));
  return GrantSummary{*std::move(row), held->grant, "revoked", {}};
}

Result<std::int64_t> Grants::revoke_all(const Access& access) {
  LADDER_CHECK(shared_.accesses.require_owner(access));
  const Instant now = shared_.clock.now();
  std::int64_t stood = 0;
  // A store that fails to read may still accept the revocation.
  if (const auto rows = shared_.store.grants(access.owner())) {
    for (const store::GrantRow& row : *rows) {
      if (row.revoked_at || (row.expires_at && now >= *row.expires_at)) continue;
      ++stood;
      shared_.revocations.add(access.owner(), row.grant_id, now);
      shared_.grants.refuse(access.owner_name(), row.grant_id);
    }
  }
  shared_.accesses.forget_all();
  store::AuthChange change;
  change.owner = access.owner();
  change.revoke_everything = true;
  change.now = now;
  LADDER_CHECK(shared_.store.auth().apply(change));  // on failure, write_revocations() retries
  for (const Revocations::Pending& pending : shared_.revocations.all()) {
    if (pending.owner == access.owner()) shared_.revocations.remove(pending.owner, pending.grant_id);
  }
  shared_.accesses.forget_all();
  return stood;
}

Status Grants::write_revocations() {
  for (const Revocations::Pending& pending : shared_.revocations.all()) {
    const auto row = shared_.store.revoke_grant(pending.owner, pending.grant_id, pending.at, Deadline::after(kRetryTime));
    if (!row && row.error().code != Code::kNotFound) return std::unexpected(row.error());
    shared_.revocations.remove(pending.owner, pending.grant_id);
  }
  return {};
}

bool GrantSummary::is_widened() const {
  return std::ranges::any_of(origins, [](const grant::FieldOrigin& origin) { return !origin.content.empty(); });
}

Result<std::vector<GrantSummary>> Grants::summarize(store::OwnerNo owner, std::vector<store::GrantRow> rows) {
  LADDER_TRY(const auto catalog, shared_.catalogs.newest(owner));
  Declarations declarations(shared_.store, owner, *catalog);
  const Instant now = shared_.clock.now();
  std::vector<GrantSummary> all;
  for (store::GrantRow& row : rows) {
    shared_.revocations.apply(row);
    LADDER_TRY(const auto held, shared_.grants.get(row));
    const grant::Grant& grant = held->grant;
    LADDER_TRY(const auto* then, declarations.of_version(grant.source_id, grant.declaration_version));
    const bool expired = row.expires_at && now >= *row.expires_at;
    std::string status = row.revoked_at ? "revoked" : expired ? "expired" : "active";
    auto origins = grant::field_origins(grant, row.named, then, declarations.current(grant.source_id));
    all.push_back({std::move(row), grant, std::move(status), std::move(origins)});
  }
  return all;
}

bool Grants::refuses_from_memory(const Access& access, std::string_view grant_id) const {
  return shared_.revocations.has(access.owner(), grant_id);
}

bool Grants::has_unwritten_revocations() const { return !shared_.revocations.empty(); }

}  // namespace ladder::server
