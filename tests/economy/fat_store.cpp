#include "fat_store.h"

#include "base/text/base64.h"

#include <boost/json.hpp>

namespace ladder::economy {
namespace {

constexpr int kTexts = 200, kTextConnections = 9, kSources = 12, kStreamsASource = 20, kFields = 30, kMessages = 30;
constexpr std::size_t kMessageChars = 377;
constexpr std::size_t kBookChars = 1'000'000;
constexpr std::string_view kEnvelope =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}})";

std::string repeated(std::string_view piece, std::size_t times) {
  std::string text;
  for (std::size_t i = 0; i < times; ++i) text += piece;
  return text;
}

std::string source(std::string_view key, std::string_view streams) {
  return format(R"({{"protocol_version":"0.1.0","source":{{"kind":"connector","id":"https://sources.example/{0}"}},)"
                R"("declaration_version":"1","publisher":{{"id":"https://sources.example/"}},"display":{{"name":"Source {0}"}},)"
                R"("streams":[{1}]}})",
                key, streams);
}

std::string stream(std::string_view name, std::string_view properties, std::string_view query) {
  return format(R"({{"name":"{}","semantics":"mutable_state","primary_key":["id"],"cursor_field":"glimmed_at",)"
                R"("consent_time_field":"glimmed_at","selection":{{"fields":true,"resources":true}},)"
                R"("display":{{"label":"Label of {}"}},"schema":{{"type":"object","required":["id"],"properties":{{)"
                R"("id":{{"type":"string"}},"glimmed_at":{{"type":"string","format":"date-time"}},{}}}}},"query":{{{}}}}})",
                name, name, properties, query);
}

std::string wide_properties() {
  std::string properties = R"("scan":{"type":"string"})";
  for (int i = 0; i < 20; ++i) properties += format(R"(,"a_rather_long_name_of_a_field_{:02}":{{"type":"string"}})", i);
  return properties;
}

}  // namespace

std::string Answer::text() const { return std::string(result.at("content").at(0).at("text").as_string()); }

FatStore::FatStore() {
  test_support::must(server().sources().add(
      owner(),
      source("zorp",
             stream("zorps",
                    R"("wibble":{"type":"string","x_pdpp_role":"primary-title"},"blarg":{"type":"string"},)"
                    R"("flavour":{"type":"string"},"weight":{"type":"integer"})",
                    R"("search":{"lexical_fields":["wibble","blarg"]},"range_filters":{"weight":["gte","lt"]},)"
                    R"("aggregations":{"count":true,"group_by":["flavour"],"group_by_time":["glimmed_at"],"sum":["weight"]})") +
                 "," + stream("wides", wide_properties(), "")),
      "zorp"));
  add_texts();
  add_book();
  add_mail();
  add_wide_records();
  add_many_streams();
  mcp::Options options;
  options.version = "1.2.3";
  options.fence_key = std::string(32, 'k');
  options.provider_url = "https://ladder.example";
  mcp_ = std::make_unique<mcp::Server>(std::move(options), mcp::ladder_tool_registry());
  port_ = std::make_unique<server::LocalPort>(server().read_roles(),
                                              test_support::must(server().accesses().authenticate(issue(granted_).token)));
}

// Adds 200 hits like the seed fixture from many sources, with long names and texts that JSON escaping lengthens.
void FatStore::add_texts() {
  for (int c = 0; c < kTextConnections; ++c) {
    const std::string connection = format("cin_{:016x}", c + 1);
    test_support::must(server().sources().add_connection(owner(), "zorp", format("Source \"number\" {}", c), connection));
    std::string lines;
    for (int i = c; i < kTexts; i += kTextConnections) {
      lines += test_support::record_line(
          format("key-with-a-rather-long-name-{:05}", i),
          test_support::text_member("wibble", format("Заголовок \"{}\" {}", i, repeated("glim ", 12))) + "," +
              test_support::text_member("blarg", repeated("много слов \"до\" ", 20) + "wombat " + repeated("и после ", 200)) +
              "," + test_support::text_member("flavour", format("flavour of a hundred, number {:02}", i % 100)) +
              format(R"(,"weight":{},"glimmed_at":"2026-01-{:02}T{:02}:00:00Z")", i, i % 28 + 1, i % 24));
    }
    EXPECT_EQ(ingest(lines, connection, "zorps").rejected, 0);
    granted_.push_back({connection, "zorps", {}, {}, {}, {}});
  }
}

