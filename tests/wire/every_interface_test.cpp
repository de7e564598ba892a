// Random reads through every interface of the real program: REST, MCP over HTTP, `ladder mcp`, and `ladder mcp` that
// reads from a server. The union of what each client was shown, found in its responses alone, equals the union in the
// ledger. 300 reads per interface; EVERY_INTERFACE_READS sets the total (the program would reject an unknown LADDER_
// variable).
#include "ladder_process.h"
#include "model/handle.h"
#include "rest_fixture.h"
#include "served_text.h"

#include "base/text/base64.h"

#include <cstdlib>
#include <functional>
#include <random>
#include <thread>

namespace ladder::wire {
namespace {

using server::ShownRanges;

constexpr int kShort = 12, kLong = 3;        // records shown whole, and shown only in windows
constexpr std::size_t kLongWords = 4'000;    // words of a long text
constexpr std::int64_t kReadChars = 20'000;  // windows stay below this offset: the rest is never read
constexpr std::size_t kBlobBytes = 60'000;
constexpr std::int64_t kReadBytes = 50'000;
constexpr std::string_view kPages = R"({"protocol_version":"0.1.0","declaration_version":"1",
  "source":{"kind":"connector","id":"https://sources.example/pages"},"publisher":{"id":"https://sources.example/"},
  "display":{"name":"Pages"},"streams":[{"name":"pages","semantics":"mutable_state","primary_key":["id"],
    "selection":{"fields":true,"resources":true},
    "schema":{"type":"object","required":["id"],"properties":{"id":{"type":"string"},
      "title":{"type":"string","x_pdpp_role":"primary-title"},"text":{"type":"string"},"hidden":{"type":"string"},
      "n":{"type":"integer"},"blob_ref":{"type":"object","required":["blob_id"],"properties":{"blob_id":{"type":"string"},
        "mime_type":{"type":"string"},"sha256":{"type":"string"},"size_bytes":{"type":"integer"}}}}},
    "query":{"search":{"lexical_fields":["title","text"]},"aggregations":{"count":true,"sum":["n"],"max":["n"]}}}]})";

// One client and one interface: how it calls, and what it was shown.
struct Channel {
  std::string client, token, named;  // `named`: the ledger's name for the interface
  // The client is `ladder mcp`: the server shows it whole records, and it passes on less.
  bool keeps_back = false;
  std::function<boost::json::value(std::string_view method, std::string_view params)> call = {};  // null: REST
  Shown shown = {};
  ShownRanges bytes = {};
  std::int64_t answers = 0;
};

class EveryInterface : public Rest {
 protected:
  EveryInterface() {
    must(server().sources().add(owner(), kPages, "pages"));
    must(server().sources().add_connection(owner(), "pages", "", "shelf"));
    for (std::uint32_t state = 7; blob_.size() < kBlobBytes;) {
      state = state * 1664525U + 1013904223U;
      const char byte = static_cast<char>(state >> 24);
      blob_.push_back(byte == '{' ? '}' : byte);  // a response that begins like this is parsed as JSON
    }
    const Answer stored = send("POST", "/v1/blobs", owner_token(), blob_, headers({{"Content-Type", "image/png"}}));
    blob_id_ = stored.string("/blob_id");
    std::string lines;
    for (int i = 0; i < kShort + kLong; ++i) {
      const std::string id = format("p{}", i);
      const std::size_t words = i < kShort ? static_cast<std::size_t>(20 + i * 3) : kLongWords;
      std::string members = text_member("title", texts_.make(id, "title", 4)) + "," +
                            text_member("text", texts_.make(id, "text", words)) + "," +
                            text_member("hidden", texts_.make(id, "hidden", 10)) + format(",\"n\":{}", i);
      if (i == 0) members += format(R"(,"blob_ref":{{"blob_id":"{}"}})", blob_id_);
      lines += test_support::record_line(id, members);
    }
    put_lines("pages", lines);
  }

