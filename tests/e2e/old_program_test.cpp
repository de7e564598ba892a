// Stores that programs of earlier schemas filled (tests/data/stores): brought up to date by the Ladder of today, in one go or in
// several that were killed, they answer every record, window, search and grant as the program that filled them did.
#include "base/text/bytes.h"
#include "base/text/format.h"
#include "base/text/utf8.h"
#include "crypto/hash.h"
#include "owner.h"
#include "store/postgres/engine/connection.h"
#include "store/postgres/engine/migrations.h"
#include "store/upgrade.h"
#include "support/must.h"

#include <zlib.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

namespace ladder::e2e {
namespace {

namespace fs = std::filesystem;
using boost::json::array;
using boost::json::object;
using boost::json::value;

constexpr std::int64_t kToldChars = 1'000;  // of a longer text the digest is kept

const fs::path& stores() {
  static const fs::path folder = fs::path(LADDER_SOURCE_DIR) / "tests/data/stores";
  return folder;
}

std::string unpacked(const fs::path& path) {
  std::string bytes;
  const gzFile file = ::gzopen(path.c_str(), "rb");
  if (file == nullptr) throw std::runtime_error("cannot open " + path.native());
  std::array<char, 65'536> buffer{};
  for (int count = 0; (count = ::gzread(file, buffer.data(), buffer.size())) > 0;)
    bytes.append(buffer.data(), static_cast<std::size_t>(count));
  ::gzclose(file);
  return bytes;
}

value read_json(const fs::path& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return boost::json::parse(text.str());
}

std::string sha256_hex(std::string_view bytes) { return to_hex(crypto::view(crypto::sha256(bytes))); }

value told(const value& member) {
  const auto* text = member.if_string();
  if (text == nullptr || utf8::count(std::string_view(*text)) <= kToldChars) return member;
  return value("sha256:" + sha256_hex(std::string_view(*text)));
}

object picked(const value& from, std::initializer_list<const char*> names) {
  object out;
  for (const char* name : names) out[name] = from.at(name);
  return out;
}

// As facts() of tests/data/stores/make.
object facts(const value& answer) {
  const object& all = answer.as_object();
  if (all.contains("error")) return {{"error", all.at("error").at("code")}};
  if (all.contains("window")) return picked(all.at("window"), {"text", "total_chars", "start_chars"});
  array list;
  if (all.contains("grants")) {
    for (const value& one : all.at("grants").as_array()) list.push_back(picked(one, {"grant_id", "status", "grant"}));
    return {{"grants", list}};
  }
  if (all.contains("tokens")) {
    for (const value& one : all.at("tokens").as_array()) list.push_back(picked(one, {"token_id", "status"}));
    return {{"tokens", list}};
  }
  if (all.contains("connections")) {
    for (const value& one : all.at("connections").as_array()) list.push_back(picked(one, {"connection_id", "status", "streams"}));
    return {{"connections", list}};
  }
  if (all.at("url") == "/v1/search") {
    std::vector<std::string> hits;
    for (const value& hit : all.at("data").as_array()) {
      hits.push_back(format("{}/{}:{}", std::string_view(hit.at("connection_id").as_string()),
                            std::string_view(hit.at("stream").as_string()), std::string_view(hit.at("record_key").as_string())));
    }
    std::ranges::sort(hits);
    for (const std::string& hit : hits) list.emplace_back(hit);
    return {{"hits", list}};
  }
  for (const value& one : all.at("data").as_array()) {
    object record = picked(one, {"id", "connection_id", "emitted_at"});
    object data;
    for (const auto& [name, member] : one.at("data").as_object()) data[name] = told(member);
    record["data"] = data;
    list.push_back(record);
  }
  return {{"records", list}};
}

std::vector<std::string> exported_blobs(const Owner& owner) {
  const fs::path folder = owner.file("exported");
  owner.done({"export", folder.native()});
  std::vector<std::string> digests;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file() || entry.path().native().find("/blobs/") == std::string::npos) continue;
    std::stringstream bytes;
    bytes << std::ifstream(entry.path(), std::ios::binary).rdbuf();
    digests.push_back(sha256_hex(bytes.str()));
  }
  std::ranges::sort(digests);
  return digests;
}

// The names of the stores that have a file with this end.
std::vector<std::string> names(std::string_view end) {
  std::vector<std::string> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(stores())) {
    const std::string file = entry.path().filename();
    if (file.ends_with(end)) found.push_back(file.substr(0, file.size() - end.size()));
  }
  std::ranges::sort(found);
  return found;
}

enum class Access : std::uint8_t { kAsBefore, kEnded };  // of grants and tokens

// Asks as the program that filled a store was asked.
void expect_answers_of(const std::string& name, const Owner& there, Access access = Access::kAsBefore) {
  const value kept = read_json(stores() / (name + ".json"));
  EXPECT_GT(kept.at("answers").as_array().size(), 15U);
  for (const value& one : kept.at("answers").as_array()) {
    std::vector<std::string> words;
    for (const value& word : one.at("words").as_array()) words.emplace_back(word.as_string());
    words.emplace_back("--json");
    const Outcome now = there.ladder(words);
    if (access == Access::kEnded && std::ranges::find(words, "--token") != words.end()) {
      EXPECT_EQ(now.exit_code, 77) << ::testing::PrintToString(words) << now.told();
    } else if (access == Access::kAsBefore || (words[0] != "grant" && words[0] != "token")) {
      EXPECT_EQ(now.exit_code, one.at("exit_code").as_int64()) << ::testing::PrintToString(words) << now.told();
      EXPECT_EQ(boost::json::serialize(facts(now.json())), boost::json::serialize(one.at("facts")))
          << ::testing::PrintToString(words);
    }
  }
  std::vector<std::string> blobs;
  for (const value& digest : kept.at("blobs").as_array()) blobs.emplace_back(digest.as_string());
  EXPECT_EQ(exported_blobs(there), blobs);
  const Outcome doctor = there.ladder({"doctor", "--full"});
  EXPECT_EQ(doctor.exit_code, 0) << doctor.told();
}

