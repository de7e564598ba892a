// Imports of formats without a generator of exports that are killed: importing again gives the same as one clean run.
#include "importing.h"

#include "base/text/format.h"

#include <csignal>

namespace ladder::import_tests {
namespace {

constexpr int kRecords = 3'000;

// A text that makes the import take long enough, and that compression does not shorten much.
std::string filler(int number) {
  std::string text;
  for (unsigned state = 7U * static_cast<unsigned>(number) + 1; text.size() < 1'500;) {
    state = state * 1'664'525U + 1'013'904'223U;
    text += format("w{} ", state >> 12);
  }
  return text;
}

struct Export {
  std::string name, file;
  std::string before, after;
  std::string (*record)(int number);
};

const std::vector<Export> kExports = {
    {"telegram", "result.json", R"({"name":"Nora","type":"personal_chat","id":1,"messages":[)", "]}",
     [](int i) {
       return format(
           R"({}{{"id":{},"type":"message","date_unixtime":"{}","from":"Nora","from_id":"user1","text":"{}","text_entities":[]}})",
           i == 0 ? "" : ",", i, 1'700'000'000 + i, filler(i));
     }},
    {"meta", "messages/inbox/nora_1/message_1.json", R"({"participants":[{"name":"Nora"}],"messages":[)", R"(],"title":"Nora"})",
     [](int i) {
       return format(R"({}{{"sender_name":"Nora","timestamp_ms":{},"content":"{}"}})", i == 0 ? "" : ",", 1'700'000'000'000 + i,
                     filler(i));
     }},
    {"evernote", "Home.enex", R"(<?xml version="1.0"?><en-export>)", "</en-export>",
     [](int i) {
       return format(
           "<note><title>Note "
           "{}</title><created>20240101T000000Z</created><content><![CDATA[<en-note>{}</en-note>]]></content></note>",
           i, filler(i));
     }},
    {"google", "Takeout/My Activity/Search/MyActivity.json", "[", "]",
     [](int i) {
       return format(
           R"({}{{"header":"Search","title":"Searched for {}","time":"2024-01-01T00:00:{:02}.{:03}Z","products":["Search"]}})",
           i == 0 ? "" : ",", filler(i), i / 1000, i % 1000);
     }},
    {"google", "Takeout/My Activity/Search/MyActivity.html", "<html><body>", "</body></html>",
     [](int i) {
       return format(
           R"(<div class="outer-cell"><div class="header-cell"><p>Search<br></p></div><div class="content-cell">Searched for {}<br>Mar 8, 2018, 5:{:02}:{:02} PM UTC</div></div>)",
           filler(i), i / 60, i % 60);
     }},
    {"posts", "posts/your_posts_1.json", "[", "]",
     [](int i) {
       return format(R"({}{{"timestamp":{},"data":[{{"post":"{}"}}]}})", i == 0 ? "" : ",", 1'700'000'000 + i, filler(i));
     }},
    {"notion", "Home 00000000000000000000000000000001.csv", "Name,Notes\n", "",
     [](int i) { return format("Row {},{}\n", i, filler(i)); }},
    {"calendar", "Home.ics", "BEGIN:VCALENDAR\nX-WR-CALNAME:Home\n", "END:VCALENDAR\n",
     [](int i) {
       // Few events with many occurrences.
       return i % 100 != 0 ? std::string()
                           : format(
                                 "BEGIN:VEVENT\nUID:{}\nSUMMARY:Meeting\nDESCRIPTION:{}\nDTSTART:20240101T090000Z\nRRULE:FREQ="
                                 "DAILY;COUNT=100\n"
                                 "END:VEVENT\n",
                                 i, filler(i));
     }},
    {"statements", "account.qif", "!Type:Bank\n", "",
     [](int i) { return format("D2024-01-{:02}\nT-{}.50\nPShop {}\nM{}\n^\n", i % 28 + 1, i, i, filler(i).substr(0, 400)); }},
    {"tracks", "points.gpx", R"(<gpx xmlns="http://www.topografix.com/GPX/1/1">)", "</gpx>",
     [](int i) { return format(R"(<wpt lat="1.{}" lon="2.5"><name>Place {}</name><desc>{}</desc></wpt>)", i, i, filler(i)); }},
    {"health", "apple_health_export/export.xml", "<HealthData>", "</HealthData>",
     [](int i) {
       return format(
           R"(<Record type="HKQuantityTypeIdentifierStepCount" sourceName="{}" unit="count" value="{}" startDate="2024-06-05 13:45:22 -0700" endDate="2024-06-05 13:46:22 -0700"/>)",
           filler(i).substr(0, 300), i);
     }},
};

class KilledFormat : public ::testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(, KilledFormat, ::testing::Range<std::size_t>(0, kExports.size()),
                         [](const auto& number) { return format("{}_{}", kExports[number.param].name, number.param); });

std::string digest_of(const Importer& owner) {
  const boost::json::value listed = owner.json({"connection", "list"});
  EXPECT_EQ(listed.at("connections").as_array().size(), 1U);
  const std::string connection = text_at(listed, "/connections/0/connection_id");
  const boost::json::value shown = owner.json({"connection", "show", connection});
  std::string all;
  for (const auto& stream : shown.at("streams").as_array()) {
    const std::string name(stream.at("name").as_string());
    all += name + " " + owner.digest(connection, name) + "\n";
  }
  return all;
}

TEST_P(KilledFormat, AndImportedAgainEqualsOneRun) {
  const Export& kind = kExports[GetParam()];
  const Importer clean;
  std::string text = kind.before;
  for (int i = 0; i < kRecords; ++i) text += kind.record(i);
  const fs::path file = clean.file("export") / kind.file;
  save(file, text + kind.after);
  const std::vector<std::string> words = {clean.file("export").string(), "--as", kind.name};
  const Outcome whole = clean.import(words);
  EXPECT_EQ(whole.exit_code, 0) << whole.summary().substr(0, 2000);
  const std::int64_t read = total(whole, "read");
  EXPECT_GE(read, kRecords) << whole.summary().substr(0, 2000);
  const std::string digest = digest_of(clean);
  const std::string connection = text_at(clean.json({"connection", "list"}), "/connections/0/connection_id");
  Importer owner;
  Progress progress(owner);
  std::vector<std::string> command = {"import"};
  command.insert(command.end(), words.begin(), words.end());
  e2e::Process process(owner.surroundings(), command);
  wait_until([&] { return progress.records(connection) >= read / 3; });
  process.signal(SIGKILL);
  process.wait();
  const Outcome rest = owner.import(words);
  EXPECT_EQ(rest.exit_code, 0) << rest.summary().substr(0, 2000);
  EXPECT_EQ(total(rest, "read"), read) << rest.summary().substr(0, 2000);
  EXPECT_EQ(digest_of(owner), digest);
}

}  // namespace
}  // namespace ladder::import_tests
