// Exports made by hand, in the form that each service writes.
#include "import/formats/flat/flat.h"

#include "import/formats/flat/flat_plan.h"
#include "import/formats/flat/flat_value.h"
#include "import/testing/reading.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

namespace ladder::imports {
namespace {

using testing::CollectingSink;
using testing::Files;
using testing::member;

const Format& named(std::string_view name) {
  const auto formats = flat_formats();
  return **std::ranges::find(formats, name, &Format::name);
}

std::map<std::string, Files> samples() {
  return {
      {"spotify",
       {{"MyData/Streaming_History_Audio_2023_1.json",
         R"([{"ts":"2023-08-01T10:11:12Z","platform":"android","ms_played":182000,"conn_country":"NO","ip_addr":"10.0.0.1",
              "master_metadata_track_name":"Sunrise","master_metadata_album_artist_name":"Nora","master_metadata_album_album_name":"Days",
              "spotify_track_uri":"spotify:track:1","episode_name":null,"skipped":false,"shuffle":true,"reason_start":"clickrow"},
             {"ts":"2023-08-01T11:00:00Z","platform":"android","ms_played":5,"spotify_track_uri":null,
              "episode_name":"Tides","episode_show_name":"Sea Talk","spotify_episode_uri":"spotify:episode:2","skipped":null}])"},
        {"StreamingHistory_music_0.json",
         R"([{"endTime":"2024-05-06 18:43","artistName":"Nora","trackName":"Sunset","msPlayed":1000},
             {"endTime":"2024-05-06 18:43","artistName":"Nora","trackName":"Sunset","msPlayed":1000}])"},
        {"SearchQueries.json", R"([{"platform":"IPHONE","searchTime":"2024-05-06T18:40:00.123Z[UTC]","searchQuery":"sun"}])"}}},
      {"netflix",
       {{"CONTENT_INTERACTION/ViewingActivity.csv",
         "Profile Name,Start Time,Duration,Attributes,Title,Supplemental Video Type,Device Type,Bookmark,Latest "
         "Bookmark,Country\n"
         "Ada,2022-10-17 23:42:00,00:42:10,,\"Tides: Season 1: Ebb (Episode 1)\",,TV,00:42:10,00:42:10,NO (Norway)\n"
         "Ada,2022-10-17 23:40:00,00:00:10,,Tides (Trailer),TRAILER,TV,00:00:10,Not latest view,NO (Norway)\n"},
        {"NetflixViewingHistory.csv", "Title,Date\n\"Tides: Ebb\",6/19/25\n\"Tides: Flow\",6/2/25\n"},
        {"CONTENT_INTERACTION/Ratings.csv",
         "Profile Name,Title Name,Rating Type,Star Value,Thumbs Value,Device Model,Event Utc Ts,Region View Date\n"
         "Ada,Tides,thumb,,2,TV,2023-01-02 10:00:00,\n"},
        {"CONTENT_INTERACTION/SearchHistory.csv",
         "Profile Name,Country Iso Code,Device,Is Kids,Query Typed,Displayed Name,Action,Section,Utc Timestamp\n"
         "Ada,NO,TV,0,tid,Tides,play,,2023-01-02 09:59:00\n"}}},
      {"linkedin",
       {{"Connections.csv",
         "Notes:\n\"When exporting your connection data, you may notice\nthat some addresses are missing.\"\n\n"
         "First Name,Last Name,URL,Email Address,Company,Position,Connected On\n"
         "Nora,Berg,https://www.linkedin.com/in/nora,,Sea AS,Engineer,05 Jun 2024\n"
         "Ola,Dahl,https://www.linkedin.com/in/ola,ola@example.org,,,17 Dec 2019\n"},
        {"messages.csv",
         "CONVERSATION ID,CONVERSATION TITLE,FROM,SENDER PROFILE URL,TO,RECIPIENT PROFILE "
         "URLS,DATE,SUBJECT,CONTENT,FOLDER,ATTACHMENTS\n"
         "c1,,Nora Berg,https://x,Ada,https://y,2024-10-26 11:43:11 UTC,Tides,\"Hello &amp; welcome\nsecond line\",INBOX,\n"},
        {"Shares.csv",
         "Date,ShareLink,ShareCommentary,SharedUrl,MediaUrl,Visibility\n2024-01-02 10:11:12,https://l/1,Look at this,,,\n"},
        {"Comments.csv", "Date,Link,Message\n2024-01-03 10:11:12,https://l/1,Nice\n"},
        {"Reactions.csv", "Date,Type,Link\n2024-01-04 10:11:12,LIKE,https://l/1\n"},
        {"Invitations.csv",
         "From,To,Sent At,Message,Direction,inviterProfileUrl,inviteeProfileUrl\nNora,Ada,\"10/26/24, 11:43 "
         "AM\",Hi,INCOMING,a,b\n"}}},
      {"reddit",
       {{"posts.csv",
         "id,permalink,date,ip,subreddit,gildings,title,url,body\n"
         "1ab,https://r/1ab,2023-04-22 10:11:12 UTC,10.0.0.1,sea,0,Tides &amp; waves,https://x,\"When is\nhigh tide?\"\n"},
        {"comments.csv",
         "id,permalink,date,ip,subreddit,gildings,link,parent,body,media\n"
         "c1,https://r/c1,2023-04-23 10:11:12 UTC,,sea,0,https://r/1ab,,At noon,\n"},
        {"messages.csv",
         "id,permalink,thread_id,date,ip,from,to,subject,body\nm1,https://r/m1,t1,2023-05-01 10:00:00 UTC,,ola,ada,Hi,Hello\n"},
        {"chat_history.csv",
         "message_id,created_at,updated_at,username,message,thread_parent_message_id,channel_url,subreddit,channel_name,"
         "conversation_type\n"
         "x1,2023-05-02 10:00:00 UTC,,ola,See you,,u1,,Harbor,direct\n"},
        {"post_votes.csv", "id,permalink,direction\n1ab,https://r/1ab,up\n"},
        {"saved_posts.csv", "id,permalink\n1ab,https://r/1ab\n"}}},
      {"x",
       {{"data/tweets.js",
         R"(window.YTD.tweets.part0 = [
  {"tweet":{"id_str":"1050118621198921728","full_text":"Tides &amp; waves\nhttps://t.co/a","created_at":"Wed Oct 10 20:19:24 +0000 2018",
   "in_reply_to_screen_name":"ola","favorite_count":"3","retweet_count":"1","lang":"en",
   "entities":{"urls":[{"expanded_url":"https://example.org/tides"}],"hashtags":[{"text":"sea"},{"text":"moon"}]}}}
 ])"},
        {"tweet.js",
         R"(window.YTD.tweet.part0 = [{"id_str":"20","full_text":"old form","created_at":"Tue Mar 21 20:50:14 +0000 2006"}];)"},
        {"data/note-tweet.js",
         R"(window.YTD.note_tweet.part0 = [{"noteTweet":{"noteTweetId":"5","createdAt":"2024-01-02T10:00:00.000Z","core":{"text":"A long post"}}}])"},
        {"data/like.js", R"(window.YTD.like.part0 = [{"like":{"tweetId":"9","fullText":"Liked","expandedUrl":"https://x/9"}}])"},
        {"data/direct-messages.js",
         R"(window.YTD.direct_messages.part0 = [{"dmConversation":{"conversationId":"1-2","messages":[
            {"messageCreate":{"id":"m1","senderId":"1","recipientId":"2","text":"Hello","createdAt":"2021-05-06T07:08:09.123Z"}},
            {"joinConversation":{}},
            {"messageCreate":{"id":"m2","senderId":"2","recipientId":"1","text":"Hi","createdAt":"2021-05-06T07:09:09.123Z"}}]}}])"},
        {"data/follower.js", R"(window.YTD.follower.part0 = [{"follower":{"accountId":"77","userLink":"https://x/77"}}])"},
        {"data/following.js", R"(window.YTD.following.part0 = [{"following":{"accountId":"77","userLink":"https://x/77"}}])"}}},
      {"discord",
       {{"Messages/c123456789012345678/channel.json",
         R"({"id":"123456789012345678","type":0,"name":"harbor","guild":{"id":"9","name":"Sea"}})"},
        {"Messages/c123456789012345678/messages.json",
         R"([{"ID":111,"Timestamp":"2024-03-01 10:11:12","Contents":"When is high tide?","Attachments":""}])"},
        {"messages/c223456789012345678/messages.csv",
         "ID,Timestamp,Contents,Attachments\n222,2020-11-30 23:30:03.690000+00:00,Hello,\n"},
        {"Sea - harbor.json",
         R"({"guild":{"id":"9","name":"Sea"},"channel":{"id":"12","type":"GuildTextChat","name":"harbor"},"dateRange":{"after":null,"before":null},
             "messages":[{"id":"333","type":"Reply","timestamp":"2024-03-01T12:00:00.5+02:00","timestampEdited":null,"content":"At noon",
               "author":{"id":"5","name":"ola","nickname":"Ola","isBot":false},"attachments":[{"url":"a/b.png","fileName":"b.png"}],
               "reference":{"messageId":"111"}}],"messageCount":1})"}}},
      {"github",
       {{"issues_000001.json",
         R"([{"type":"issue","url":"https://github.com/ada/sea/issues/1","repository":"https://github.com/ada/sea",
            "user":"https://github.com/ola","title":"Tide is wrong","body":"It is **late**","created_at":"2024-01-02T03:04:05Z","closed_at":null}])"},
        {"pull_requests_000001.json",
         R"([{"url":"https://github.com/ada/sea/pull/2","repository":"https://github.com/ada/sea","user":null,
            "title":"Fix the tide","body":"","created_at":"2024-01-03T03:04:05Z","merged_at":"2024-01-04T03:04:05Z"}])"},
        {"issue_comments_000001.json",
         R"([{"url":"https://github.com/ada/sea/issues/1#issuecomment-1","issue":"https://github.com/ada/sea/issues/1",
            "user":"https://github.com/ada","body":"Thanks","created_at":"2024-01-02T04:04:05Z"}])"},
        {"repositories_000001.json",
         R"([{"url":"https://github.com/ada/sea","name":"sea","description":"Tides","private":true,"created_at":"2023-01-02T03:04:05Z"}])"}}},
      {"youtube",
       {{"Takeout/YouTube und YouTube Music/Verlauf/Wiedergabeverlauf.json",
         R"([{"header":"YouTube","title":"Watched Tides","titleUrl":"https://www.youtube.com/watch?v=1","subtitles":[{"name":"Sea","url":"https://y/c"}],
              "time":"2024-05-06T07:08:09.123Z","products":["YouTube"],"activityControls":["YouTube watch history"]},
             {"header":"YouTube","title":"Searched for tides","titleUrl":"https://www.youtube.com/results?search_query=tides","time":"2024-05-06T07:07:09Z","products":["YouTube"]},
             {"header":"YouTube","title":"Watched a video that has been removed","time":"2024-05-06T07:06:09Z","products":["YouTube"]}])"},
        {"Takeout/YouTube and YouTube Music/comments/comments.csv",
         "Comment ID,Channel ID,Comment Create Timestamp,Price,Parent Comment ID,Video ID,Comment Text\n"
         "k1,c1,2023-01-02T03:04:05.678Z,0,,v1,\"{\"\"text\"\":\"\"Nice \"\"},{\"\"text\"\":\"\"tides\"\"}\"\n"},
        {"Takeout/YouTube and YouTube Music/subscriptions/subscriptions.csv",
         "Channel Id,Channel Url,Channel Title\nUC1,http://y/UC1,Sea\n"}}},
      {"bank",
       {{"account-statement.csv",
         "Type,Product,Started Date,Completed Date,Description,Amount,Fee,Currency,State,Balance\n"
         "CARD_PAYMENT,Current,2024-01-02 10:11:12,2024-01-03 08:00:00,Bakery,-3.50,0.00,EUR,COMPLETED,96.50\n"
         "CARD_PAYMENT,Current,2024-01-02 10:11:12,2024-01-03 08:00:00,Bakery,-3.50,0.00,EUR,COMPLETED,93.00\n"},
        {"umsaetze.csv",
         "\xEF\xBB\xBF\"Girokonto\";\"DE00 1234\"\n\"Kontostand vom 05.01.2024:\";\"1.234,56 \xE2\x82\xAC\"\n\"\"\n"
         "\"Buchungsdatum\";\"Wertstellung\";\"Status\";\"Zahlungspflichtige*r\";\"Zahlungsempf\xC3\xA4nger*in\";"
         "\"Verwendungszweck\";\"Umsatztyp\";\"IBAN\";\"Betrag (\xE2\x82\xAC)\"\n"
         "\"04.01.24\";\"05.01.24\";\"Gebucht\";\"Ada\";\"Havn AS\";\"Liegeplatz\";\"Ausgang\";\"DE00\";\"-1.234,56\"\n"},
        {"sparkasse.CSV",
         "\"Auftragskonto\";\"Buchungstag\";\"Valutadatum\";\"Buchungstext\";\"Verwendungszweck\";\"Beguenstigter/"
         "Zahlungspflichtiger\";\"Kontonummer/IBAN\";\"Betrag\";\"Waehrung\";\"Info\"\n"
         "\"DE11\";\"02.01.24\";\"02.01.24\";\"GUTSCHRIFT\";\"Lohn\";\"Havn AS\";\"DE22\";\"2.000,00\";\"EUR\";\"Umsatz "
         "gebucht\"\n"},
        {"chase.csv",
         "Transaction Date,Post Date,Description,Category,Type,Amount,Memo\n01/02/2024,01/03/2024,BAKERY,Food,Sale,-3.50,\n"}}},
  };
}

