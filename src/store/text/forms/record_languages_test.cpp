#include "store/text/forms/record_languages.h"

#include "store/text/words.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace ladder::store {
namespace {

std::size_t at(Alphabet alphabet, std::string_view marker) {
  const auto& terms = language_markers(alphabet).terms;
  const auto found = std::ranges::find_if(terms, [&](const WordTerm& term) { return term.words.front() == marker; });
  return static_cast<std::size_t>(found - terms.begin());
}

TEST(RecordLanguages, AreDetectedByRecordCountsMostFrequentFirst) {
  std::vector<std::int64_t> counts(language_markers(Alphabet::kLatin).terms.size());
  EXPECT_TRUE(languages_of_records(Alphabet::kLatin, counts).empty());
  EXPECT_TRUE(languages_of_records(Alphabet::kLatin, {}).empty());
  counts[at(Alphabet::kLatin, "och")] = 40;
  counts[at(Alphabet::kLatin, "and")] = 2'560;
  counts[at(Alphabet::kLatin, "und")] = 39;
  EXPECT_EQ(languages_of_records(Alphabet::kLatin, counts), (std::vector{Language::kEnglish, Language::kSwedish}))
      << "39 of 2,560 are chance";
}

TEST(RecordLanguages, HaveNamesAndFoldedMarkers) {
  std::set<std::string_view> codes;
  for (std::size_t language = 0; language < kLanguages; ++language) codes.insert(name_of(static_cast<Language>(language)).code);
  EXPECT_EQ(codes.size(), kLanguages);
  for (const Alphabet alphabet : {Alphabet::kLatin, Alphabet::kOther}) {
    const WordQuery& query = language_markers(alphabet);
    EXPECT_LE(query.terms.size(), kMaxWordTerms);
    EXPECT_TRUE(query.terms.back().must) << "a required word that no record has prevents hits";
    for (const WordTerm& term : query.terms) {
      if (term.must) continue;
      std::vector<std::string> all = term.forms;
      all.push_back(term.words.front());
      for (const std::string& marker : all) {
        Words words;
        words.feed(marker);
        words.finish();
        Word word;
        ASSERT_TRUE(words.next(word)) << marker;
        EXPECT_EQ(word.text, marker) << "folded as in the index";
      }
    }
  }
}

}  // namespace
}  // namespace ladder::store
