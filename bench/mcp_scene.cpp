#include "mcp_scene.h"

#include "base/text/format.h"

#include <cstdlib>

namespace ladder::bench {
namespace {

constexpr std::int64_t kShort = 4'800, kLong = 200, kShortChars = 300, kLongChars = 100'000, kWindowChars = 4'096;
constexpr std::int64_t kRareWords = 400, kRequests = 2'000;  // each rare word is in kShort / kRareWords notes

std::string rare_word(std::int64_t n) { return format("quagga{}", n); }
std::string long_key(std::int64_t n) { return format("long-{:05}", n); }

}  // namespace

std::string ToolRequest::message(Wire wire, int id) const {
  constexpr std::string_view kEnvelope =
      R"(,"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}})";
  return format(R"({{"jsonrpc":"2.0","id":{},"method":"tools/call","params":{{"name":"{}","arguments":{}{}}}}})", id, tool,
                arguments, wire == Wire::kModern ? kEnvelope : "");
}

McpScene::McpScene() : place_("sqlite") {
  Scene scene(place_, Scene::Set::kUpSearched);
  std::string lines;
  for (std::int64_t n = 0; n < kShort; ++n) {
    const auto seed = static_cast<std::uint64_t>(n);
    lines += note_line(format("note-{:05}", n),
                       prose(kShortChars / 2, seed) + " " + rare_word(n % kRareWords) + " " + prose(kShortChars / 2, seed + 1));
  }
  for (std::int64_t n = 0; n < kLong; ++n) lines += note_line(long_key(n), prose(kLongChars, static_cast<std::uint64_t>(n)));
  scene.ingest(lines);
  token_ = scene.client_token();
  for (const char* name : {"PDPP_TOKEN", "PDPP_OWNER_TOKEN", "PDPP_OWNER_SESSION_COOKIE", "LADDER_OWNER_TOKEN",
                           "PDPP_PROVIDER_URL", "LADDER_PROVIDER_URL", "LADDER_RESULT_BYTES", "LADDER_PUBLIC_URL"}) {
    ::unsetenv(name);
  }
  ::setenv("LADDER_TOKEN", token_.c_str(), 1);
  ::setenv("LADDER_DB", place_.location().c_str(), 1);
  ::setenv("LADDER_OWNER", "local", 1);
  ::setenv("LADDER_CONFIG", "/dev/null", 1);
}

std::vector<ToolRequest> McpScene::windows() {
  std::vector<ToolRequest> requests;
  for (std::int64_t n = 0; n < kRequests; ++n) {
    requests.push_back({"read_record_field", format(R"({{"id":"work/notes:{}","field_path":"body","offset_chars":{}}})",
                                                    long_key(n % kLong), n * 7'919 % (kLongChars - kWindowChars))});
  }
  return requests;
}

std::vector<std::string> McpScene::window_paths() {
  std::vector<std::string> paths;
  for (std::int64_t n = 0; n < kRequests; ++n) {
    paths.push_back(format("/v1/streams/notes/records/{}/field-window?field=body&offset_chars={}", long_key(n % kLong),
                           n * 7'919 % (kLongChars - kWindowChars)));
  }
  return paths;
}

std::string McpScene::long_note() { return long_key(0); }

std::vector<ToolRequest> McpScene::searches() {
  std::vector<ToolRequest> requests;
  for (std::int64_t n = 0; n < kRareWords; ++n) requests.push_back({"search", format(R"({{"query":"{}"}})", rare_word(n))});
  return requests;
}

}  // namespace ladder::bench
