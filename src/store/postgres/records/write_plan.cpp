#include "store/postgres/records/write_plan.h"

#include "store/long_values/split.h"

#include <algorithm>
#include <utility>

namespace ladder::store::postgres {
namespace {

bool has_staged_values(const RecordWrite& record) { return !record.is_delete && record.staged && record.value_count > 0; }

// Copies the record to the state. The caller sets number, versions and kind.
void copy_from(KeyState& state, const RecordWrite& record) {
  state.consent_time = record.consent_time;
  state.digest = record.digest;
  state.first_value = record.value_count > 0 ? record.first_value : 0;
  state.value_count = record.value_count;
  state.stored_body.clear();
  state.stored_order_key.clear();
  state.write = &record;
  state.head_damaged = state.body_damaged = false;
}

}  // namespace

ChangeEntries change_entries(const KeyState& state) {
  ChangeEntries entries;
  if (state.kind == KeyState::Kind::kDeleted) entries.emplace_back(kWholeRecord, state.version);
  if (!state.live()) return entries;
  entries.reserve(1 + state.versions.changed.size());
  entries.emplace_back(kWholeRecord, state.versions.created);
  for (const auto& [field, version] : state.versions.changed) entries.emplace_back(field, version);
  return entries;
}

WritePlan::WritePlan(const WriteTarget& target, std::span<const RecordWrite> records) : target_(target), records_(records) {
  by_key_.reserve(records.size());
  for (const RecordWrite& record : records) {
    KeyPlan*& plan = by_key_[record.key];
    if (plan != nullptr) {
      plan->repeated = true;
    } else {
      plan = &keys_.emplace_back(KeyPlan{.key = record.key, .first = &record, .before = {}, .after = {}});
    }
    if (has_staged_values(record)) staged_.push_back(record.first_value);
  }
}

KeyPlan* WritePlan::find(std::string_view key) {
  const auto at = by_key_.find(key);
  return at == by_key_.end() ? nullptr : at->second;
}

const RecordWrite* WritePlan::record_with(ValueId first_staged) const {
  const auto at = std::ranges::find_if(
      records_, [&](const RecordWrite& record) { return has_staged_values(record) && record.first_value == first_staged; });
  return at == records_.end() ? nullptr : &*at;
}

void WritePlan::compute(std::int64_t max_version) {
  max_version_ = max_version;
  for (KeyPlan& plan : keys_) plan.after = plan.before;
  outcomes_.reserve(records_.size());
  for (const RecordWrite& record : records_) outcomes_.push_back(apply(*by_key_[record.key], record));
}

Outcome WritePlan::apply(KeyPlan& plan, const RecordWrite& record) {
  const KeyState& now = plan.after;
  if (record.is_delete) return remove(plan);
  const bool refused = target_.append_only && now.digest != record.digest && !now.head_damaged;
  if (now.live() && now.damaged() && !refused) {
    if (!take_staged(record)) return Outcome::kStagingLost;
    repair(plan, &record);
    return change(plan, record);
  }
  if (now.live() && (now.digest == record.digest || target_.append_only)) {
    discard_staged(record);
    return now.digest == record.digest ? Outcome::kUnchanged : Outcome::kAppendOnly;
  }
  if (!take_staged(record)) return Outcome::kStagingLost;
  return now.live() ? change(plan, record) : add(plan, record);
}

Outcome WritePlan::add(KeyPlan& plan, const RecordWrite& record) {
  KeyState state;
  state.kind = KeyState::Kind::kLive;
  state.no = -1 - new_records_++;
  state.version = state.versions.created = ++max_version_;
  if (plan.after.kind == KeyState::Kind::kDeleted) state.versions.known_since = plan.after.versions.first_version();
  copy_from(state, record);
  plan.after = std::move(state);
  return Outcome::kAdded;
}

// Repairs a damaged record so that it can be changed or removed. If the incoming record has the same text, everything
// derived from it is correct; otherwise the old text is unknown. The values of a damaged row are left to `ladder
// doctor`, because freeing the wrong ones would delete another record's values.
void WritePlan::repair(KeyPlan& plan, const RecordWrite* record) {
  const bool same = record != nullptr && plan.after.digest == record->digest;
  const KeyState& was = plan.after;
  if (same && !was.head_damaged && was.value_count > 0 && was.value_count == record->value_count) {
    restored_.push_back({was.first_value, record->first_value, was.value_count});
  }
  for (KeyState* const state : {&plan.before, &plan.after}) {
    if (same) {
      state->stored_body = record->body;
      state->stored_order_key = record->order_key;
    } else if (state->body_damaged) {
      state->stored_body = "{}";
    }
    if (state->head_damaged) state->first_value = state->value_count = 0;
  }
  if (!same && plan.after.body_damaged) unreadable_.push_back(plan.after.no);
  plan.after.head_damaged = plan.after.body_damaged = false;
}

// A body that differs only outside its fields (white space, member order) is stored but does not get a new version.
Outcome WritePlan::change(KeyPlan& plan, const RecordWrite& record) {
  KeyState& now = plan.after;
  const std::vector<std::string> changed = changed_fields(now.body(), record.body);
  if (!changed.empty()) now.version = ++max_version_;
  for (const std::string& name : changed) {
    const auto declared = target_.fields.find(name);
    now.versions.changed[declared == target_.fields.end() ? kUndeclaredField : declared->second] = max_version_;
  }
  now.versions.note_emission(now.emitted_at(), changed.empty() ? std::nullopt : std::optional(max_version_), record.emitted_at);
  release_values(now);
  copy_from(now, record);
  return Outcome::kChanged;
}

Outcome WritePlan::remove(KeyPlan& plan) {
  KeyState& now = plan.after;
  if (!now.live()) return Outcome::kAbsent;
  if (now.damaged()) repair(plan, nullptr);
  release_values(now);
  if (target_.permanent) {
    now = KeyState();
    return Outcome::kDeleted;
  }
  KeyState deleted;
  deleted.kind = KeyState::Kind::kDeleted;
  deleted.no = now.no;
  deleted.version = ++max_version_;
  deleted.versions.created = now.versions.first_version();
  deleted.consent_time = now.consent_time;
  now = std::move(deleted);
  return Outcome::kDeleted;
}

// Releases the values of a state that is being replaced. Values that came with this batch were never written.
void WritePlan::release_values(const KeyState& state) {
  if (state.write == nullptr && state.value_count > 0) dead_.push_back({state.first_value, state.value_count});
  if (state.write != nullptr && has_staged_values(*state.write)) unwanted_.push_back(state.first_value);
}

void WritePlan::discard_staged(const RecordWrite& record) {
  if (has_staged_values(record) && still_staged_.erase(record.first_value) > 0) unwanted_.push_back(record.first_value);
}

// A set can be taken once.
bool WritePlan::take_staged(const RecordWrite& record) {
  return !has_staged_values(record) || still_staged_.erase(record.first_value) > 0;
}

}  // namespace ladder::store::postgres
