#include "store/postgres/word_plan.h"

#include <algorithm>

namespace ladder::store::postgres {
namespace {

bool needs_number(const PlannedWords& planned) { return planned.words.several && planned.text == 0; }

// A record that stays, with the same words of one row at the same time.
bool stays(const WordLayout& layout, const KeyPlan& key) {
  const KeyState &before = key.before, &after = key.after;
  return before.live() && before.no == after.no && before.text == 0 && before.word_mask == layout.mask() &&
         before.consent_time == after.consent_time && same_single_words(layout, before.body(), after.body());
}

Result<PlannedWords> words_of_key(const WordLayout& layout, const KeyPlan& key) {
  const KeyState& after = key.after;
  PlannedWords planned;
  if (!after.live() || after.write == nullptr || layout.columns.empty()) return planned;
  if (stays(layout, key)) {
    planned.unchanged = true;
    return planned;
  }
  LADDER_TRY(planned.words, words_of_record(layout, after.body(), after.write->staged ? nullptr : &after.write->values));
  if (planned.words.several) planned.text = after.first_value;
  return planned;
}

}  // namespace

Result<std::vector<PlannedWords>> plan_words(const WritePlan& plan) {
  std::vector<PlannedWords> words;
  words.reserve(plan.keys().size());
  for (const KeyPlan& key : plan.keys()) {
    LADDER_TRY(auto planned, words_of_key(plan.words(), key));
    words.push_back(std::move(planned));
  }
  return words;
}

std::int64_t texts_without_number(std::span<const PlannedWords> words) { return std::ranges::count_if(words, needs_number); }

std::size_t bytes_of(std::span<const PlannedWords> words) {
  std::size_t bytes = 0;
  for (const PlannedWords& planned : words) {
    bytes += planned.words.vector.size();
    for (const PassageRow& row : planned.words.passages) bytes += row.vector.size();
  }
  return bytes;
}

void number_texts(std::span<PlannedWords> words, TextNo first) {
  for (PlannedWords& planned : words) {
    if (needs_number(planned)) planned.text = first++;
  }
}

}  // namespace ladder::store::postgres
