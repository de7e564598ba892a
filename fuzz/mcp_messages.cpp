// MCP messages. The first line says how one arrives (transport, headers, negotiated era), the rest is the message. For
// any input the response is empty or JSON that repeats the request's id exactly; the status fits the error; a second
// call gives the same. The tools are minimal, since other targets cover them.
#include "frame.h"
#include "json/scan/scan.h"
#include "mcp/protocol/message.h"
#include "mcp/protocol/server.h"

#include <array>

namespace ladder::fuzz {
namespace {

// A port that no message reads from.
class NoPort final : public api::ResourcePort {
 public:
  Result<api::SchemaView> schema(const api::SchemaRequest&, std::stop_token) override { return none(); }
  Result<api::RecordsPage> records(const api::RecordsRequest&, std::stop_token) override { return none(); }
  Result<api::Record> record(const api::RecordRequest&, std::stop_token) override { return none(); }
  Result<api::AggregateResult> aggregate(const api::AggregateRequest&, std::stop_token) override { return none(); }
  Result<api::SearchPage> search(const api::SearchRequest&, std::stop_token) override { return none(); }
  Result<api::FieldWindow> field_window(const api::FieldWindowRequest&, std::stop_token) override { return none(); }
  Result<api::Blob> blob(const api::BlobRequest&, std::stop_token) override { return none(); }

 private:
  static std::unexpected<Error> none() { return fail(Code::kNotFound, "there is nothing here"); }
};

mcp::ToolResult count(const mcp::Context&, const boost::json::object& arguments) {
  mcp::ToolResult result;
  result.text = std::to_string(arguments.size());
  result.structured = "{\"members\":" + result.text + "}";
  return result;
}

const mcp::Server& server() {
  static const std::array<mcp::Tool, 1> kTools = {
      {{"count", "Count", "Counts.", R"({"type":"object"})", R"({"type":"object"})", R"({"type":"object"})", count}}};
  static const mcp::Server kServer({}, {kTools,
                                        {},
                                        [](const mcp::Context&, std::string_view) {
                                          return mcp::ResourceFailure{mcp::ResourceFailure::Kind::kNotFound, "none", {}, {}};
                                        },
                                        [](const mcp::Context&) -> Result<std::string> { return "[]"; }});
  return kServer;
}

std::string_view take_word(std::string_view& line) {
  const auto end = line.find(' ');
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
  return word;
}

// "http VERSION METHOD NAME" with - for a missing header, or "stdio ERA NEGOTIATED".
mcp::Envelope envelope_of(std::string_view line) {
  mcp::Envelope envelope;
  envelope.http = take_word(line) == "http";
  if (!envelope.http) {
    const std::string_view era = take_word(line);
    if (era == "modern") envelope.era = mcp::Era::kModern;
    if (era == "legacy") envelope.era = mcp::Era::kLegacy;
    envelope.negotiated = take_word(line);
    return envelope;
  }
  const auto header = [&]() -> std::optional<std::string> {
    const std::string_view word = take_word(line);
    return word.empty() || word == "-" ? std::nullopt : std::optional(std::string(word));
  };
  envelope.protocol_version = header();
  envelope.method = header();
  envelope.name = header();
  return envelope;
}

// Checks one reply: a result or an error, and the request's id if it could be parsed.
void check_reply(std::string_view body, const mcp::Message* request) {
  const auto picked = mcp::pick<4>(body, {"jsonrpc", "id", "result", "error"});
  const auto& [version, id, result, error] = picked.values;
  FUZZ_CHECK(!picked.twice && version && version->text == "\"2.0\"" && result.has_value() != error.has_value());
  if (request != nullptr && !request->id.empty()) FUZZ_CHECK(id && id->text == request->id);
  else FUZZ_CHECK(!id && error);
}

void check_single(const mcp::Reply& reply, const mcp::Message& message, const mcp::Envelope& envelope) {
  if (reply.body.empty()) {
    FUZZ_CHECK(message.kind == mcp::MessageKind::kNotification || message.kind == mcp::MessageKind::kResponse);
    return;
  }
  check_reply(reply.body, &message);
  if (message.kind == mcp::MessageKind::kRequest) FUZZ_CHECK(reply.log.size() == 1 && !reply.log.front().outcome.empty());
  if (message.kind == mcp::MessageKind::kInvalid) FUZZ_CHECK(reply.http_status == 400);
  if (!envelope.http) FUZZ_CHECK(message.kind == mcp::MessageKind::kRequest || message.kind == mcp::MessageKind::kInvalid);
}

void check_array(const mcp::Reply& reply, const mcp::Incoming& incoming) {
  std::size_t asked = 0;
  for (const mcp::Message& message : incoming.messages) asked += message.kind == mcp::MessageKind::kRequest ? 1 : 0;
  if (!reply.body.starts_with('[')) {
    if (reply.body.empty()) FUZZ_CHECK(asked == 0 && reply.http_status == 202);
    else check_reply(reply.body, nullptr);
    return;
  }
  FUZZ_CHECK(incoming.count == incoming.messages.size() && incoming.count <= mcp::kMaxBatch);
  std::size_t answered = 0;
  for (json::Elements elements(reply.body); elements.next(); ++answered) FUZZ_CHECK(elements.value().kind == json::Kind::kObject);
  FUZZ_CHECK(answered >= asked);
}

}  // namespace

void run(std::string_view input) {
  const mcp::Envelope envelope = envelope_of(take_line(input));
  const Exact exact(input);
  NoPort port;
  const mcp::Reply reply = server().handle(exact.view(), envelope, port, {});
  FUZZ_CHECK(reply.body.empty() || json::check(reply.body, 2 * mcp::kMaxMessageDepth).has_value());
  FUZZ_CHECK(server().handle(exact.view(), envelope, port, {}).body == reply.body);
  const mcp::Glance seen = mcp::glance(mcp::read_incoming(exact.view(), mcp::kMaxLineBytes));
  const mcp::Incoming incoming = mcp::read_incoming(exact.view(), envelope.http ? mcp::kMaxHttpMessageBytes : mcp::kMaxLineBytes);
  if (!incoming.fault.empty()) {
    FUZZ_CHECK(reply.http_status == 400);
    check_reply(reply.body, nullptr);
  } else if (incoming.is_array) {
    check_array(reply, incoming);
  } else {
    check_single(reply, incoming.messages.front(), envelope);
    FUZZ_CHECK(seen.is_request == (incoming.messages.front().kind == mcp::MessageKind::kRequest));
  }
}

}  // namespace ladder::fuzz
