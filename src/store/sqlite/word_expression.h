// A word query as FTS5 understands it.
#pragma once

#include "store/word_query.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ladder::store::sqlite {

// An expression and the numbers its phrases have in it: the required terms come first, from 0.
struct WordExpression {
  std::string text;
  int first_excluded = 0;
  int end_excluded = 0;
};

struct WordTerms {
  explicit WordTerms(const WordQuery& query);

  std::size_t required = 0;
  std::vector<std::int32_t> lengths;  // of the required ones, in words
  // Rows with every required term; whether the excluded ones are there can be asked of each, and costs no walk of their own.
  WordExpression all;
  // Rows with any term, the excluded ones too.
  WordExpression any;
  std::vector<std::string> each;  // of the required ones
};

}  // namespace ladder::store::sqlite
