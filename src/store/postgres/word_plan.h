// What a worked-out batch does to the word index: for every key of the plan the words of its new record.
#pragma once

#include "store/postgres/write_plan.h"

#include <cstdint>
#include <span>
#include <vector>

namespace ladder::store::postgres {

struct PlannedWords {
  bool unchanged = false;  // what is in the index stays
  RecordWords words;
  TextNo text = 0;  // of several rows; 0: none, or still to be numbered
};

// One per key, in their order.
Result<std::vector<PlannedWords>> plan_words(const WritePlan& plan);
// Those with several rows and no long value that could lend them its number.
std::int64_t texts_without_number(std::span<const PlannedWords> words);
std::size_t bytes_of(std::span<const PlannedWords> words);  // of their word vectors
void number_texts(std::span<PlannedWords> words, TextNo first);

}  // namespace ladder::store::postgres
