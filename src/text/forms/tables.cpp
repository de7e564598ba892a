#include "text/forms/tables.h"

#include "base/embedded_file.h"

#include <algorithm>
#include <array>

LADDER_EMBED(ladder_function_words, LADDER_FORM_TABLES "/function_words.txt")
LADDER_EMBED(ladder_irregular_forms, LADDER_FORM_TABLES "/irregular_forms.txt")
LADDER_EMBED(ladder_stem_changes, LADDER_FORM_TABLES "/stem_changes.txt")
LADDER_EMBED(ladder_endings, LADDER_FORM_TABLES "/endings.txt")

namespace ladder::text {
namespace {

std::string_view bytes_of(FormTable table) {
  switch (table) {
    case FormTable::kFunctionWords:
      return {ladder_function_words_begin, ladder_function_words_end};
    case FormTable::kIrregularForms:
      return {ladder_irregular_forms_begin, ladder_irregular_forms_end};
    case FormTable::kStemChanges:
      return {ladder_stem_changes_begin, ladder_stem_changes_end};
    case FormTable::kEndings:
      return {ladder_endings_begin, ladder_endings_end};
  }
  return {};
}

std::string_view take_until(std::string_view& rest, char end) {
  const std::string_view taken = rest.substr(0, rest.find(end));
  rest.remove_prefix(std::min(rest.size(), taken.size() + 1));
  return taken;
}

// Calls `heading` with the line of each language and `row` with each row, without its indent.
template <class Heading, class Row>
void each_line(FormTable table, Heading heading, Row row) {
  for (std::string_view rest = bytes_of(table); !rest.empty();) {
    std::string_view line = take_until(rest, '\n');
    const bool is_row = line.starts_with(' ');
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    if (line.empty() || line.starts_with('#')) continue;
    if (is_row) row(line);
    else heading(line);
  }
}

// Every language has function words, in the order of the enum.
const std::array<LanguageName, kLanguages>& names() {
  static const auto made = [] {
    std::array<LanguageName, kLanguages> names;
    std::size_t next = 0;
    each_line(
        FormTable::kFunctionWords,
        [&](std::string_view line) {
          const std::string_view code = take_until(line, ' ');
          names.at(next++) = {code, line};
        },
        [](std::string_view) {});
    return names;
  }();
  return made;
}

}  // namespace

void each_row(FormTable table, const UseRow& use) {
  Language language{};
  each_line(
      table,
      [&](std::string_view line) {
        const auto found = std::ranges::find(names(), take_until(line, ' '), &LanguageName::code);
        language = static_cast<Language>(found - names().begin());
      },
      [&](std::string_view row) { use(language, row); });
}

std::vector<std::string_view> words_in(std::string_view row) {
  std::vector<std::string_view> words;
  while (!row.empty()) words.push_back(take_until(row, ' '));
  return words;
}

LanguageName name_of(Language language) { return names()[static_cast<std::size_t>(language)]; }

}  // namespace ladder::text
