// For any search, the evidence of a hit is the granted text at that range, ungranted data changes nothing, and the
// pages joined are the list.
#include "search_suite.h"

#include <array>
#include <random>
#include <set>

namespace ladder {
namespace {

using test_support::Mail;
using test_support::must;

constexpr std::array<std::string_view, 14> kWords = {"quince", "quinces", "medlar", "Éclair",  "sorbet", "53 500", "東京都",
                                                     "garden", "gardens", "letter", "letters", "spare",  "key",    "a.b@c.d"};
constexpr std::array<std::string_view, 5> kMisspelt = {"quinse", "medlra", "gardenn", "ltter", "sparre"};

class SearchProperties : public SearchSuite {
 protected:
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(random_() % n); }
  std::string word() { return std::string(kWords[below(kWords.size())]); }
  std::string text(std::size_t most) {
    std::string made;
    for (std::size_t left = below(most); left > 0; --left) made += (made.empty() ? "" : below(6) == 0 ? ". " : " ") + word();
    return made;
  }
  Mail mail() {
    Mail made{.subject = text(4), .body = text(30), .hidden = text(6)};
    if (below(8) == 0) made.body += std::string(9'000, 'x') + " " + text(20);
    made.sent_at = below(6) == 0 ? "" : format("2026-{:02}-{:02}T00:00:00Z", 1 + below(12), 1 + below(28));
    return made;
  }
  std::string query() {
    std::string made;
    for (std::size_t left = 1 + below(5); left > 0; --left) {
      const std::string_view sign = std::array<std::string_view, 8>{"", "", "", "", "", "+", "-", "subject:"}[below(8)];
      const bool quoted = below(8) == 0;
      if (below(6) == 0) made += (made.empty() ? "" : " ") + std::string(kMisspelt[below(kMisspelt.size())]);
      made += (made.empty() ? "" : " ") + std::string(sign) + (quoted ? "\"" + word() + " " + word() + "\"" : word()) +
              (!quoted && below(10) == 0 ? "*" : "");
    }
    return made;
  }
  api::SearchRequest request() {
    api::SearchRequest made = words(query());
    made.match_all = below(5) == 0;
    made.order = static_cast<api::SearchOrder>(below(3));
    made.limit = static_cast<std::int64_t>(1 + below(30));
    return made;
  }
  // Returns scores, order and counts: everything but sealed texts.
  static std::string told(const api::SearchPage& page) {
    std::string made = format("{} {} {}:", page.count.value_or(-1), page.count_exact, page.count_all_words.value_or(-1));
    for (const api::SearchHit& hit : page.hits) made += format(" {}={}", name_of(hit), hit.score);
    for (const api::SearchedWord& searched : page.searched_words) {
      made += format(" {}:{}", searched.word, searched.records);
      for (const std::string& near : searched.near) made += "~" + near;
    }
    return made;
  }

  std::mt19937 random_{20261117};
};

TEST_P(SearchProperties, TheEvidenceIsTheGrantedTextAtItsRange) {
  for (int i = 0; i < 80; ++i) put_mail(format("m{}", i), mail(), i % 3 ? "inbox" : "archive");
  const server::Access agent = client({"inbox", "messages", {"id", "subject", "body"}, {}, {}, {}});
  int proven = 0;
  for (int i = 0; i < 150; ++i) {
    const auto page = server().search(agent, request());
    if (!page) continue;  // a query without search terms
    for (const api::SearchHit& hit : page->hits) {
      EXPECT_FALSE(hit.windows.empty()) << name_of(hit);
      EXPECT_FALSE(hit.words.empty()) << "a hit matches a part of the query";
      expect_exact(agent, hit);
      for (const api::MatchWindow& window : hit.windows) {
        EXPECT_NE(window.field_path, "private");
        for (const api::MatchWindow::Range& range : window.matches) {
          EXPECT_LE(window.start_chars, range.start_chars);
          EXPECT_LT(range.start_chars, range.end_chars);
          EXPECT_LE(range.end_chars, window.end_chars);
          ++proven;
        }
      }
    }
  }
  EXPECT_GT(proven, 500);
}

TEST_P(SearchProperties, UngrantedDataChangesNothing) {
  for (int i = 0; i < 90; ++i) put_mail(format("m{:02}", i), mail());
  const std::optional<Instant> since = parse_time("2026-03-01T00:00:00Z"), until = parse_time("2026-09-01T00:00:00Z");
  const std::vector<server::Access> agents = {
      client({"inbox", "messages", {"id", "subject", "body", "sent_at"}, {}, {}, {}}),
      client({"inbox", "messages", {"id", "body", "sent_at"}, since, until, {}}),
      client({"inbox", "messages", {"id", "subject"}, {}, {}, {"m01", "m07", "m20", "m33"}})};
  std::vector<api::SearchRequest> asked;
  for (int i = 0; i < 60; ++i) asked.push_back(request());
  const auto answers = [&] {
    std::vector<std::string> all;
    for (const server::Access& agent : agents) {
      for (const api::SearchRequest& one : asked) {
        const auto page = server().search(agent, one);
        all.push_back(page ? told(*page) : std::string(page.error().wire()));
      }
    }
    return all;
  };
  const std::vector<std::string> before = answers();
  for (int i = 0; i < 60; ++i) put_mail(format("other{}", i), mail(), "archive");
  for (int i = 0; i < 40; ++i) put_chat(format("c{}", i), text(12));
  EXPECT_EQ(answers(), before) << "ungranted connections";
  for (int i = 0; i < 40; ++i) {
    Mail outside = mail();
    outside.sent_at = "2026-12-24T00:00:00Z";
    put_mail(format("late{}", i), outside);
  }
  const std::vector<std::string> after = answers();
  EXPECT_TRUE(std::equal(after.begin() + 60, after.end(), before.begin() + 60)) << "outside the time range and the list";
}

// Each spelling is searched by itself; those that find something are near.
TEST_P(SearchProperties, NearWordsAreSpellingsThatASearchFinds) {
  put_mail("m1", {.subject = "plum", .body = "a plumb line and a slum", .hidden = "plume"});
  put_mail("m2", {.subject = "lamp", .body = "plums, plump plumes"});
  put_mail("m3", {.subject = "plus", .body = "pluma"}, "archive");
  put_mail("m4", {.subject = "alum", .body = "plug " + std::string(9'000, 'x') + " prune"});
  const server::Access agent = client({"inbox", "messages", {"id", "body"}, {}, {}, {}});
  for (const std::string misspelt : {"plumn", "plu"}) {
    Ids wanted;
    const auto ask = [&](const std::string& spelling) {
      if (spelling != misspelt && !find(agent, "\"" + spelling + "\"").empty()) wanted.push_back(spelling);
    };
    std::set<std::string> spellings;
    for (std::size_t at = 0; at <= misspelt.size() && misspelt.size() >= 4; ++at) {
      for (char letter = 'a'; letter <= 'z'; ++letter) {
        spellings.insert(misspelt.substr(0, at) + letter + misspelt.substr(at));
        if (at < misspelt.size()) spellings.insert(misspelt.substr(0, at) + letter + misspelt.substr(at + 1));
      }
      if (at < misspelt.size()) spellings.insert(misspelt.substr(0, at) + misspelt.substr(at + 1));
    }
    for (const std::string& spelling : spellings) ask(spelling);
    const api::SearchPage page = must(server().search(agent, words("\"" + misspelt + "\"")));
    ASSERT_EQ(page.searched_words.size(), 1U) << misspelt;
    EXPECT_EQ(sorted(page.searched_words[0].near), sorted(wanted)) << misspelt;
  }
}

TEST_P(SearchProperties, JoinedPagesEqualTheList) {
  for (int i = 0; i < 120; ++i) put_mail(format("m{}", i), mail(), i % 4 ? "inbox" : "archive");
  for (int i = 0; i < 40; ++i) {
    api::SearchRequest one = request();
    if (!server().search(owner(), one)) continue;
    const Ids joined = walk(owner(), one);
    one.limit = 100;
    const Ids list = walk(owner(), one);
    EXPECT_EQ(joined, list) << one.q;
    EXPECT_EQ(std::set<std::string>(list.begin(), list.end()).size(), list.size()) << one.q;
    EXPECT_EQ(std::ssize(list), must(server().search(owner(), one)).count) << one.q;
  }
}

LADDER_FOR_EVERY_ENGINE(SearchProperties);

}  // namespace
}  // namespace ladder