TEST(FlatFormats, ReadTheExportsOfTheirServices) {
  ASSERT_EQ(flat_formats().size(), samples().size());
  for (const auto& [name, files] : samples()) {
    const CollectingSink sink = testing::read_files(named(name), files);
    EXPECT_FALSE(sink.records.empty()) << name;
    for (const auto& loss : sink.losses) ADD_FAILURE() << name << ": " << loss.place.file << ": " << loss.reason;
  }
}

TEST(FlatFormats, NoTwoClaimTheSameFile) {
  for (const auto& [name, files] : samples()) {
    for (const Format* other : flat_formats()) {
      testing::MemoryTree tree(files);
      const bool may = other->name() == name;
      EXPECT_TRUE(may || other->detect(tree, {}).empty()) << other->name() << " claims a file of " << name;
    }
  }
}

// A read from any checkpoint gives the rest, and reading again the same records.
TEST(FlatFormats, ContinueAfterAKill) {
  for (const auto& [name, files] : samples()) {
    // Many copies of each row force checkpoints inside files.
    Files many = files;
    if (name == "bank") {
      std::string& rows = many.at("account-statement.csv");
      const std::string row = rows.substr(rows.rfind("CARD"));
      for (int i = 0; i < 1200; ++i) rows += row;
    }
    const CollectingSink all = testing::read_files(named(name), many);
    testing::MemoryTree tree(many);
    for (const Unit& unit : named(name).detect(tree, {})) {
      CollectingSink whole;
      ASSERT_TRUE(named(name).read(tree, unit, {}, "", whole));
      const bool is_long = name == "bank" && unit.account == "Revolut";
      EXPECT_TRUE(!is_long || whole.checkpoints.size() >= 2U);
      for (const auto& [position, before] : whole.checkpoints) {
        CollectingSink rest;
        ASSERT_TRUE(named(name).read(tree, unit, {}, position, rest));
        ASSERT_EQ(rest.records.size() + before, whole.records.size()) << name << " at " << position;
        for (std::size_t i = 0; i < rest.records.size(); ++i) EXPECT_EQ(rest.records[i].data, whole.records[before + i].data);
      }
    }
    EXPECT_EQ(testing::lines_of(all), testing::lines_of(testing::read_files(named(name), many)));
  }
}

