// Shared by the search tests: searches by their words, walks through every page, and windows checked by reading them
// again.
#pragma once

#include "support/mail_fixture.h"

#include <algorithm>
#include <string>
#include <vector>

namespace ladder {

using Ids = std::vector<std::string>;

class SearchSuite : public test_support::MailFixture {
 protected:
  static api::SearchRequest words(std::string q) {
    api::SearchRequest request;
    request.q = std::move(q);
    return request;
  }
  static std::string name_of(const api::SearchHit& hit) {
    return hit.ref.connection_id + "/" + hit.ref.stream + ":" + hit.ref.record_id;
  }
  static Ids names(const api::SearchPage& page) {
    Ids found;
    for (const api::SearchHit& hit : page.hits) found.push_back(name_of(hit));
    return found;
  }
  static Ids sorted(Ids ids) {
    std::ranges::sort(ids);
    return ids;
  }
  Ids find(const server::Access& access, const api::SearchRequest& request) {
    return names(test_support::must(server().search().find(access, request)));
  }
  Ids find(const server::Access& access, std::string q) { return find(access, words(std::move(q))); }

  // Returns the hits of every page, each once.
  Ids walk(const server::Access& access, api::SearchRequest request) {
    Ids ids;
    for (int pages = 0; pages < 1'000; ++pages) {
      const api::SearchPage page = test_support::must(server().search().find(access, request));
      for (const api::SearchHit& hit : page.hits) ids.push_back(name_of(hit));
      EXPECT_EQ(page.has_more, !page.next_cursor.empty());
      if (!page.has_more) return ids;
      request.cursor = page.next_cursor;
    }
    ADD_FAILURE() << "the search does not end";
    return ids;
  }
  std::string refusal(const server::Access& access, const api::SearchRequest& request) {
    const auto page = server().search().find(access, request);
    return page ? std::string("fine") : std::string(page.error().wire()) + " " + page.error().param;
  }

  // Each window and its matches equal those of field-window for its range.
  void expect_exact(const server::Access& access, const api::SearchHit& hit) {
    for (const api::MatchWindow& window : hit.windows) {
      const auto read = test_support::must(server().windows().read(
          access,
          {hit.ref, window.field_path, test_support::at_offset(window.start_chars, window.end_chars - window.start_chars)}));
      EXPECT_EQ(read.text, window.text);
      EXPECT_EQ(read.size_chars, window.size_chars);
      EXPECT_EQ(read.complete(), window.complete);
      EXPECT_FALSE(window.matches.empty());
    }
  }
  std::string match_text(const server::Access& access, const api::SearchHit& hit, std::size_t window, std::size_t match) {
    const auto& range = hit.windows.at(window).matches.at(match);
    return test_support::must(
               server().windows().read(access, {hit.ref, hit.windows[window].field_path,
                                                test_support::at_offset(range.start_chars, range.end_chars - range.start_chars)}))
        .text;
  }
};

}  // namespace ladder
