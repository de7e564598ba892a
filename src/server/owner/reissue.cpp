// Replaces grants. A grant is immutable, so that the record of what was allowed stays correct; extending or narrowing
// it revokes it and issues a new grant to its tokens at the same time.
#include "base/text/format.h"
#include "crypto/random.h"
#include "server/owner/grants.h"

#include <algorithm>
#include <map>

namespace ladder::server {
namespace {

constexpr std::size_t kGrantIdBytes = 8;

using Names = std::vector<std::string>;

bool is_part(const Names& inner, const Names& outer) {
  return std::ranges::all_of(inner, [&](const std::string& name) { return std::ranges::find(outer, name) != outer.end(); });
}

bool is_within(const std::optional<grant::TimeConstraint>& inner, const std::optional<grant::TimeConstraint>& outer) {
  if (!outer) return true;
  if (!inner || inner->field != outer->field) return false;
  const bool from = !outer->since || (inner->since && *inner->since >= *outer->since);
  const bool to = !outer->until || (inner->until && *inner->until <= *outer->until);
  return from && to;
}

// Compares everything but the expiry.
bool is_within(const grant::Grant& inner, const grant::Grant& outer) {
  const bool same = inner.subject_id == outer.subject_id && inner.client_id == outer.client_id &&
                    inner.source_kind == outer.source_kind && inner.source_id == outer.source_id &&
                    inner.single_use == outer.single_use && inner.purpose_code == outer.purpose_code;
  return same && std::ranges::all_of(inner.streams, [&](const grant::StreamGrant& stream) {
           const grant::StreamGrant* had = outer.stream(stream.name);
           return had && !stream.fields.empty() && !stream.instance_ids.empty() && is_part(stream.fields, had->fields) &&
                  is_part(stream.instance_ids, had->instance_ids) && is_within(stream.time, had->time) &&
                  (had->resources.empty() || (!stream.resources.empty() && is_part(stream.resources, had->resources)));
         });
}

// Returns the fields that the owner named and that are still granted.
grant::Selection named_of(const GrantSummary& old, const grant::Grant& changed) {
  grant::Selection selection;
  for (const grant::StreamGrant& stream : changed.streams) {
    const grant::StreamGrant* had = old.grant.stream(stream.name);
    const auto origin = std::ranges::find(old.origins, stream.name, &grant::FieldOrigin::stream);
    Names named = stream.fields;
    if (origin != old.origins.end() && origin->all && had && had->fields == stream.fields) {
      named.clear();  // an empty list means all fields
    } else if (origin != old.origins.end() && !origin->all) {
      std::erase_if(named, [&](const std::string& field) { return origin->is_added(field); });
      if (named.empty()) named = stream.fields;
    }
    selection.streams.push_back({stream.name, stream.instance_ids, std::move(named), {}, {}, {}});
  }
  return selection;
}

}  // namespace

Result<Reissue> Grants::draft_reissue(const Access& access, const GrantSummary& old, grant::Grant changed) {
  LADDER_CHECK(shared_.accesses.require_owner(access));
  Reissue draft{old.grant.grant_id, std::nullopt};
  if (changed.streams.empty()) return draft;
  if (!is_within(changed, old.grant)) {
    return fail(Code::kInvalidRequest, format("this would allow more than grant {} does", old.grant.grant_id), "grant");
  }
  changed.grant_id = "grt_" + crypto::random_hex(kGrantIdBytes);
  changed.issued_at = shared_.clock.now();
  if (changed.expires_at && *changed.expires_at <= changed.issued_at) {
    return fail(Code::kInvalidRequest, "the expiry is in the past", "expires_at");
  }
  draft.row = {changed.grant_id,
               changed.client_id,
               grant::to_json(changed),
               changed.issued_at,
               changed.expires_at,
               changed.single_use,
               grant::named_fields_json(changed, named_of(old, changed))};
  draft.grant = std::move(changed);
  return draft;
}

Result<bool> Grants::reissue(const Access& access, std::span<const Reissue> drafts, std::optional<std::int64_t> chars_a_day,
                             store::AuthChange along) {
  LADDER_CHECK(shared_.accesses.require_owner(access));
  const Instant now = shared_.clock.now();
  LADDER_CHECK(shared_.ledger.sweep());  // so that today's use is complete
  LADDER_TRY(const auto budgets, shared_.ledger.budgets(access.owner()));
  // Grants that shared a budget continue to share it; a new budget is shared by all of them.
  std::map<std::string, Names> sharing;
  for (const Reissue& draft : drafts) {
    const auto had = budgets.find(draft.old_id);
    if (!draft.grant || (had == budgets.end() && !chars_a_day)) continue;
    sharing[chars_a_day ? std::string() : had->second.shared].push_back(draft.old_id);
  }
  Names budgeted;
  for (const auto& [shared, old_ids] : sharing) {
    Names ids;
    for (const Reissue& draft : drafts) {
      if (draft.grant && std::ranges::find(old_ids, draft.old_id) != old_ids.end()) ids.push_back(draft.grant->grant_id);
    }
    std::map<std::string, std::string> groups;  // one grant for each budget that is transferred
    std::optional<std::int64_t> chars = chars_a_day;
    for (const std::string& id : old_ids) {
      const auto had = budgets.find(id);
      groups.emplace(had == budgets.end() ? id : had->second.shared, id);
      if (!chars) chars = had->second.chars;
    }
    ReadAmount spent;
    for (const auto& [group, id] : groups) {
      LADDER_TRY(const ReadAmount its, shared_.ledger.spent_today(access.owner(), id));
      spent = spent + its;
    }
    LADDER_CHECK(shared_.ledger.set_budget(access.owner(), ids, chars, replaced_byte_budget(budgets, old_ids, *chars), spent));
    budgeted.insert(budgeted.end(), ids.begin(), ids.end());
  }
  along.owner = access.owner();
  along.now = now;
  for (const Reissue& draft : drafts) {
    along.replaced.push_back({draft.old_id, draft.grant ? draft.grant->grant_id : ""});
    if (draft.grant) along.grants.push_back(draft.row);
  }
  auto done = shared_.store.auth().apply(along);
  if (done && *done) {
    for (const Reissue& draft : drafts) shared_.grants.refuse(access.owner_name(), draft.old_id);
    shared_.accesses.forget_all();
  } else if (!budgeted.empty()) {
    (void)shared_.ledger.set_budget(access.owner(), budgeted, std::nullopt);  // the grants do not exist
  }
  return done;
}

}  // namespace ladder::server
