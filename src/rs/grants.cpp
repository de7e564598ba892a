// The owner's grants: made, listed, revoked.
#include "base/format.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "crypto/random.h"
#include "model/quote.h"
#include "rs/grant_plan.h"
#include "rs/resource_server.h"
#include "rs/token.h"
#include "store/auth_store.h"

#include <algorithm>

namespace ladder::rs {
namespace {

using model::in_quotes;

constexpr std::size_t kGrantIdBytes = 8;
constexpr std::size_t kMaxPurposeBytes = 4096;
constexpr auto kRetryTime = std::chrono::milliseconds(500);  // for one revocation that could not be written before

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

Status check_purpose(const GrantRequest& request) {
  if (request.purpose_code.size() <= kMaxPurposeBytes && request.purpose_description.size() <= kMaxPurposeBytes &&
      utf8::is_valid(request.purpose_description)) {
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

// A token outlives none of its grants for no use: when all of them end, it ends with the last.
std::optional<Instant> token_end(const std::vector<store::NewGrant>& grants) {
  std::optional<Instant> latest;
  for (const store::NewGrant& grant : grants) {
    if (!grant.expires_at) return std::nullopt;
    latest = latest ? std::max(*latest, *grant.expires_at) : *grant.expires_at;
  }
  return latest;
}

std::unexpected<Error> unknown_grant(std::string_view grant_id) {
  return fail(Code::kNotFound, format("there is no grant {}; `ladder grant list` shows them", in_quotes(grant_id)), "grant_id");
}

}  // namespace

Result<DraftGrants> ResourceServer::draft_grants(const Access& access, const GrantRequest& request) {
  LADDER_CHECK(require_owner(access));
  const Instant now = clock_.now();
  LADDER_CHECK(check_client(request.client_id));
  LADDER_CHECK(check_purpose(request));
  LADDER_TRY(const auto catalog, catalogs_.newest(access.owner()));
  LADDER_TRY(auto plans, plan_grants(*catalog, request.streams));

  DraftGrants draft;
  for (PlannedGrant& plan : plans) {
    const grant::Selection selection{std::move(plan.streams), request.purpose_code, request.purpose_description,
                                     request.single_use, request.expires_at};
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

Result<GrantSummary> ResourceServer::revoke_grant(const Access& access, std::string_view grant_id, Deadline patience) {
  LADDER_CHECK(require_owner(access));
  const auto known = store_.find_grant(access.owner(), grant_id);
  if (known && !*known) return unknown_grant(grant_id);
  const Instant at = revocations_.add(access.owner(), grant_id, clock_.now());
  parsed_grants_.refuse(access.owner_name(), grant_id);
  accesses_.forget_all();
  auto row = store_.revoke_grant(access.owner(), grant_id, at, patience);
  if (!row && row.error().code != Code::kNotFound) return std::unexpected(std::move(row).error());
  revocations_.remove(access.owner(), grant_id);
  accesses_.forget_all();
  if (!row) return unknown_grant(grant_id);
  // Without its origins: nothing more has to be read for a revocation to be told.
  LADDER_TRY(const auto held, parsed_grants_.get(*row));
  return GrantSummary{*std::move(row), held->grant, "revoked", {}};
}

Result<std::int64_t> ResourceServer::end_all_access(const Access& access) {
  LADDER_CHECK(require_owner(access));
  const Instant now = clock_.now();
  std::int64_t stood = 0;
  // A store that cannot be read now may still take the revocation.
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
  LADDER_CHECK(store_.auth().apply(change));  // what is refused from memory is written by write_revocations() otherwise
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

}  // namespace ladder::rs
