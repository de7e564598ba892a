// The tables of the word forms: text files in tables/, embedded in the program. A line with the code and the name of a
// language comes before the rows of that language, which are indented. Comments begin with `#`.
#pragma once

#include "text/forms/function_words.h"

#include <functional>
#include <string_view>
#include <vector>

namespace ladder::text {

enum class FormTable : std::uint8_t { kFunctionWords, kIrregularForms, kStemChanges, kEndings };

// Calls `use` with each row, in order. Rows and words point into the program and stay valid.
using UseRow = std::function<void(Language language, std::string_view row)>;
void each_row(FormTable table, const UseRow& use);

std::vector<std::string_view> words_in(std::string_view row);  // separated by spaces

struct LanguageName {
  std::string_view code, name;  // ISO 639-1 code and English name
};
LanguageName name_of(Language language);

}  // namespace ladder::text