void FatStore::add_book() {
  test_support::must(server().sources().add_connection(owner(), "zorp", "Books", "cin_book"));
  std::string text;
  text.reserve(kBookChars + 64);
  for (int line = 0; text.size() < kBookChars; ++line) {
    text += format("Line {} of the book tells of tides, clocks and \"keys\".\n", line);
    if (line == 9'000) text += "Only here a quagga is seen.\n";
  }
  const std::string members = test_support::text_member("wibble", "The book") + "," + test_support::text_member("blarg", text) +
                              R"(,"glimmed_at":"2026-02-01T00:00:00Z")";
  EXPECT_EQ(ingest(test_support::record_line("tome", members), "cin_book", "zorps").accepted, 1);
  EXPECT_EQ(ingest(test_support::record_line("slip", test_support::text_member("wibble", "A slip") + "," +
                                                         test_support::text_member("blarg", "Short and plain: an okapi.") +
                                                         R"(,"glimmed_at":"2026-02-02T00:00:00Z")"),
                   "cin_book", "zorps")
                .accepted,
            1);
  granted_.push_back({"cin_book", "zorps", {}, {}, {}, {}});
}

// Thirty messages of 377 chars, declared as a mail import declares them; ten contain "ferry".
void FatStore::add_mail() {
  constexpr std::string_view kProperties =
      R"("id":{"type":"string"},"from":{"type":"string","x_pdpp_role":"actor"},"to":{"type":"string"},)"
      R"("subject":{"type":"string","x_pdpp_role":"primary-title"},"text":{"type":"string","x_pdpp_role":"primary-text"},)"
      R"("sent_at":{"type":"string","format":"date-time","x_pdpp_role":"event-time"})";
  test_support::must(server().sources().add(
      owner(),
      source("mail", format(R"({{"name":"messages","semantics":"mutable_state","primary_key":["id"],"cursor_field":"sent_at",)"
                            R"("consent_time_field":"sent_at","selection":{{"fields":true,"resources":true}},)"
                            R"("schema":{{"type":"object","required":["id"],"properties":{{{}}}}},)"
                            R"("query":{{"search":{{"lexical_fields":["subject","text"]}}}}}})",
                            kProperties)),
      "mail"));
  test_support::must(server().sources().add_connection(owner(), "mail", "My mail", "cin_mail"));
  std::string lines;
  for (int i = 0; i < kMessages; ++i) {
    std::string text = format(
        "Dear Tom,\n\nthe {} leaves at a quarter past nine and the harbour is a short walk from the station. Bring the {} "
        "keys and the warm coat. ",
        i % 3 == 0 ? "ferry" : "train", i);
    while (text.size() < kMessageChars) text += "We shall have tea on the way and be home before it is dark. ";
    text.resize(kMessageChars);
    lines += test_support::record_line(format("m-{:05}", i),
                                       test_support::text_member("from", "Ada Fenwick <ada@example.org>") + "," +
                                           test_support::text_member("to", "Tom Osei <tom@example.org>") + "," +
                                           test_support::text_member("subject", format("Plans for weekend {}", i)) + "," +
                                           test_support::text_member("text", text) +
                                           format(R"(,"sent_at":"2026-03-{:02}T09:15:00Z")", i + 1));
  }
  EXPECT_EQ(ingest(lines, "cin_mail", "messages").rejected, 0);
  granted_.push_back({"cin_mail", "messages", {}, {}, {}, {}});
}

void FatStore::add_wide_records() {
  std::string lines;
  for (int i = 0; i < 120; ++i) {
    std::string members = test_support::text_member(
        "scan", base64::encode(std::string("\x89PNG\r\n\x1a\n") + repeated("pixels", static_cast<std::size_t>(100 + i))));
    for (int f = 0; f < 20; ++f) {
      members += "," + test_support::text_member(format("a_rather_long_name_of_a_field_{:02}", f),
                                                 repeated(format("漢字🙂 \"{}\"\n", f), i == 0 ? 800 : 60));
    }
    members += format(R"(,"glimmed_at":"2026-03-{:02}T00:00:00Z")", i % 28 + 1);
    lines += test_support::record_line(format("wide-{:03}", i), members);
  }
  EXPECT_EQ(ingest(lines, "cin_book", "wides").rejected, 0);
  granted_.push_back({"cin_book", "wides", {}, {}, {}, {}});
}

void FatStore::add_many_streams() {
  std::string properties, names;
  for (int f = 0; f < kFields; ++f) {
    properties +=
        format(R"({}"field_with_a_name_{:02}":{{"type":"{}"}})", f == 0 ? "" : ",", f, f % 3 == 0 ? "integer" : "string");
    if (f % 3 != 0) names += format(R"({}"field_with_a_name_{:02}")", names.empty() ? "" : ",", f);
  }
  for (int s = 0; s < kSources; ++s) {
    const std::string key = format("source-{:02}", s);
    std::string streams;
    for (int n = 0; n < kStreamsASource; ++n) {
      streams += (n == 0 ? "" : ",") +
                 stream(format("stream_{:02}_{:02}", s, n), properties, format(R"("search":{{"lexical_fields":[{}]}})", names));
    }
    test_support::must(server().sources().add(owner(), source(key, streams), key));
    for (int c = 0; c < 2; ++c) {
      const std::string connection = format("cin_{:02}_{}", s, c);
      test_support::must(server().sources().add_connection(owner(), key, format("Account {} of {}", c, key), connection));
      for (int n = 0; n < kStreamsASource; ++n) {
        granted_.push_back({connection, format("stream_{:02}_{:02}", s, n), {}, {}, {}, {}});
      }
    }
  }
}

Answer FatStore::ask(std::string_view method, std::string_view params) {
  const std::string message = format(R"({{"jsonrpc":"2.0","id":1,"method":"{}","params":{{{}{}{}}}}})", method, params,
                                     params.empty() ? "" : ",", kEnvelope);
  mcp::Envelope envelope;
  envelope.request_id = "0123456789abcdef";
  const mcp::Reply reply = mcp_->handle(message, envelope, *port_, {});
  constexpr std::string_view kBefore = R"({"jsonrpc":"2.0","id":1,"result":)";
  Answer answer;
  if (!reply.body.starts_with(kBefore)) {
    ADD_FAILURE() << method << ": " << reply.body;
    throw std::runtime_error("no result");
  }
  const std::string_view result = std::string_view(reply.body).substr(kBefore.size(), reply.body.size() - kBefore.size() - 1);
  answer.result = boost::json::parse(boost::json::string_view(result.data(), result.size()));
  answer.cost.result = result.size();
  if (const auto* const content = answer.result.as_object().if_contains("content")) {
    for (const auto& item : content->as_array()) answer.cost.text += item.at("text").as_string().size();
  }
  if (const auto* const structured = answer.result.as_object().if_contains("structuredContent")) {
    answer.cost.structured = boost::json::serialize(*structured).size();
  }
  return answer;
}

Answer FatStore::call(std::string_view tool, std::string_view arguments) {
  return ask("tools/call", format(R"("name":"{}","arguments":{})", tool, arguments));
}

}  // namespace ladder::economy
