// Search against a plain scan of the granted text: records in many scripts, a few hundred queries, every hit and no
// other; each window, read through field-window, is the text it claims and contains the words. Also a walk through all
// pages with a concurrent writer.
#include "support/plain_scan.h"
#include "support/server_fixture.h"
#include "text/word_query.h"

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <thread>

namespace ladder {
namespace {

using test_support::AskedTerm;
using test_support::must;
using test_support::plainly_in;
using test_support::plainly_matches;
using test_support::query_text;
using test_support::random_term;
using test_support::sentences;
using test_support::text_member;

std::string letters_declaration() {
  return R"({"protocol_version":"0.1.0","source":{"kind":"connector","id":"https://sources.example/letters"},
    "declaration_version":"1","publisher":{"id":"https://sources.example/"},"display":{"name":"Letters"},
    "streams":[{"name":"letters","semantics":"mutable_state","primary_key":["id"],"cursor_field":"at","consent_time_field":"at",
      "selection":{"fields":true,"resources":true},
      "query":{"search":{"lexical_fields":["subject","text","private"]}},
      "schema":{"type":"object","required":["id"],"properties":{"id":{"type":"string"},"subject":{"type":"string"},
        "text":{"type":"string"},"private":{"type":"string"},"at":{"type":"string","format":"date-time"}}}}]})";
}

class SearchCorpus : public test_support::ServerFixture {
 protected:
  SearchCorpus() {
    must(server().sources().add(owner(), letters_declaration(), "letters"));
    must(server().sources().add_connection(owner(), "letters", "", "desk"));
  }

  struct Letter {
    std::string subject, text, secret, at;
  };

  std::size_t one_of(std::size_t n) { return random_() % n; }
  std::string some_text(std::size_t most) {
    std::string text;
    for (std::size_t i = one_of(most + 1); i > 0; --i) text += sentences()[one_of(sentences().size())] + " ";
    return text;
  }

  void put(const std::string& id, const Letter& letter) {
    const std::string members = text_member("subject", letter.subject) + "," + text_member("text", letter.text) + "," +
                                text_member("private", letter.secret) + "," + text_member("at", letter.at);
    const server::IngestReport report = ingest(test_support::record_line(id, members), "desk", "letters");
    ASSERT_EQ(report.accepted, 1) << server::to_json(report);
  }

  // Returns every hit, page by page.
  std::vector<api::SearchHit> all_hits(const server::Access& access, const std::string& q, std::int64_t page_size) {
    std::vector<api::SearchHit> hits;
    api::SearchRequest request;
    request.q = q;
    request.match_all = true;
    request.limit = page_size;
    for (;;) {
      api::SearchPage page = must(server().search().find(access, request));
      EXPECT_TRUE(page.count_exact);
      EXPECT_TRUE(page.recall.complete);
      for (api::SearchHit& hit : page.hits) hits.push_back(std::move(hit));
      if (!page.has_more) {
        EXPECT_EQ(page.count, std::ssize(hits)) << q;
        return hits;
      }
      EXPECT_FALSE(page.next_cursor.empty());
      request.cursor = page.next_cursor;
    }
  }

  // The window equals field-window's text for its range, and its marked words are the words.
  void expect_proven(const server::Access& access, const api::SearchHit& hit, const std::vector<AskedTerm>& terms) {
    EXPECT_FALSE(hit.windows.empty()) << hit.ref.record_id;
    EXPECT_LE(hit.windows.size(), 3u);
    for (const api::MatchWindow& window : hit.windows) {
      const auto read = must(server().windows().read(
          access,
          {hit.ref, window.field_path,
           test_support::at_offset(window.start_chars, std::max<std::int64_t>(1, window.end_chars - window.start_chars))}));
      EXPECT_EQ(read.text, window.text);
      EXPECT_EQ(read.start_chars, window.start_chars);
      EXPECT_EQ(window.complete, read.complete());
      EXPECT_FALSE(window.matches.empty());
      for (const auto& range : window.matches) {
        ASSERT_GE(range.start_chars, window.start_chars);
        ASSERT_LE(range.end_chars, window.end_chars);
        const auto match = must(server().windows().read(
            access,
            {hit.ref, window.field_path, test_support::at_offset(range.start_chars, range.end_chars - range.start_chars)}));
        EXPECT_TRUE(std::ranges::any_of(terms, [&](const AskedTerm& term) {
          return !term.excluded && plainly_in(term, match.text);
        })) << match.text;
      }
    }
  }

