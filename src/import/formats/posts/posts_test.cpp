#include "import/testing/reading.h"

#include <gtest/gtest.h>

namespace ladder::imports {
namespace {

using namespace testing;  // NOLINT(google-build-using-namespace)

const Files kFacebook = {
    {"facebook/your_facebook_activity/posts/your_posts__check_ins__photos_and_videos_1.json",
     R"([{"timestamp":1700000000,"title":"Ann posted a photo.","data":[{"post":"A caf\u00c3\u00a9 in Porto"},{"update_timestamp":1700000100}],
       "attachments":[{"data":[{"media":{"uri":"your_facebook_activity/posts/media/a.jpg","creation_timestamp":1699999999,"description":"the counter"}},
       {"external_context":{"name":"Menu","url":"https://example.org/menu"}},{"place":{"name":"Caf\u00c3\u00a9 Sol","address":"Rua 1"}}]}],
       "tags":[{"name":"Bob"}]},{"timestamp":1700000001,"data":[],"title":""}])"},
    {"facebook/your_facebook_activity/posts/media/a.jpg", "JPEG"},
    {"facebook/your_facebook_activity/comments_and_reactions/comments.json",
     R"({"comments_v2":[{"timestamp":1700000002,"title":"Ann commented on a post.","data":[{"comment":{"timestamp":1700000002,"comment":"Lovely!","author":"Ann","group":"Bakers"}}]}]})"},
    {"facebook/your_facebook_activity/posts/your_posts_2.json",
     R"([{"timestamp":1710000000,"label_values":[{"label":"Testo","value":"Ciao"},{"label":"URL","href":"https://example.org/x"}],"fbid":"1"}])"}};

TEST(Posts, FacebookAsJson) {
  const CollectingSink sink = read_files(posts_format(), kFacebook);
  ASSERT_EQ(sink.of("posts").size(), 3U);
  std::map<std::string, Collected> by_time;
  for (const Collected& each : sink.of("posts")) by_time[member(each, "at").substr(0, 19)] = each;
  const Collected& post = by_time["2023-11-14T22:13:20"];
  EXPECT_EQ(member(post, "text"), "A café in Porto\nthe counter\nMenu");
  EXPECT_EQ(member(post, "title"), "Ann posted a photo.");
  EXPECT_EQ(member(post, "place"), "Café Sol, Rua 1");
  EXPECT_EQ(member(post, "links") + member(post, "people"), R"(["https://example.org/menu"]["Bob"])");
  EXPECT_EQ(member(post, "edited_at"), "2023-11-14T22:15:00.000Z");
  EXPECT_EQ(member(only(sink, "files"), "name"), "a.jpg");
  const Collected& comment = by_time["2023-11-14T22:13:22"];
  EXPECT_EQ(member(comment, "kind") + " " + member(comment, "text") + " " + member(comment, "group"), "comment Lovely! Bakers");
  EXPECT_EQ(member(by_time["2024-03-09T16:00:00"], "text"), "Testo: Ciao");
  EXPECT_EQ(sink.skips.size(), 1U);
  expect_resumable(posts_format(), kFacebook);
}

TEST(Posts, InstagramAsJson) {
  const CollectingSink sink = read_files(
      posts_format(),
      {{"your_instagram_activity/media/posts_1.json",
        R"([{"media":[{"uri":"media/posts/b.jpg","creation_timestamp":1700000000,"title":""}],"title":"Two days in L\u00c3\u00bcbeck","creation_timestamp":1700000005},
          {"media":[{"uri":"media/posts/c.jpg","creation_timestamp":1700000001,"title":"Only one picture"}]}])"},
       {"your_instagram_activity/media/stories.json",
        R"({"ig_stories":[{"uri":"media/stories/d.mp4","creation_timestamp":1700000002,"title":"Sea"}]})"},
       {"media/posts/b.jpg", "JPEG"},
       {"your_instagram_activity/comments/post_comments_1.json",
        R"([{"media_list_data":[{"uri":""}],"string_map_data":{"Kommentar":{"value":"sch\u00c3\u00b6n"},"Zeit":{"timestamp":1700000003}}}])"}});
  std::multiset<std::string> texts;
  for (const Collected& each : sink.of("posts")) texts.insert(member(each, "kind") + ": " + member(each, "text"));
  EXPECT_EQ(texts, (std::multiset<std::string>{"post: Two days in Lübeck", "post: Only one picture", "story: Sea",
                                               "comment: Kommentar: schön"}));
  EXPECT_EQ(sink.of("files").size(), 1U);
}

TEST(Posts, FacebookAsHtml) {
  const std::string box =
      R"(<div class="pam _3-95 _2ph- _a6-g uiBoxWhite noborder"><div class="_2ph_ _a6-h _a6-i">Ann updated her status.</div>
      <div class="_2ph_ _a6-p"><div>Rain in Porto, <a href="https://example.org/">again</a></div><img src="posts/media/r.jpg" class="_a6_o"/></div>
      <div class="_3-94 _a6-o"><a href="https://www.facebook.com/dyi"><div class="_a72d">Jan 02, 2023 3:04:05 pm</div></a></div></div>)";
  const std::string other =
      R"(<div class="x _a6-g"><div class="_a6-p">Später</div><div class="_a6-o"><div class="_a72d">2. Jänner</div></div></div>)";
  const CollectingSink sink =
      read_files(posts_format(), {{"posts/your_posts_1.html", "<html><head><style>._a6-x{}</style></head><body>" + box + other},
                                  {"posts/media/r.jpg", "JPEG"}});
  const auto posts = sink.of("posts");
  ASSERT_EQ(posts.size(), 2U);
  EXPECT_EQ(member(posts[0], "title"), "Ann updated her status.");
  EXPECT_EQ(member(posts[0], "text"), "Rain in Porto, again");
  EXPECT_EQ(member(posts[0], "at"), "2023-01-02T15:04:05.000Z");
  EXPECT_EQ(member(posts[0], "file_names"), "r.jpg");
  EXPECT_EQ(member(posts[1], "at") + member(posts[1], "date_text"), "2. Jänner");
}

TEST(Posts, OtherFilesAreLeftAlone) {
  MemoryTree tree(
      Files{{"stories.json", R"(["once upon a time"])"}, {"comments.json", R"({"rows":[]})"}, {"comments.html", "<p>no"}});
  EXPECT_TRUE(posts_format().detect(tree, {}).empty());
}

}  // namespace
}  // namespace ladder::imports
