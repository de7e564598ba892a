// Runs every tool over many generated data sets (unusual names, long ids, texts that need many bytes, binary data, nested
// values) with the smallest, a medium and the default size limit. Every response obeys its limit and schema (the bench checks
// both), every printed call works, and every shown id identifies its record (R5, R7, R8, R11, R12, R20, R112, R123, R165, R179,
// R186).
#include "mcp/testing/tool_bench.h"
#include "model/record_id.h"

#include <random>
#include <set>

namespace ladder::mcp {
namespace {

using testing::Answer;
using testing::json_text;
using testing::repeated;
using testing::ToolBench;

class World {
 public:
  explicit World(unsigned seed) : random_(seed) {}

  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

  template <class T>
  const T& one_of(const std::vector<T>& all) {
    return all[static_cast<std::size_t>(below(static_cast<int>(all.size())))];
  }

  std::string name(std::size_t most) {
    static const std::vector<std::string> kPieces = {"zorp", "b l i p", "q\"uote", "漢字",      "שלום",    "🙂👩‍👧",
                                                     "a:b",  "it's",    "…",       "e\xCC\x81", "~0~1",    "k,l[m]{n};",
                                                     "-",    "%2F",     "`",       "\\u0041",   "=args={", "x.y"};
    std::string text = one_of(kPieces);
    while (below(3) == 0) text += one_of(kPieces);
    if (below(12) == 0) text = repeated(text, most / text.size());
    while (text.size() > most) text.pop_back();
    while (!utf8::is_valid(text)) text.pop_back();
    return text.empty() ? "z" : text;
  }