  std::map<std::string, Letter> letters_;
  std::mt19937 random_{42};
};

LADDER_FOR_EVERY_ENGINE(SearchCorpus);

TEST_P(SearchCorpus, EqualsAPlainScanOfTheGrantedText) {
  for (int i = 0; i < 90; ++i) {
    const Letter letter{some_text(1), some_text(i % 9 == 0 ? 200 : 4), some_text(3),
                        format("2026-{:02}-{:02}T08:00:00Z", 1 + i % 12, 1 + i % 28)};
    put(format("l{}", i), letter);
    letters_[format("l{}", i)] = letter;
  }
  const server::Access some = client({"desk", "letters", {"subject", "text", "at"}, {}, {}, {}});
  const server::Access timed =
      client({"desk", "letters", {"text"}, *parse_time("2026-03-01T00:00:00Z"), *parse_time("2026-09-01T00:00:00Z"), {}});
  int found_some = 0;
  for (int i = 0; i < 320; ++i) {
    std::vector<AskedTerm> terms;
    for (std::size_t n = 1 + one_of(3); n > 0; --n) terms.push_back(random_term(random_, sentences()));
    for (std::size_t n = 1; n < terms.size(); ++n) terms[n].excluded = one_of(4) == 0;
    for (AskedTerm& term : terms) term.quoted = term.quoted || !term.prefix;  // a plain scan knows no other forms of a word
    const bool by_time = i % 4 == 3;
    const server::Access& access = by_time ? timed : some;
    std::set<std::string> wanted, found;
    for (const auto& [id, letter] : letters_) {
      if (by_time && (letter.at < "2026-03" || letter.at >= "2026-09")) continue;
      std::vector<std::string> texts{letter.text};
      if (!by_time) texts.push_back(letter.subject);
      if (plainly_matches(terms, texts)) wanted.insert(id);
    }
    for (const api::SearchHit& hit : all_hits(access, query_text(terms), 1 + static_cast<std::int64_t>(one_of(30)))) {
      EXPECT_TRUE(found.insert(hit.ref.record_id).second) << "twice: " << hit.ref.record_id;
      if (i % 4 == 0) expect_proven(access, hit, terms);
    }
    EXPECT_EQ(found, wanted) << query_text(terms);
    found_some += wanted.empty() ? 0 : 1;
    if (HasFailure()) return;
  }
  EXPECT_GT(found_some, 200);
}

TEST_P(SearchCorpus, AWalkSeesEveryRemainingMatchOnce) {
  for (int i = 0; i < 120; ++i) {
    put(format("stays{:03}", i), {"walk", i % 3 == 0 ? "walk walk" : "a walk in the park", "", "2026-05-01T08:00:00Z"});
    put(format("goes{:03}", i), {"walk", "away", "", "2026-05-02T08:00:00Z"});
  }
  const server::Access access = client({"desk", "letters", {}, {}, {}, {}});
  std::jthread writer([&](const std::stop_token& stop) {
    for (int i = 0; !stop.stop_requested(); ++i) {
      put(format("comes{:04}", i), {"walk", "walk walk walk", "", "2026-06-01T08:00:00Z"});
      put(format("goes{:03}", i % 120), {i % 2 == 0 ? "run" : "walk walk", "changed", "", "2026-05-03T08:00:00Z"});
      ingest(format("{{\"key\":\"goes{:03}\",\"op\":\"delete\",\"data\":{{}}}}\n", (i * 7) % 120), "desk", "letters");
    }
  });
  std::map<std::string, int> met;
  api::SearchRequest request;
  request.q = "walk";
  request.limit = 9;
  for (int pages = 0; pages < 2'000; ++pages) {
    const api::SearchPage page = must(server().search().find(access, request));
    for (const api::SearchHit& hit : page.hits) ++met[hit.ref.record_id];
    if (!page.has_more) break;
    request.cursor = page.next_cursor;
  }
  writer.request_stop();
  writer.join();
  for (int i = 0; i < 120; ++i) EXPECT_EQ(met[format("stays{:03}", i)], 1) << i;
}

}  // namespace
}  // namespace ladder