TEST(FlatFormats, Spotify) {
  const CollectingSink sink = testing::read_files(named("spotify"), samples().at("spotify"));
  const auto plays = sink.of("plays");
  ASSERT_EQ(plays.size(), 4U);
  EXPECT_EQ(member(plays[0], "title"), "Sunrise");
  EXPECT_EQ(member(plays[0], "played_at"), "2023-08-01T10:11:12.000Z");
  EXPECT_EQ(member(plays[0], "ms_played"), "182000");
  EXPECT_EQ(plays[0].data.find("10.0.0.1"), std::string::npos) << "IP addresses are not imported";
  EXPECT_EQ(member(plays[1], "artist"), "Sea Talk");
  EXPECT_EQ(member(plays[1], "skipped"), "");
  EXPECT_EQ(member(plays[3], "id"), member(plays[2], "id") + "-2") << "equal rows are counted";
  EXPECT_EQ(member(testing::only(sink, "searches"), "query"), "sun");
}

TEST(FlatFormats, Netflix) {
  const CollectingSink sink = testing::read_files(named("netflix"), samples().at("netflix"));
  const auto views = sink.of("views");
  ASSERT_EQ(views.size(), 3U);
  EXPECT_EQ(member(views[0], "seconds"), "2530");
  EXPECT_EQ(sink.skips.at("views: a trailer or preview, not a viewing"), 1);
  EXPECT_EQ(member(views[1], "watched_at"), "2025-06-19T00:00:00.000Z") << "19 can only be a day";
  EXPECT_EQ(member(views[2], "watched_at"), "2025-06-02T00:00:00.000Z");
  EXPECT_EQ(member(testing::only(sink, "ratings"), "thumbs"), "2");
}

