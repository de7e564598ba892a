// Tests a full round trip: `ladder export`, then `ladder import` into an empty store of either engine.
#include "base/text/format.h"
#include "importing.h"
#include "json/writer.h"

#include <csignal>
#include <fstream>
#include <iterator>
#include <random>
#include <thread>

namespace ladder::import_tests {
namespace {

// A compound key, and a stream whose key is not in its data.
constexpr std::string_view kDeclaration = R"({"protocol_version":"0.1.0",
  "source":{"kind":"connector","id":"https://sources.example/ledger"},"declaration_version":"3",
  "publisher":{"id":"https://sources.example/"},"display":{"name":"Ledger"},
  "streams":[{"name":"entries","semantics":"mutable_state","primary_key":["book","line"],"cursor_field":"at",
    "consent_time_field":"at","selection":{"fields":true,"resources":true},
    "schema":{"type":"object","properties":{"book":{"type":"string"},"line":{"type":"integer"},"text":{"type":"string"},
      "raw":{"type":"string"},"parts":{},"at":{"type":"string","format":"date-time"}}},
    "query":{"search":{"lexical_fields":["text"]}}},
   {"name":"marks","semantics":"append_only","primary_key":["id"],"selection":{"fields":true,"resources":true},
    "schema":{"type":"object","properties":{"id":{"type":"string"},"mark":{"type":"string"}}}}]})";

std::string long_text(unsigned seed, std::size_t bytes) {
  std::mt19937 random(seed);
  std::string text;
  while (text.size() < bytes) text += format("Zeile {} äß \"q\" \\ \t🙂 ", random());
  return text;
}

std::string json_text(std::string_view text) {
  std::string out;
  json::append_string(out, text);
  return out;
}

std::string entry(std::string_view book, int line, std::string_view text, std::string_view more = "") {
  std::string out = format(R"({{"data":{{ "line":{},"book":)", line);
  json::append_string(out, book);
  out += R"(, "amount":12345678901234567890.10, "text":)";
  json::append_string(out, text);
  return out + std::string(more) + R"(,"at":"2026-03-01T10:00:00Z"},"emitted_at":"2026-03-02T00:00:00.5Z"})" + "\n";
}

using test_support::file_text;

// Returns what an export reports about its connections, streams and digests.
std::string summary(const Outcome& exported) {
  return exported.exit_code == 0 ? boost::json::serialize(exported.json().at("connections")) : exported.summary();
}

struct Way {
  std::string from, to;
};

