// The protocol versions that are spoken, and the two eras they belong to.
#pragma once

#include "trace/trace.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace ladder::mcp {

class Subscription;
class Subscriptions;

enum class Era : std::uint8_t {
  kLegacy,  // a handshake, then requests
  kModern,  // every request stands alone and says in _meta which version it speaks
};

inline constexpr std::string_view kModernVersion = "2026-07-28";
inline constexpr std::array<std::string_view, 3> kLegacyVersions = {"2025-11-25", "2025-06-18", "2025-03-26"};  // newest first
inline constexpr std::string_view kVersionWithBatches = "2025-03-26";  // the only one; also what a missing header means

bool is_legacy_version(std::string_view version);
// Says whether a version, known or not, belongs to the modern era: a date of its first version or later.
bool is_of_modern_era(std::string_view version);
// The version that initialize answers: the one asked for, or else the newest legacy one.
std::string_view negotiate(std::string_view asked);

// Facts that a transport knows beside the message.
struct Envelope {
  bool http = false;
  std::optional<std::string> protocol_version, method, name;  // HTTP: MCP-Protocol-Version, Mcp-Method, Mcp-Name as sent
  std::optional<Era> era = {};             // stdio: what the first request settled; HTTP: never, every request stands alone
  std::string negotiated = {};             // stdio: the version that initialize settled; empty before
  std::string request_id = {};             // the transport's own, for results and logs; may be empty
  std::string provider_url = {};           // where this caller reaches the resource server; empty: as the options say
  Subscriptions* subscriptions = nullptr;  // where the transport can carry messages that nobody asked for one by one
  std::shared_ptr<Subscription> own = {};  // of a legacy client, whose connection is its one subscription: over stdio
  std::string client = {};                 // whose subscriptions are counted together
  trace::SpanContext trace = {};           // of the transport's own work; a message that names another is in that one
  trace::SpanSink* spans = nullptr;        // takes a span of every request; null: nobody does
};

// The options of one MCP server. The same for every request; nothing here depends on a caller.
enum class InputSchemas : std::uint8_t { kFlat, kFull };  // kFull: read_record_field's oneOf as the seed has it (design D1)
// Links to records in content[] (design D12). kLarge: when a fetch is cut or holds binary; kAll: on every cut result of search,
// query_records and fetch.
enum class ResourceLinks : std::uint8_t { kOff, kLarge, kAll };

inline constexpr std::size_t kDefaultResultBytes = 40'000;  // of a serialized tool result (design D10)
inline constexpr std::size_t kLeastResultBytes = 4'096;

struct Options {
  std::string server_name = "ladder";
  std::string version;
  std::string provider_url;  // absolute, without a slash at its end; empty when nobody can open it
  std::string notice;        // what a host's person has to know first; stands in front of the instructions
  std::string fence_key;     // 32 secret bytes: whoever wrote a text can't know its fence (design D13)
  InputSchemas input_schemas = InputSchemas::kFlat;
  ResourceLinks resource_links = ResourceLinks::kOff;
  std::size_t result_bytes = kDefaultResultBytes;
};

}  // namespace ladder::mcp