TEST(FlatFormats, AmbiguousDatesAreReported) {
  const CollectingSink sink =
      testing::read_files(named("netflix"), {{"NetflixViewingHistory.csv", "Title,Date\nTides,6/2/25\n"}});
  EXPECT_EQ(sink.skips.begin()->first,
            "views: day and month may be swapped in NetflixViewingHistory.csv: no date of it tells them apart");
  const CollectingSink other =
      testing::read_files(named("netflix"), {{"NetflixViewingHistory.csv", "Title,Date\nTides,19/6/25\nTides,1/2/25\n"}});
  EXPECT_EQ(member(other.records[1], "watched_at"), "2025-02-01T00:00:00.000Z");
}

TEST(FlatFormats, LinkedIn) {
  const CollectingSink sink = testing::read_files(named("linkedin"), samples().at("linkedin"));
  const auto people = sink.of("connections");
  ASSERT_EQ(people.size(), 2U) << "the preamble is no row";
  EXPECT_EQ(member(people[0], "name"), "Nora Berg");
  EXPECT_EQ(member(people[0], "connected_on"), "2024-06-05");
  EXPECT_EQ(member(testing::only(sink, "messages"), "text"), "Hello & welcome\nsecond line");
  std::map<std::string, std::string> posted;
  for (const auto& post : sink.of("posts")) posted[member(post, "kind")] = member(post, "posted_at");
  EXPECT_EQ(posted.at("invitation"), "2024-10-26T11:43:00.000Z");
  EXPECT_EQ(posted.size(), 4U);
}