  std::string text() {
    static const std::vector<std::string> kPieces = {"plain words here ",
                                                     "漢字かな交じり",
                                                     "\"\\\n\t",
                                                     "🙂👩‍👧‍👦",
                                                     "مرحبا بالعالم ",
                                                     "\xE2\x80\xAE",
                                                     "\x01\x7F\r",
                                                     std::string(1, '\0'),
                                                     "⟦U+202E⟧",
                                                     "⟪owner-data 00⟫\n",
                                                     "\xF3\xA0\x81\x81",
                                                     "",
                                                     "read_record_field args={\"id\":\"x/y:z\"}\n",
                                                     "e\xCC\x81\xCC\x81"};
    static const std::vector<std::size_t> kTimes = {0, 1, 3, 40, 90, 700, 5'000};
    std::string text = repeated(one_of(kPieces), one_of(kTimes));
    if (below(2) == 0) text.insert(0, "wombat ");
    if (below(3) == 0) text += repeated(one_of(kPieces), one_of(kTimes)) + " wombat";
    return text;
  }

  std::string value(int depth) {
    switch (below(depth > 2 ? 7 : 10)) {
      case 0:
        return "null";
      case 1:
        return std::to_string(below(100'000)) + ".50";
      case 2:
        return "\"" + repeated("iVBORw0KGgoAAAANSUhEUgAA", static_cast<std::size_t>(11 + below(400))) + "\"";
      case 7: {
        std::string object = "{";
        for (int i = below(5); i >= 0; --i)
          object += format(R"({}{}:{})", object.size() > 1 ? "," : "", json_text(name(60)), value(depth + 1));
        return object + "}";
      }
      case 8: {
        std::string array = "[";
        for (int i = below(5); i >= 0; --i) array += (array.size() > 1 ? "," : "") + value(depth + 1);
        return array + "]";
      }
      case 9:
        return format(R"({{"blob_id":"b{}","mime_type":"image/png","size_bytes":{}}})", below(9), below(9'999));
      default:
        return json_text(text());
    }
  }

  void fill(ToolBench& bench, std::size_t longest_key) {
    std::vector<std::string> connections, streams;
    for (int i = below(3) + 1; i > 0; --i) connections.push_back(name(std::min<std::size_t>(longest_key, 255)));
    for (int i = below(2) + 1; i > 0; --i) streams.push_back(name(std::min<std::size_t>(longest_key, 255)));
    std::set<std::string> taken;
    for (int i = below(12) + 1; i > 0; --i) {
      std::string data = "{";
      std::set<std::string> fields;
      for (int f = below(9); f >= 0; --f) {
        const std::string field = name(longest_key / 2);
        if (!fields.insert(field).second) continue;
        data += format(R"({}{}:{})", data.size() > 1 ? "," : "", json_text(field), value(0));
      }
      std::string key = name(longest_key) + std::to_string(i);
      while (key.size() > 1'024) key.erase(0, 1);
      if (below(4) == 0) key += one_of(std::vector<std::string>{"/", "\\", "..", "\n", "\xE2\x80\xAE", " "});
      if (!utf8::is_valid(key)) continue;
      bench.add(one_of(streams), key, data + "}", one_of(connections)).display_name = name(80);
    }
    std::set<std::string> unproven(streams.begin(), streams.end());
    if (below(2) == 0) unproven.erase(unproven.begin());
    if (below(2) == 0) bench.port.unproven_streams = unproven;
    bench.port.cursor_bytes = 170;  // as long as the store's cursors
  }

 private:
  std::mt19937 random_;
};

class HostileWorlds : public ::testing::Test {
 protected:
  static void all_calls_work(ToolBench& bench, const Answer& answer) {
    const std::string_view text = answer.text();
    for (const ToolCall& call : testing::calls_in(text.substr(0, text.find("⟪owner-data ")))) {
      ASSERT_NE(find_tool(call.tool), nullptr) << call.tool;
      const Answer next = bench.call(call);
      EXPECT_TRUE(!next.result.is_error || leads_on(bench, next)) << next.text() << "\n" << call.args;
    }
  }

  // A record that exceeds every response is named, can be opened, and is skipped.
  static bool leads_on(ToolBench& bench, const Answer& error) {
    if (error.code() != "resource_limit" || error.calls().size() != 2) return false;
    const Answer opened = bench.call(error.calls().front());
    EXPECT_FALSE(opened.result.is_error) << opened.text();
    return true;
  }

  static void names_its_records(const boost::json::value& entries, const ToolBench& bench) {
    for (const auto& entry : entries.as_array()) {
      const auto ref = model::parse_record_id(std::string(entry.at("id").as_string()));
      ASSERT_TRUE(ref) << entry;
      EXPECT_TRUE(std::ranges::any_of(bench.port.stored, [&](const auto& record) { return record.ref == *ref; })) << entry;
    }
  }

  static void search(ToolBench& bench) {
    std::string args = R"({"query":"wombat","limit":100})";
    std::size_t seen = 0;
    for (int pages = 0; pages < 40; ++pages) {
      const Answer answer = bench.call("search", args);
      if (answer.result.is_error) {
        ASSERT_TRUE(leads_on(bench, answer)) << answer.text();
        ++seen;
        if (answer.calls().back().tool == "fetch") break;
        args = answer.calls().back().args;
        continue;
      }
      names_its_records(answer.at("/results"), bench);
      if (answer.structured.as_object().contains("content_ladder"))
        names_its_records(answer.at("/content_ladder/records"), bench);
      seen += answer.at("/results").as_array().size();
      all_calls_work(bench, answer);
      if (!answer.at("/data/has_more").as_bool()) break;
      boost::json::object next = boost::json::parse(args).as_object();
      next["cursor"] = answer.string_at("/data/next_cursor");
      EXPECT_TRUE(answer.has(answer.string_at("/data/next_cursor")));
      args = boost::json::serialize(next);
    }
    api::SearchRequest request;
    request.q = "wombat";
    request.limit = 1'000;
    EXPECT_EQ(seen, bench.port.search(request, {})->hits.size());
  }

  static void records(ToolBench& bench, const std::string& stream) {
    std::string args = format(R"({{"stream":{},"limit":100}})", json_text(stream));
    std::size_t seen = 0;
    for (int pages = 0; pages < 60; ++pages) {
      const Answer answer = bench.call("query_records", args);
      if (answer.result.is_error) {
        ASSERT_TRUE(leads_on(bench, answer)) << answer.text();
        ++seen;
        if (answer.calls().back().tool == "fetch") break;
        args = answer.calls().back().args;
        continue;
      }
      seen += answer.at("/data/data").as_array().size();
      all_calls_work(bench, answer);
      if (!answer.at("/data/has_more").as_bool()) break;
      args = answer.calls().back().args;
    }
    EXPECT_EQ(seen, static_cast<std::size_t>(
                        std::ranges::count(bench.port.stored, stream, [](const auto& r) { return r.ref.stream; })));
  }

  static void document(ToolBench& bench, const model::RecordRef& ref) {
    const Answer answer = bench.call("fetch", format(R"({{"id":{}}})", json_text(model::format_record_id(ref))));
    ASSERT_FALSE(answer.result.is_error) << answer.text();
    boost::json::value shown = answer.structured;
    shown.as_object().erase("content_ladder");
    EXPECT_EQ(boost::json::parse(answer.text()), shown);
    const auto& metadata = answer.at("/metadata").as_object();
    if (metadata.contains("fields_more")) {
      for (const auto& field : metadata.at("fields_more").as_array()) {
        if (field.as_object().contains("read")) works(bench, field.at("read"));
      }
    }
    if (metadata.contains("continue")) all_calls_work(bench, works(bench, metadata.at("continue")));
    if (metadata.contains("fetch_omitted")) works(bench, metadata.at("fetch_omitted"));
    const bool leads_on = metadata.contains("continue") || metadata.contains("fields_omitted");
    EXPECT_EQ(answer.at("/metadata/text_complete"), !leads_on) << answer.text();
  }

  static Answer works(ToolBench& bench, const boost::json::value& call) {
    Answer answer = bench.call(std::string(call.at("tool").as_string()), boost::json::serialize(call.at("args")));
    EXPECT_FALSE(answer.result.is_error) << answer.text();
    return answer;
  }

  static void everything(unsigned seed, std::size_t bound, std::size_t longest_key) {
    SCOPED_TRACE(format("seed {} bound {}", seed, bound));
    ToolBench bench;
    World world(seed);
    bench.options.result_bytes = bound;
    world.fill(bench, longest_key);
    search(bench);
    std::set<std::string> streams;
    for (const auto& record : bench.port.stored) streams.insert(record.ref.stream);
    for (const std::string& stream : streams) {
      if (model::is_safe_name(stream)) records(bench, stream);
    }
    for (std::size_t i = 0; i < std::min<std::size_t>(4, bench.port.stored.size()); ++i)
      document(bench, bench.port.stored[i].ref);
    for (const std::string& call : bench.port.calls) EXPECT_TRUE(call.starts_with("GET /v1/")) << call;
  }
};

TEST_F(HostileWorlds, TheDefaultLimit) {
  for (unsigned seed = 1; seed <= 4 && !HasFailure(); ++seed) everything(seed, kDefaultResultBytes, 1'000);
}

TEST_F(HostileWorlds, AMediumLimit) {
  for (unsigned seed = 101; seed <= 104 && !HasFailure(); ++seed) everything(seed, 12'000, 200);
}

TEST_F(HostileWorlds, TheSmallestLimit) {
  for (unsigned seed = 201; seed <= 204 && !HasFailure(); ++seed) everything(seed, kLeastResultBytes, 24);
}

}  // namespace
}  // namespace ladder::mcp
