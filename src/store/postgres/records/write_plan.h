// Plans the changes of a batch of records to a stream, in memory: the outcome of each record, and the state of every
// key before and after. It has no SQL; write_rows.h converts the differences to rows.
//
// Records of one batch may share a key. Each has its own outcome and version, but only the last state of a key is written.
#pragma once

#include "store/index/field_index.h"
#include "store/index/field_versions.h"
#include "store/search/row_words.h"
#include "store/store.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace ladder::store::postgres {

// A record that the store has or will have under a key.
struct KeyState {
  enum class Kind : std::uint8_t { kNothing, kLive, kDeleted };
  Kind kind = Kind::kNothing;
  RecordNo no = 0;  // negative: the plan's new record number -1 - no, not allocated yet
  std::int64_t version = 0;
  std::optional<Instant> consent_time;
  FieldVersions versions;  // for a deleted record only the version in which its key first came
  // The following fields are for a live record.
  Digest digest{};
  ValueId first_value = 0;
  std::int64_t value_count = 0;
  TextNo text = 0;                            // of a stored record
  text::WordColumns word_mask = 0;            // of a stored record
  std::string stored_body, stored_order_key;  // of a stored record; absent when the batch can't need them
  std::string stored_emitted_at;
  const RecordWrite* write = nullptr;  // the incoming record; null for a stored record
  bool head_damaged = false;           // of a stored record: the checksum of its row does not match
  bool body_damaged = false;           // or that of its body or long values does not

  bool damaged() const { return head_damaged || body_damaged; }
  bool live() const { return kind == Kind::kLive; }
  std::string_view body() const { return write != nullptr ? std::string_view(write->body) : std::string_view(stored_body); }
  std::string_view order_key() const {
    return write != nullptr ? std::string_view(write->order_key) : std::string_view(stored_order_key);
  }
  std::string_view emitted_at() const {
    return write != nullptr ? std::string_view(write->emitted_at) : std::string_view(stored_emitted_at);
  }
};

// The change log entries of a state, as (field, version).
using ChangeEntries = std::vector<std::pair<FieldNo, std::int64_t>>;
ChangeEntries change_entries(const KeyState& state);

struct KeyPlan {
  std::string_view key;
  bool repeated = false;  // several records of the batch have this key
  const RecordWrite* first = nullptr;
  KeyState before, after;
};

struct ValueSet {
  ValueId first = 0;
  std::int64_t count = 0;
};

// Damaged values whose original text was written again, and the values with that text.
struct RestoredValues {
  ValueId damaged = 0, restored = 0;  // the first of each
  std::int64_t count = 0;
};

class WritePlan {
 public:
  WritePlan(const WriteTarget& target, std::span<const RecordWrite> records);

  // The keys of the batch in order of their first use, each once.
  std::deque<KeyPlan>& keys() { return keys_; }
  const std::deque<KeyPlan>& keys() const { return keys_; }
  KeyPlan* find(std::string_view key);
  // The indexes of the stream.
  void add_index(IndexSpec index) { indexes_.push_back(std::move(index)); }
  const std::vector<IndexSpec>& indexes() const { return indexes_; }
  // The word columns of the stream.
  void set_words(StreamWords words) { words_ = std::move(words); }
  const StreamWords& words() const { return words_; }
  // The staged sets that records of the batch refer to, and which of them still exist and fit the record.
  const std::vector<ValueId>& staged() const { return staged_; }
  const RecordWrite* record_with(ValueId first_staged) const;
  void still_staged(ValueId first, TextNo text) {
    still_staged_.insert(first);
    staged_texts_[first] = text;
  }
  TextNo staged_text(ValueId first) const {  // 0: none
    const auto found = staged_texts_.find(first);
    return found == staged_texts_.end() ? 0 : found->second;
  }

  // Computes the plan, given the newest version of the stream.
  void compute(std::int64_t max_version);

  const std::vector<Outcome>& outcomes() const { return outcomes_; }
  std::int64_t max_version() const { return max_version_; }
  std::int64_t new_records() const { return new_records_; }           // the number of record numbers needed
  const std::vector<ValueSet>& dead() const { return dead_; }         // sets that stored records no longer use
  const std::vector<ValueId>& unwanted() const { return unwanted_; }  // staged sets that no record took
  // The sweep removes the words of dead values from the word index by their text, so the damaged text is replaced with
  // the correct one first.
  const std::vector<RestoredValues>& restored() const { return restored_; }
  // Records whose old text is unknown, so that their index entries must be searched for.
  const std::vector<RecordNo>& unreadable() const { return unreadable_; }

 private:
  Outcome apply(KeyPlan& plan, const RecordWrite& record);
  Outcome remove(KeyPlan& plan);
  Outcome add(KeyPlan& plan, const RecordWrite& record);
  Outcome change(KeyPlan& plan, const RecordWrite& record);
  void repair(KeyPlan& plan, const RecordWrite* record);
  void release_values(const KeyState& state);
  void discard_staged(const RecordWrite& record);  // its staged values, if any, become unwanted
  bool take_staged(const RecordWrite& record);     // false when they are gone

  const WriteTarget& target_;
  std::span<const RecordWrite> records_;
  std::deque<KeyPlan> keys_;
  std::unordered_map<std::string_view, KeyPlan*> by_key_;
  std::vector<IndexSpec> indexes_;
  StreamWords words_;
  std::vector<ValueId> staged_;
  std::unordered_set<ValueId> still_staged_;
  std::unordered_map<ValueId, TextNo> staged_texts_;  // the first text of each set
  std::vector<RestoredValues> restored_;
  std::vector<Outcome> outcomes_;
  std::int64_t max_version_ = 0;
  std::int64_t new_records_ = 0;
  std::vector<ValueSet> dead_;
  std::vector<ValueId> unwanted_;
  std::vector<RecordNo> unreadable_;
};

}  // namespace ladder::store::postgres
