#include "text/forms/irregular_forms.h"

#include "text/forms/tables.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace ladder::text {
namespace {

using Groups = std::unordered_map<std::string_view, std::string_view>;  // maps a form to its group, with spaces between the forms

const Groups& groups_of(Language language) {
  static const std::array<Groups, kLanguages> made = [] {
    std::array<Groups, kLanguages> all;
    each_row(FormTable::kIrregularForms, [&](Language language, std::string_view group) {
      for (const std::string_view form : words_in(group)) {
        if (!form.starts_with('/')) all[static_cast<std::size_t>(language)].emplace(form, group);
      }
    });
    return all;
  }();
  return made[static_cast<std::size_t>(language)];
}

}  // namespace

std::vector<std::string> irregular_forms(std::string_view word, Language language) {
  const Groups& groups = groups_of(language);
  const auto found = groups.find(word);
  std::vector<std::string> forms;
  if (found == groups.end()) return forms;
  for (std::string_view form : words_in(found->second)) {
    if (form.starts_with('/')) form.remove_prefix(1);
    if (form != word && std::ranges::find(forms, form) == forms.end()) forms.emplace_back(form);
  }
  return forms;
}

std::vector<std::string> known_irregular_forms(Language language) {
  std::vector<std::string> all;
  for (const auto& [form, group] : groups_of(language)) all.emplace_back(form);
  return all;
}

}  // namespace ladder::text