  std::string token_of(const std::string& client) {
    server::GrantRequest request;
    request.client_id = client;
    request.streams = {{"shelf", "pages", {"id", "title", "text", "n", "blob_ref"}, {}, {}, {}}};
    return must(server().grants().create(owner(), request)).token;
  }
  std::size_t pick(std::size_t below) { return random_() % below; }
  std::string any_short() { return format("p{}", pick(kShort)); }
  std::string any_long() { return format("p{}", kShort + static_cast<int>(pick(kLong))); }
  // Returns a window of the readable part of a long text. No window is too short for a whole word.
  std::pair<std::int64_t, std::int64_t> any_window() {
    const auto start = static_cast<std::int64_t>(pick(kReadChars - 400));
    return {start, 15 + static_cast<std::int64_t>(pick(385))};
  }
  std::string any_word() { return texts_.word({any_short(), pick(3) == 0 ? "title" : "text"}, pick(1'000)); }

  void note(Channel& channel, const boost::json::value& answer) {
    texts_.look_at(answer, channel.shown);
    ++channel.answers;
  }
  void note_bytes(Channel& channel, std::int64_t first, std::string_view bytes) {
    ASSERT_EQ(bytes, std::string_view(blob_).substr(static_cast<std::size_t>(first), bytes.size()));
    add_range(channel.bytes, {first, first + std::ssize(bytes)});
    ++channel.answers;
  }

  void ask_rest(Channel& channel) {
    const std::string base = "/v1/streams/pages/";
    const auto [start, limit] = any_window();
    std::string target;
    switch (pick(9)) {
      case 0:
      case 1:
        target = format("{}records/{}/field-window?field=text&offset_chars={}&limit_chars={}", base, any_long(), start, limit);
        break;
      case 2: {
        const std::string id = any_long();
        target = format("{}records/{}/field-window?field=text&q={}&before_chars={}&after_chars=40", base, id,
                        texts_.word({id, "text"}, pick(2'000)), pick(60));
        break;
      }
      case 3:
        target = format("{}records/{}", base, any_short());
        break;
      case 4:
        target = format("{}records?limit={}&max_field_chars={}", base, 1 + pick(15), 40 + pick(2'000));
        break;
      case 5:
        target = format("{}records?changes_since=beginning&limit={}&max_field_chars=60&fields=id,text", base, 1 + pick(15));
        break;
      case 6:
        target = "/v1/search?q=" + any_word();
        break;
      case 7:
        target = base + (pick(2) == 0 ? "aggregate?metric=count" : "aggregate?metric=sum&field=n");
        break;
      default: {
        const auto first = static_cast<std::int64_t>(pick(kReadBytes - 5'000));
        const Answer part =
            get("/v1/blobs/" + blob_id_, channel.token,
                headers({{"Range", format("bytes={}-{}", first, first + 1 + static_cast<std::int64_t>(pick(4'000)))}}));
        ASSERT_EQ(part.status, 206) << part.text;
        note_bytes(channel, first, part.text);
        return;
      }
    }
    const Answer answer = get(target, channel.token);
    ASSERT_EQ(answer.status, 200) << target << answer.text;
    note(channel, answer.body);
  }

  void ask_mcp(Channel& channel) {
    const auto [start, limit] = any_window();
    const auto tool = [&](std::string_view name, const std::string& arguments) {
      const auto answer = channel.call("tools/call", format(R"("name":"{}","arguments":{})", name, arguments));
      const auto* result = answer.as_object().if_contains("result");
      ASSERT_TRUE(result && !result->as_object().contains("isError")) << boost::json::serialize(answer);
      note(channel, *result);
    };
    const auto resource = [&](const std::string& uri) -> boost::json::value {
      const auto answer = channel.call("resources/read", format(R"("uri":"{}")", uri));
      const auto* result = answer.as_object().if_contains("result");
      EXPECT_TRUE(result) << boost::json::serialize(answer);
      return result ? *result : boost::json::object{{"contents", boost::json::array()}};
    };
    switch (pick(9)) {
      case 0:
      case 1:
        return tool("read_record_field",
                    format(R"({{"id":"shelf/pages:{}","field_path":"text","offset_chars":{},"limit_chars":{}}})", any_long(),
                           start, limit));
      case 2: {
        const std::string id = any_long();
        return tool("read_record_field", format(R"({{"id":"shelf/pages:{}","field_path":"text","q":"{}","before_chars":30}})", id,
                                                texts_.word({id, "text"}, pick(2'000))));
      }
      case 3:
        return tool("fetch", format(R"({{"id":"shelf/pages:{}"}})", any_short()));
      case 4:
        return tool("query_records", format(R"({{"stream":"pages","limit":{}}})", 1 + pick(5)));
      case 5:
        return tool("search", format(R"({{"query":"{}"}})", any_word()));
      case 6:
        return tool("aggregate", R"({"stream":"pages","metric":"count"})");
      case 7: {
        const model::RecordRef record{"shelf", "pages", any_long()};
        const std::string handle = model::encode_field_window_handle({record, "text", test_support::at_offset(start, limit)});
        return note(channel, resource(std::string(model::kFieldWindowUriPrefix) + handle));
      }
      default: {
        const auto first = static_cast<std::int64_t>(pick(kReadBytes - 5'000));
        const std::string handle =
            model::encode_blob_handle({{"shelf", "pages", "p0"}, "blob_ref", first, 1 + static_cast<std::int64_t>(pick(4'000))});
        const auto answer = resource(std::string(model::kBlobUriPrefix) + handle);
        for (const auto& item : answer.at("contents").as_array()) {
          note_bytes(channel, first, must_decode(std::string_view(item.at("blob").as_string())));
        }
      }
    }
  }
  static std::string must_decode(std::string_view text) {
    const auto bytes = base64::decode(text);
    EXPECT_TRUE(bytes) << text.substr(0, 100);
    return bytes.value_or("");
  }

  // The ledger has recorded exactly this for the client, in the marked records.
  void expect_recorded(const Channel& channel) {
    Shown recorded;
    ShownRanges bytes;
    for (const auto& seen : must(server().ledger().seen(owner(), {channel.client, {}, {}, {}, 100, {}}))) {
      for (const server::ShownField& field : seen.shown.fields) {
        for (const server::ShownRange& range : field.ranges) {
          if (field.unit == server::Unit::kBytes) add_range(bytes, range);
          else add_range(recorded[{seen.shown.record.record_id, field.path}], range);
        }
      }
    }
    EXPECT_GT(channel.shown.size(), static_cast<std::size_t>(kShort)) << channel.client;
    EXPECT_EQ(texts_.only_in(channel.shown, recorded), std::vector<std::string>())
        << "shown and not recorded: " << channel.client;
    if (!channel.keeps_back) {
      EXPECT_EQ(texts_.only_in(recorded, channel.shown), std::vector<std::string>())
          << "recorded and not shown: " << channel.client;
    }
    EXPECT_EQ(channel.bytes, bytes) << channel.client;
    EXPECT_LE(length_of(bytes), kReadBytes);
    std::int64_t entries = 0;
    server::LedgerQuery query{channel.client, {}, {}, {}, 1'000, {}};
    do {
      const auto page = must(server().ledger().page(owner(), query));
      for (const auto& entry : page.entries) EXPECT_EQ(entry.transport, channel.named);
      entries += std::ssize(page.entries);
      query.cursor = page.next_cursor;
    } while (!query.cursor.empty());
    EXPECT_GE(entries, channel.answers) << "every answer has its entry: " << channel.client;
    RecordProperty(channel.client + "_answers", static_cast<int>(channel.answers));
    RecordProperty(channel.client + "_entries", static_cast<int>(entries));
    std::printf("%-8s %lld answers, %lld entries, %lld chars, %lld bytes\n", channel.client.c_str(),
                static_cast<long long>(channel.answers), static_cast<long long>(entries),
                static_cast<long long>(chars_of(recorded)), static_cast<long long>(length_of(bytes)));
  }
  static std::int64_t chars_of(const Shown& shown) {
    std::int64_t chars = 0;
    for (const auto& [place, ranges] : shown) chars += length_of(ranges);
    return chars;
  }

  MarkedTexts texts_;
  std::string blob_, blob_id_;
  std::mt19937 random_{17};
};

// A host that keeps `ladder mcp` running and calls it repeatedly.
std::function<boost::json::value(std::string_view, std::string_view)> over(e2e::Process& host) {
  return [&host](std::string_view method, std::string_view params) {
    host.write(format(R"({{"jsonrpc":"2.0","id":1,"method":"{}","params":{{{}}}}})", method, params) + "\n");
    const auto line = host.read_line();
    EXPECT_TRUE(line) << "no reply came";
    return boost::json::parse(line.value_or("{}"));
  };
}

TEST_P(EveryInterface, TheLedgerEqualsWhatWasShown) {
  const char* const wanted = std::getenv("EVERY_INTERFACE_READS");
  const int reads = (wanted ? std::atoi(wanted) : 1'200) / 4;
  std::vector<Channel> channels = {{"rest", token_of("rest"), "rest", false},
                                   {"http", token_of("http"), "mcp", false},
                                   {"stdio", token_of("stdio"), "stdio", false},
                                   {"remote", token_of("remote"), "rest", true}};
  channels[1].call = [&](std::string_view method, std::string_view params) {
    return send("POST", "/mcp", channels[1].token,
                format(R"({{"jsonrpc":"2.0","id":1,"method":"{}","params":{{{}}}}})", method, params),
                headers({{"Content-Type", "application/json"}, {"Accept", "application/json, text/event-stream"}}))
        .body;
  };
  const auto start = [&](const Channel& channel, const std::vector<std::string>& words) {
    e2e::Surroundings surroundings;
    surroundings.folder = place().folder() / channel.client;
    std::filesystem::create_directories(surroundings.folder);
    surroundings.environment = {{"LADDER_DB", place().location()}, {"LADDER_TOKEN", channel.token}};
    auto host = std::make_unique<e2e::Process>(surroundings, words);
    host->write(R"({"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},)"
                R"("clientInfo":{"name":"host","version":"1"}}})"
                "\n");
    EXPECT_TRUE(host->read_line());
    return host;
  };
  const auto local = start(channels[2], {"mcp"});
  const auto remote = start(channels[3], {"mcp", "--provider-url", format("http://127.0.0.1:{}", port())});
  const std::jthread log_reader([&](const std::stop_token& stop) {  // a full pipe would block the server
    while (!stop.stop_requested()) (void)log_line_with("a line that is not there");
  });
  channels[2].call = over(*local);
  channels[3].call = over(*remote);
  for (int i = 0; i < reads && !HasFailure(); ++i) {
    for (Channel& channel : channels) channel.call ? ask_mcp(channel) : ask_rest(channel);
  }
  for (const auto& host : {local.get(), remote.get()}) {
    host->close_input();
    EXPECT_EQ(host->wait().exit_code, 0);
  }
  end_serving();
  must(server().ledger().sweep());
  for (const Channel& channel : channels) expect_recorded(channel);
  EXPECT_EQ(must(server().ledger().check(owner())), std::vector<std::string>());
}

LADDER_FOR_EVERY_ENGINE(EveryInterface);

}  // namespace
}  // namespace ladder::wire
