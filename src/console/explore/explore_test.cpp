#include "console/explore/explore.h"

#include <gtest/gtest.h>

namespace ladder::console {
namespace {

// A stream with a text, of one connection.
struct Example {
  explicit Example(std::string name, std::string role = "body") {
    view.name = std::move(name);
    api::FieldView& field = view.fields.emplace_back();
    field.name = "words";
    field.role = std::move(role);
    field.type = "string";
    field.granted = true;
    view.connections.emplace_back().connection_id = "mail";
    shown.stream = &view;
    shown.roles = api::roles_of(view);
    shown.look = look_of(view);
  }
  Example(const Example&) = delete;
  Example& operator=(const Example&) = delete;

  api::StreamView view;
  ShownStream shown;
};

TEST(ExploreQuery, TheAddressKeepsFiltersAndWords) {
  ExploreQuery query;
  query.q = "a&b";
  query.streams = {"messages", "notes"};
  query.since = "2026-01-02";
  EXPECT_EQ(query.address().text(), "/explore?q=a%26b&stream=messages&stream=notes&since=2026-01-02");
  EXPECT_TRUE(query.is_narrowed());
  query.streams.clear();
  query.since.clear();
  EXPECT_FALSE(query.is_narrowed()) << "words are not a filter";
}

TEST(ExploreQuery, TheLastDayIsIncluded) {
  ExploreQuery query;
  query.since = query.until = "2026-03-01";
  ASSERT_TRUE(query.since_time() && query.until_time());
  EXPECT_EQ(*query.until_time() - *query.since_time(), kDay);
  query.until = "yesterday";
  EXPECT_FALSE(query.until_time());
}

TEST(ExploreFilters, CompareConnectionAndStream) {
  const Example messages("messages");
  ExploreQuery query;
  EXPECT_TRUE(matches_filters(query, messages.shown));
  query.source = "mail";
  query.sources = {"mail"};
  EXPECT_TRUE(matches_filters(query, messages.shown));
  query.source = "chats";
  query.sources = {"chats"};
  EXPECT_FALSE(matches_filters(query, messages.shown));
  query.source.clear();
  query.streams = {"notes"};
  EXPECT_FALSE(matches_filters(query, messages.shown));
}

TEST(ExploreFilters, StreamsWithoutContentAreListedOnlyIfSelected) {
  const Example messages("messages"), folders("folders", "primary-title");
  ExploreQuery query;
  EXPECT_TRUE(is_listed(query, messages.shown));
  EXPECT_FALSE(is_listed(query, folders.shown));
  query.streams = {"folders"};
  EXPECT_TRUE(is_listed(query, folders.shown));
}

TEST(Viewer, ARangeIsShownInCharacters) { EXPECT_EQ(range_text(20, 177, 6'212), "20 to 177 of 6,212"); }

}  // namespace
}  // namespace ladder::console
