// The word index against a scan of every text: records in many scripts change, and hundreds of queries must find
// exactly what a plain scan of the counted columns finds.
#include "word_index_suite.h"

#include <cstdlib>
#include <random>

namespace ladder::store {
namespace {

using test_support::AskedTerm;
using test_support::plainly_matches;
using test_support::query_text;
using test_support::random_term;
using test_support::sentences;

class WordIndexModel : public WordIndexSuite {
 protected:
  struct Texts {
    std::string title, body;
  };

  std::size_t one_of(std::size_t n) { return random_() % n; }

  std::string random_text(std::size_t most) {
    std::string text;
    const std::size_t count = one_of(most + 1);
    for (std::size_t i = 0; i < count; ++i) text += sentences()[one_of(sentences().size())] + (one_of(9) == 0 ? "" : " ");
    return text;
  }

  void change() {
    const std::string key = format("k{}", one_of(60));
    if (one_of(6) == 0) {
      world().remove(key);
      model_.erase(key);
      return;
    }
    Texts texts{random_text(2), random_text(one_of(5) == 0 ? 300 : 3)};
    const std::string line = data(texts.title, texts.body);
    if (texts.body.size() > 12'000 && one_of(2) == 0) put_staged(key, line);
    else world().put(key, line);
    model_[key] = std::move(texts);
  }

  std::vector<AskedTerm> random_query() {
    std::vector<AskedTerm> terms;
    const std::size_t count = 1 + one_of(3);
    for (std::size_t i = 0; i < count; ++i) terms.push_back(random_term(random_, sentences()));
    for (std::size_t i = 1; i < count; ++i) terms[i].excluded = one_of(4) == 0;
    return terms;
  }

  Names expected(const std::vector<AskedTerm>& terms, const Names& fields) const {
    const auto counts = [&](const char* field) { return fields.empty() || std::ranges::find(fields, field) != fields.end(); };
    Names keys;
    for (const auto& [key, texts] : model_) {
      std::vector<std::string> counted;
      if (counts("title")) counted.push_back(texts.title);
      if (counts("body")) counted.push_back(texts.body);
      if (plainly_matches(terms, counted)) keys.push_back(key);
    }
    return keys;
  }

  void compare_with_a_plain_scan(int rounds);

  std::map<std::string, Texts> model_;
  std::mt19937 random_{20261115};
};

void WordIndexModel::compare_with_a_plain_scan(int rounds) {
  int found_some = 0;
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < (round == 0 ? 120 : 12); ++i) change();
    if (round % 4 == 3) sweep_all(store(), Clock::system().now() + kDay);
    for (int i = 0; i < 30; ++i) {
      const std::vector<AskedTerm> terms = random_query();
      const Names fields = one_of(3) == 0 ? Names{one_of(2) == 0 ? "title" : "body"} : Names{};
      const Names wanted = expected(terms, fields);
      EXPECT_EQ(keys(query_text(terms), fields), wanted) << query_text(terms);
      found_some += wanted.empty() ? 0 : 1;
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(found_some, rounds * 10) << "most queries are about something";
}

LADDER_FOR_EVERY_ENGINE(WordIndexModel);

TEST_P(WordIndexModel, EqualsAPlainScan) { compare_with_a_plain_scan(std::getenv("LADDER_TEST_ALL") != nullptr ? 120 : 12); }

}  // namespace
}  // namespace ladder::store