TEST(FlatFormats, Reddit) {
  const CollectingSink sink = testing::read_files(named("reddit"), samples().at("reddit"));
  EXPECT_EQ(sink.of("posts").size(), 2U);
  EXPECT_EQ(sink.of("messages").size(), 2U);
  EXPECT_EQ(sink.of("marks").size(), 2U);
  const auto posts = sink.of("posts");
  const auto post = std::ranges::find_if(posts, [](const auto& one) { return member(one, "kind") == "post"; });
  EXPECT_EQ(member(*post, "title"), "Tides & waves");
  EXPECT_EQ(member(*post, "text"), "When is\nhigh tide?");
}

TEST(FlatFormats, X) {
  const CollectingSink sink = testing::read_files(named("x"), samples().at("x"));
  const auto posts = sink.of("posts");
  ASSERT_EQ(posts.size(), 3U);
  const auto tweet = std::ranges::find_if(posts, [](const auto& one) { return member(one, "id") == "1050118621198921728"; });
  EXPECT_EQ(member(*tweet, "text"), "Tides & waves\nhttps://t.co/a");
  EXPECT_EQ(member(*tweet, "posted_at"), "2018-10-10T20:19:24.000Z");
  EXPECT_EQ(member(*tweet, "urls"), R"(["https://example.org/tides"])");
  EXPECT_EQ(member(*tweet, "hashtags"), R"(["sea","moon"])");
  EXPECT_EQ(member(*tweet, "likes"), "3");
  const auto messages = sink.of("messages");
  ASSERT_EQ(messages.size(), 2U);
  EXPECT_EQ(member(messages[1], "conversation_id"), "1-2");
  EXPECT_EQ(sink.of("accounts").size(), 2U);
}

TEST(FlatFormats, Discord) {
  const CollectingSink sink = testing::read_files(named("discord"), samples().at("discord"));
  std::map<std::string, testing::Collected> by_id;
  for (const auto& message : sink.of("messages")) by_id[member(message, "id")] = message;
  ASSERT_EQ(by_id.size(), 3U);
  EXPECT_EQ(member(by_id["111"], "channel"), "harbor");
  EXPECT_EQ(member(by_id["111"], "server"), "Sea");
  EXPECT_EQ(member(by_id["222"], "sent_at"), "2020-11-30T23:30:03.690Z");
  EXPECT_EQ(member(by_id["222"], "channel_id"), "c223456789012345678") << "without channel.json, the folder";
  EXPECT_EQ(member(by_id["333"], "author"), "Ola");
  EXPECT_EQ(member(by_id["333"], "sent_at"), "2024-03-01T10:00:00.500Z");
  EXPECT_EQ(member(by_id["333"], "reply_to"), "111");
}

TEST(FlatFormats, GitHubAndYouTube) {
  const CollectingSink github = testing::read_files(named("github"), samples().at("github"));
  EXPECT_EQ(github.of("posts").size(), 3U);
  EXPECT_EQ(member(testing::only(github, "repositories"), "private"), "true");
  const auto posts = github.of("posts");
  const auto issue = std::ranges::find_if(posts, [](const auto& one) { return member(one, "kind") == "issue"; });
  EXPECT_EQ(member(*issue, "author"), "ola");
  const CollectingSink youtube = testing::read_files(named("youtube"), samples().at("youtube"));
  const auto history = youtube.of("history");
  ASSERT_EQ(history.size(), 3U);
  EXPECT_EQ(member(history[0], "kind"), "watched");
  EXPECT_EQ(member(history[0], "channel"), "Sea");
  EXPECT_EQ(member(history[1], "kind"), "searched");
  EXPECT_EQ(member(history[2], "kind"), "");
  EXPECT_EQ(member(testing::only(youtube, "comments"), "text"), "Nice tides");
}

TEST(FlatFormats, Banks) {
  testing::MemoryTree tree(samples().at("bank"));
  std::set<std::string> accounts;
  for (const Unit& unit : named("bank").detect(tree, {})) accounts.insert(unit.account);
  EXPECT_EQ(accounts, (std::set<std::string>{"Chase", "DKB", "Revolut", "Sparkasse"})) << "each bank has its own connection";
  const CollectingSink sink = testing::read_files(named("bank"), samples().at("bank"));
  std::map<std::string, testing::Collected> by_bank;
  for (const auto& record : sink.records) by_bank[member(record, "bank")] = record;
  EXPECT_EQ(sink.records.size(), 5U);
  EXPECT_EQ(member(by_bank["DKB"], "amount"), "-1234.56");
  EXPECT_EQ(member(by_bank["DKB"], "booked_at"), "2024-01-04T00:00:00.000Z");
  EXPECT_EQ(member(by_bank["DKB"], "party"), "Ada \xE2\x86\x92 Havn AS");
  EXPECT_EQ(member(by_bank["Chase"], "booked_at"), "2024-01-03T00:00:00.000Z");
  EXPECT_EQ(member(by_bank["Sparkasse"], "amount"), "2000.00");
}

TEST(FlatFormats, TimesAreInTheZoneOfTheirColumn) {
  const CollectingSink sink = testing::read_files(
      named("bank"), {{"paypal.csv",
                       "Date,Time,TimeZone,Name,Gross,Net,Transaction ID\n"
                       "01/31/2024,23:30:00,PST,A,1,1,a\n06/30/2024,23:30:00,PDT,A,1,1,b\n01/31/2024,23:30:00,CET,A,1,1,c\n"
                       "06/30/2024,23:30:00,Europe/Berlin,A,1,1,d\n06/30/2024,23:30:00,GMT+05:30,A,1,1,e\n"
                       "06/30/2024,23:30:00,XYZ,A,1,1,f\n06/30/2024,23:30:00,,A,1,1,g\n"}});
  std::map<std::string, std::string> times;
  for (const auto& record : sink.records) times[member(record, "id")] = member(record, "booked_at");
  EXPECT_EQ(times, (std::map<std::string, std::string>{{"a", "2024-02-01T07:30:00.000Z"},
                                                       {"b", "2024-07-01T06:30:00.000Z"},
                                                       {"c", "2024-01-31T22:30:00.000Z"},
                                                       {"d", "2024-06-30T21:30:00.000Z"},
                                                       {"e", "2024-06-30T18:00:00.000Z"},
                                                       {"f", "2024-06-30T23:30:00.000Z"},
                                                       {"g", "2024-06-30T23:30:00.000Z"}}));
  ASSERT_EQ(sink.losses.size(), 1U);
  EXPECT_EQ(sink.losses[0].reason,
            "Date: 'XYZ' is no known time zone, so the time was read as UTC; the rest of the record was imported");
}

TEST(FlatFormats, ReportWhatCannotBeRead) {
  const CollectingSink sink = testing::read_files(
      named("reddit"),
      {{"posts.csv", "id,permalink,date,ip,subreddit,gildings,title,url,body\n1,p,yesterday,,s,0,Title,,\n,p,,,s,0,No id,,\n"}});
  ASSERT_EQ(sink.records.size(), 1U);
  EXPECT_EQ(member(sink.records[0], "title"), "Title");
  ASSERT_EQ(sink.losses.size(), 2U);
  EXPECT_EQ(sink.losses[0].reason, "Date: 'yesterday' is no date; the rest of the record was imported");
  EXPECT_EQ(sink.losses[1].reason, "a record without id");
}

TEST(FlatFormats, TheOwnersDeclarationComesFirst) {
  testing::MemoryTree tree(samples().at("netflix"));
  EXPECT_TRUE(named("netflix").detect(tree, {.manifest = "{}"}).empty());
  testing::MemoryTree renamed(Files{{"last year.csv", "Title,Date\nTides,6/19/25\n"}});
  EXPECT_TRUE(named("netflix").detect(renamed, {}).empty());
  EXPECT_EQ(named("netflix").detect(renamed, {.forced = true, .manifest = {}}).size(), 1U);
}

TEST(FlatDates, AreReadInTheFormsThatServicesWrite) {
  const std::map<std::string, std::string> forms = {{"2024-10-26 11:43:11 UTC", "2024-10-26T11:43:11.000Z"},
                                                    {"2020-11-30 23:30:03.690000+00:00", "2020-11-30T23:30:03.690Z"},
                                                    {"2024-05-06 18:43", "2024-05-06T18:43:00.000Z"},
                                                    {"2024-05-06T18:43:00+0200", "2024-05-06T16:43:00.000Z"},
                                                    {"Wed Oct 10 20:19:24 +0000 2018", "2018-10-10T20:19:24.000Z"},
                                                    {"05 Jun 2024", "2024-06-05T00:00:00.000Z"},
                                                    {"Jun 5, 2024, 1:45:12 PM", "2024-06-05T13:45:12.000Z"},
                                                    {"1717591512", "2024-06-05T12:45:12.000Z"},
                                                    {"1717591512000", "2024-06-05T12:45:12.000Z"},
                                                    {"05.06.2024", "2024-06-05T00:00:00.000Z"},
                                                    {"2024-06-05", "2024-06-05T00:00:00.000Z"}};
  for (const auto& [written, read] : forms) {
    const auto date = flat::read_date(written, "DMY");
    EXPECT_EQ(date ? format_time(*date) : "none", read) << written;
  }
  for (const std::string none : {"", "yesterday", "31 Feb 2024", "12", "99:99", "2024-13-01 10:00"})
    EXPECT_FALSE(flat::read_date(none, "DMY")) << none;
}

TEST(FlatPlans, MustBeComplete) {
  EXPECT_FALSE(make_flat_format("[]"));
  EXPECT_FALSE(make_flat_format("{}"));
  const auto wrong = make_flat_format(
      R"({"format":"a","levels":[{"id":"l"}],"streams":[{"name":"s","fields":[{"name":"t","title":"T","about":"x","level":"l"}]}],
    "files":[{"stream":"s","paths":["*"],"has":["x"],"id":"id","fields":{"other":"x"}}]})");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().message, "a: s has no field other");
}

}  // namespace
}  // namespace ladder::imports