std::string engine_of(const std::string& name) { return name.substr(0, name.find('-')); }

// A copy of a store.
class OldStore : public Owner {
 public:
  explicit OldStore(const std::string& name) : Owner(engine_of(name)) {
    if (place().database()) {
      place().run(unpacked(stores() / (name + ".sql.gz")));
      return;
    }
    std::ofstream(place().location(), std::ios::binary) << unpacked(stores() / (name + ".db.gz"));
    fs::permissions(place().location(), fs::perms::owner_read | fs::perms::owner_write);
  }

  store::UpgradePlan plan() const { return test_support::must(store::plan_upgrade(place().location())); }
};

class OldProgram : public ::testing::TestWithParam<std::string> {};
std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::ranges::replace(name, '-', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(, OldProgram, ::testing::ValuesIn(names(".json")), test_name);

TEST_P(OldProgram, ItsStoreAnswersTheSameOnceItIsUpToDate) {
  const OldStore there(GetParam());
  const store::UpgradePlan before = there.plan();
  EXPECT_TRUE(GetParam().ends_with(format("-{}", before.from))) << before.from;
  const Outcome refused = there.ladder({"records", "letters"});
  EXPECT_EQ(refused.exit_code, 78) << "it is not changed unasked: " << refused.told();
  const Outcome shown = there.done({"init"});
  EXPECT_NE(shown.err.find(format("from schema {} to {}", before.from, before.to)), std::string::npos) << shown.told();
  for (const store::UpgradeStep& step : before.steps)
    EXPECT_NE(shown.err.find(format("  {}: {}; {}\n", step.schema, step.what, step.wait)), std::string::npos) << shown.told();
  EXPECT_FALSE(there.plan().anything()) << "nothing is left to do";

  expect_answers_of(GetParam(), there);
  // It is a store like any other now.
  there.done({"ingest", "--connection", "home", "--stream", "log"},
             "{\"key\":\"new\",\"data\":{\"id\":\"new\",\"text\":\"of today\"}}\n");
  EXPECT_EQ(text_at(there.json({"read", "home/log:new", "text"}), "/window/text"), "of today");
}

// Each kill finds the store as the one before left it, and comes later in the run: before, within and between the steps.
TEST_P(OldProgram, AnUpgradeThatIsKilledGoesOnWhereItStopped) {
  using Clock = std::chrono::steady_clock;
  constexpr int kKills = 12;
  const OldStore undisturbed(GetParam());
  const auto start = Clock::now();
  undisturbed.done({"init"});
  const Clock::duration whole = Clock::now() - start;

  OldStore there(GetParam());
  std::string schemas;  // after each kill
  for (int kill = 1; kill <= kKills; ++kill) {
    Process upgrade(there.surroundings(), {"init"});
    std::this_thread::sleep_for(whole * kill / kKills);
    upgrade.signal(SIGKILL);
    upgrade.wait();
    schemas += format(" {}", there.plan().from);
  }
  SCOPED_TRACE("schemas after the kills:" + schemas);
  there.done({"init"});
  EXPECT_FALSE(there.plan().anything());
  expect_answers_of(GetParam(), there);
}

class OldBackup : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(, OldBackup, ::testing::ValuesIn(names(".backup.tar.gz")), test_name);

TEST_P(OldBackup, IsRestoredAndBroughtUpToDate) {
  const Owner there(engine_of(GetParam()));
  if (there.place().database()) {  // a restoration was cut off here while it made the tables
    const auto address = test_support::must(store::postgres::Address::parse(there.place().location()));
    test_support::must(store::postgres::make_empty_store(*test_support::must(store::postgres::Connection::open(address)), 3));
  }
  const fs::path archive = stores() / (GetParam() + ".backup.tar.gz");
  ASSERT_EQ(std::system(format("tar -C '{}' -xzf '{}'", there.place().folder().path().native(), archive.native()).c_str()), 0);
  const std::string backup = there.file("backup");
  there.done({"backup", "verify", backup});
  there.done({"restore", backup});
  EXPECT_EQ(there.ladder({"records", "letters"}).exit_code, 78) << "it has the schema that it had";
  there.done({"init"});
  expect_answers_of(GetParam(), there, Access::kEnded);
}

TEST_P(OldBackup, AStoreInTheWayOfOneKeepsItsSchema) {
  const OldStore there(GetParam());
  const std::int64_t schema = there.plan().from;
  const Owner today(engine_of(GetParam()));
  today.set_up();
  const std::string backup = there.file("backup_of_today");
  today.done({"backup", backup});
  const Outcome refused = there.ladder({"restore", backup});
  EXPECT_EQ(refused.exit_code, 1) << refused.told();
  EXPECT_EQ(there.plan().from, schema);
}

// A new schema comes with a store that the program of the one before filled.
TEST(OldPrograms, OfEverySchemaHaveAStoreHere) {
  constexpr int kFirst = 2;  // old_store_test.cpp has one of schema 1
  const std::vector<std::string> there = names(".json");
  for (const std::string engine : {"sqlite", "postgres"}) {
    for (int schema = kFirst; schema < store::postgres::kSchemaVersion; ++schema) {
      EXPECT_TRUE(std::ranges::binary_search(there, format("{}-{}", engine, schema)))
          << "tests/data/stores has no store of schema " << schema << ": its README says how to make one";
    }
  }
}

}  // namespace
}  // namespace ladder::e2e