class ThereAndBack : public ::testing::TestWithParam<Way> {
 protected:
  ThereAndBack() : owner(GetParam().from), other(GetParam().to) {
    owner.done({"source", "add", owner.write_file("ledger.json", kDeclaration), "--key", "books"});
    owner.done({"connection", "add", "books", "--id", "ledger one", "--name", "Hauptbuch – 2026"});
    owner.done({"connection", "add", "books", "--id", "empty"});
    std::string lines;
    for (int i = 0; i < 300; ++i) lines += entry(i % 2 == 0 ? "A/B" : "ö\"", i, format("short {}", i));
    lines += entry("A/B", 1000, long_text(1, 40'000), R"(,"parts":[)" + list_of_parts() + "]");
    lines += entry("plain", 1001, "x", R"(,"raw":)" + json_text(long_text(2, 5'000'000)));
    lines += entry("A/B", 1002, std::string("NUL \0 and \x7f", 11));
    owner.done({"ingest", "--connection", "ledger one", "--stream", "entries"}, lines);
    owner.done({"ingest", "--connection", "ledger one", "--stream", "entries"}, R"({"key":["A/B","2"],"op":"delete"})"
                                                                                "\n");
    owner.done({"ingest", "--connection", "ledger one", "--stream", "marks"},
               "{\"key\":\"only the key has it\",\"data\":{\"mark\":\"m\"}}\n{\"key\":\"17\",\"data\":{\"id\":\"17\"}}\n");
    demo::write_notes_export({owner.file("Vault"), 7, 40});
    EXPECT_EQ(owner.import({owner.file("Vault").string()}).exit_code, 0);
  }

  static std::string list_of_parts() {
    std::string list;
    for (int i = 0; i < 900; ++i) list += format("{}{{\"n\" : {}, \"t\":\"\\u00e9 part {}\"}}", i == 0 ? "" : " , ", i, i);
    return list;
  }

  Outcome write_export(const Importer& of, const std::string& name) const {
    return of.ladder({"export", (owner.file(name)).string(), "--json"});
  }

  Importer owner, other;
};
INSTANTIATE_TEST_SUITE_P(Ways, ThereAndBack, ::testing::Values(Way{"sqlite", "postgres"}, Way{"postgres", "sqlite"}),
                         [](const auto& way) { return way.param.from + "_to_" + way.param.to; });

TEST_P(ThereAndBack, IsLossless) {
  const Outcome first = write_export(owner, "out");
  ASSERT_EQ(first.exit_code, 0) << first.summary();
  EXPECT_EQ(number_at(first.json(), "/missing_blobs"), 0);
  EXPECT_GT(number_at(first.json(), "/blobs"), 0);
  EXPECT_FALSE(fs::exists(owner.file("out.partial")));
  EXPECT_EQ(fs::status(owner.file("out")).permissions() & (fs::perms::group_all | fs::perms::others_all), fs::perms::none);

  const Outcome in = other.import({owner.file("out").string()});
  ASSERT_EQ(in.exit_code, 0) << in.summary().substr(0, 3000);
  EXPECT_EQ(total(in, "added"), number_at(first.json(), "/records"));
  EXPECT_EQ(number_at(in.json(), "/runs/0/left_alone/files"), 0);

  const Outcome second = write_export(other, "again");
  EXPECT_EQ(summary(first), summary(second));
  for (const auto& blob : fs::directory_iterator(owner.file("out") / "blobs"))
    EXPECT_EQ(file_text(blob.path()), file_text(owner.file("again") / "blobs" / blob.path().filename()));

  // A reader must see the same data.
  EXPECT_EQ(owner.digest("ledger one", "entries"), other.digest("ledger one", "entries"));
  EXPECT_EQ(owner.digest("notes-vault", "attachments"), other.digest("notes-vault", "attachments"));
  const std::vector<std::string> window = {"read", "ledger one/entries:[\"plain\",\"1001\"]", "raw", "--offset", "1234567"};
  const boost::json::value here = owner.json(window), there = other.json(window);
  for (const char* part : {"/field/digest", "/window/text"}) EXPECT_EQ(text_at(here, part), text_at(there, part));
  EXPECT_EQ(text_at(here, "/field/digest"), crypto::digest_text(crypto::sha256(long_text(2, 5'000'000))));
  const boost::json::value shown = other.json({"connection", "show", "ledger one"});
  EXPECT_EQ(text_at(shown, "/display_name"), "Hauptbuch – 2026");
  EXPECT_EQ(text_at(shown, "/connector_key"), "books");
  EXPECT_EQ(other.ladder({"connection", "show", "empty"}).exit_code, 0);
  EXPECT_NE(other.ladder({"read", "ledger one/entries:[\"A/B\",\"2\"]", "text"}).exit_code, 0) << "it was deleted";

  // The data must be identical byte for byte: numbers are not rounded, nothing is reordered.
  const std::string lines = file_text(owner.file("out") / "connections/2-ledger-one/1-entries.ndjson");
  EXPECT_NE(lines.find(R"({"key":["A/B","0"],"emitted_at":"2026-03-02T00:00:00.5Z","data":{"line":0,"book":"A/B",)"
                       R"("amount":12345678901234567890.10,"text":"short 0","at":"2026-03-01T10:00:00Z"}})"
                       "\n"),
            std::string::npos)
      << lines.substr(0, 400);
  EXPECT_NE(lines.find("[" + list_of_parts() + "]"), std::string::npos);

  const Outcome twice = other.import({owner.file("out").string()});
  EXPECT_EQ(twice.exit_code, 0);
  EXPECT_EQ(total(twice, "added") + total(twice, "changed"), 0) << twice.summary().substr(0, 3000);
}

TEST(Export, DoesNotOverwriteFiles) {
  const Importer owner;
  imports::testing::save(owner.file("full/x"), "");
  EXPECT_EQ(owner.ladder({"export", owner.file("full").string(), "--json"}).error_code(), "conflict");
  EXPECT_TRUE(fs::exists(owner.file("full/x")));
  fs::create_directory(owner.file("empty"));
  EXPECT_EQ(owner.ladder({"export", owner.file("empty").string()}).exit_code, 0);
  EXPECT_TRUE(fs::exists(owner.file("empty/ladder-export.json")));
  EXPECT_EQ(owner.ladder({"export", owner.file("x").string(), "--connection", "nobody", "--json"}).error_code(),
            "connection_not_found");
  EXPECT_FALSE(fs::exists(owner.file("x")));
}

TEST(Export, ExportsTheRequestedConnections) {
  const Importer owner;
  owner.done({"source", "add", owner.write_file("ledger.json", kDeclaration), "--key", "books"});
  owner.done({"connection", "add", "books", "--id", "one"});
  owner.done({"connection", "add", "books", "--id", "two"});
  const boost::json::value out = owner.json({"export", owner.file("out").string(), "--connection", "two"});
  ASSERT_EQ(out.at("connections").as_array().size(), 1U);
  EXPECT_EQ(text_at(out, "/connections/0/connection_id"), "two");
}

TEST(Export, KilledExportLeavesNoOutput) {
  const Importer owner;
  owner.done({"source", "add", owner.write_file("ledger.json", kDeclaration), "--key", "books"});
  owner.done({"connection", "add", "books", "--id", "one"});
  std::string lines;
  for (int i = 0; i < 12; ++i) lines += entry("b", i, std::string(2'000'000, 'x'));
  owner.done({"ingest", "--connection", "one", "--stream", "entries"}, lines);
  const std::vector<std::string> words = {"export", owner.file("out").string()};
  const auto& surroundings = const_cast<Importer&>(owner).surroundings();
  for (int i = 0; i < 4; ++i) {
    if (i == 3) fs::remove_all(owner.file("out.partial"));  // its folders then show the progress of this run
    e2e::Process process(surroundings, words);
    while (!fs::exists(owner.file("out.partial/connections"))) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::this_thread::sleep_for(std::chrono::milliseconds(5 * i));
    process.signal(i == 3 ? SIGINT : SIGKILL);
    const Outcome outcome = process.wait();
    if (outcome.exit_code == 0) break;  // it finished before the signal
    EXPECT_FALSE(fs::exists(owner.file("out")));
    EXPECT_EQ(fs::exists(owner.file("out.partial")), i != 3) << "an export that is stopped cleans up";
    if (i == 0) {
      EXPECT_NE(owner.ladder({"import", owner.file("out.partial").string(), "--dry-run"}).exit_code, 0);
    }
  }
  fs::remove_all(owner.file("out"));
  EXPECT_EQ(owner.ladder(words).exit_code, 0);
  EXPECT_FALSE(fs::exists(owner.file("out.partial")));
}

TEST(Export, LaterChangesAreReported) {
  const Importer owner, other;
  owner.done({"source", "add", owner.write_file("ledger.json", kDeclaration), "--key", "books"});
  owner.done({"connection", "add", "books", "--id", "one"});
  demo::write_notes_export({owner.file("Vault"), 7, 10});
  owner.import({owner.file("Vault").string()});
  owner.done({"ingest", "--connection", "one", "--stream", "entries"}, entry("b", 1, "alpha") + entry("b", 2, "beta"));
  owner.done({"export", owner.file("out").string()});
  const fs::path file = owner.file("out/connections/2-one/1-entries.ndjson");
  std::string text = file_text(file);
  text.replace(text.find("alpha"), 5, "omega");
  imports::testing::save(file, text + "nonsense\n");
  const fs::path blob = fs::directory_iterator(owner.file("out/blobs"))->path();
  imports::testing::save(blob, "other bytes");
  const Outcome in = other.import({owner.file("out").string()});
  EXPECT_EQ(in.exit_code, 1);
  EXPECT_EQ(total(in, "lost"), 3) << in.summary();
  for (const char* told : {"its digest differs", "not a line of an export", "does not match the digest in its name"})
    EXPECT_NE(in.out.find(told), std::string::npos) << told;
  fs::remove(file);
  EXPECT_NE(other.import({owner.file("out").string()}).out.find("missing from the export"), std::string::npos);
}

}  // namespace
}  // namespace ladder::import_tests
