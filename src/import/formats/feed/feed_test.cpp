#include "import/testing/reading.h"

#include <gtest/gtest.h>

namespace ladder::imports {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

constexpr std::string_view kRss =
    R"(<?xml version="1.0"?><rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/" xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel><title>The  Daily
 Ladder</title><link>https://a.example</link><image><title>logo</title></image>
<item><title>Rungs &amp;amp; rails</title><link>https://a.example/1</link><guid isPermaLink="false">tag:1</guid>
<pubDate>Tue, 03 Jun 2003 09:39:21 GMT</pubDate><dc:creator>Ada</dc:creator><category>wood</category><category>wood</category>
<enclosure url="https://a.example/1.mp3" length="1" type="audio/mpeg"/>
<description>short</description><content:encoded><![CDATA[<p>A <b>long</b> text with a <a href="https://b.example/x">link</a>.</p><script>no()</script>]]></content:encoded></item>
<item><description>&lt;p&gt;Only a summary&lt;/p&gt;</description><link>https://a.example/2</link></item>
<item><pubDate>yesterday</pubDate></item>
</channel></rss>)";

constexpr std::string_view kAtom =
    R"(<feed xmlns="http://www.w3.org/2005/Atom"><title>Notes</title><author><name>Ben</name><email>b@b.example</email></author>
<entry><id>urn:1</id><title type="html">&lt;i&gt;One&lt;/i&gt; &amp;amp; all</title><link rel="self" href="https://c.example/self"/>
<link href="https://c.example/1"/><published>2026-02-03T04:05:06Z</published><updated>2026-02-04T04:05:06+01:00</updated>
<category term="t" label="Trips"/><content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>First &amp; <em>last</em></p><p>Second<br/>line</p></div></content></entry>
<entry><id>urn:2</id><title>a &lt; b</title><updated>2026-02-05T00:00:00Z</updated><author><name>Cleo</name></author><summary>plain &lt;text&gt;</summary></entry></feed>)";

TEST(Feed, RssEntriesHaveTextAuthorAndDate) {
  const Files files{{"daily.xml", std::string(kRss)}};
  const CollectingSink sink = read_files(feed_format(), files);
  const auto entries = sink.of("entries");
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(member(entries[0], "title"), "Rungs & rails");
  EXPECT_EQ(member(entries[0], "feed"), "The Daily Ladder");
  EXPECT_EQ(member(entries[0], "author"), "Ada");
  EXPECT_EQ(member(entries[0], "published_at"), "2003-06-03T09:39:21.000Z");
  EXPECT_EQ(member(entries[0], "text"), "A long text with a link.");
  EXPECT_EQ(member(entries[0], "links"), R"(["https://b.example/x"])");
  EXPECT_EQ(member(entries[0], "tags"), R"(["wood"])");
  EXPECT_EQ(member(entries[0], "files"), R"(["https://a.example/1.mp3"])");
  EXPECT_EQ(member(entries[0], "guid"), "tag:1");
  EXPECT_EQ(member(entries[1], "text"), "Only a summary");
  EXPECT_EQ(member(entries[1], "url"), "https://a.example/2");
  EXPECT_EQ(member(entries[1], "published_at"), "");
  EXPECT_EQ(sink.skips.size(), 1U);
  expect_resumable(feed_format(), files);
}

TEST(Feed, AtomEntriesHaveTextAuthorAndDate) {
  const Files files{{"notes.atom", std::string(kAtom)}};
  const CollectingSink sink = read_files(feed_format(), files);
  const auto entries = sink.of("entries");
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(member(entries[0], "title"), "One & all");
  EXPECT_EQ(member(entries[0], "url"), "https://c.example/1");
  EXPECT_EQ(member(entries[0], "author"), "Ben") << "of the feed";
  EXPECT_EQ(member(entries[0], "text"), "First & last\n\nSecond\nline");
  EXPECT_EQ(member(entries[0], "updated_at"), "2026-02-04T03:05:06.000Z");
  EXPECT_EQ(member(entries[0], "tags"), R"(["Trips"])");
  EXPECT_EQ(member(entries[1], "title"), "a < b");
  EXPECT_EQ(member(entries[1], "author"), "Cleo");
  EXPECT_EQ(member(entries[1], "text"), "plain <text>");
  EXPECT_EQ(member(entries[1], "published_at"), "2026-02-05T00:00:00.000Z");
  expect_resumable(feed_format(), files);
}

// The key of an entry is its guid, wherever it is in the feed and whatever else changes.
TEST(Feed, AnEntryKeepsItsId) {
  const auto id_of = [](const std::string& item) {
    const CollectingSink sink = read_files(feed_format(), {{"a.rss", "<rss><channel>" + item + "</channel></rss>"}});
    return member(only(sink, "entries"), "id");
  };
  const std::string first = id_of("<item><guid>g</guid><title>old</title></item>");
  EXPECT_EQ(id_of("<item><title>new</title><guid> g </guid><link>x</link></item>"), first);
  EXPECT_NE(id_of("<item><guid>h</guid><title>old</title></item>"), first);
  EXPECT_EQ(id_of("<item><link>x</link><title>old</title></item>"), id_of("<item><title>new</title><link>x</link></item>"));
}

TEST(Feed, ADamagedFeedGivesWhatIsBeforeTheDamage) {
  std::string cut(kRss);
  cut.resize(cut.find("Only a summary"));
  const CollectingSink sink = read_files(feed_format(), {{"daily.rss", cut}});
  EXPECT_EQ(sink.of("entries").size(), 1U);
  ASSERT_EQ(sink.losses.size(), 1U);
  EXPECT_TRUE(sink.losses[0].reason.starts_with("the rest of the feed: ")) << sink.losses[0].reason;
}

TEST(Feed, OtherXmlIsLeftAlone) {
  MemoryTree tree({{"a.xml", "<?xml version=\"1.0\"?><gpx></gpx>"}, {"b.html", std::string(kRss)}});
  EXPECT_TRUE(feed_format().detect(tree, {}).empty());
}

}  // namespace
}  // namespace ladder::imports
