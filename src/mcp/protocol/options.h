// The supported protocol versions and their two eras.
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
  kLegacy,  // an initialize handshake, then requests
  kModern,  // requests are independent and name their version in _meta
};

inline constexpr std::string_view kModernVersion = "2026-07-28";
inline constexpr std::array<std::string_view, 3> kLegacyVersions = {"2025-11-25", "2025-06-18", "2025-03-26"};  // newest first
inline constexpr std::string_view kVersionWithBatches = "2025-03-26";  // the only one; also the version of a missing header

bool is_legacy_version(std::string_view version);
// Reports whether a version, known or not, belongs to the modern era: its date is that of the first modern version or later.
bool is_of_modern_era(std::string_view version);
// Returns the version for the response to initialize: the requested one if supported, else the newest legacy one.
std::string_view negotiate(std::string_view asked);

// The facts that a transport knows about a message.
struct Envelope {
  bool http = false;
  std::optional<std::string> protocol_version, method, name;  // HTTP: MCP-Protocol-Version, Mcp-Method, Mcp-Name as sent
  std::optional<Era> era = {};             // stdio: set by the first request; HTTP: never set, since requests are independent
  std::string negotiated = {};             // stdio: the version from initialize; empty before
  std::string request_id = {};             // the transport's own id, for results and logs; may be empty
  std::string provider_url = {};           // the resource server's address for this caller; empty: from the options
  Subscriptions* subscriptions = nullptr;  // set if the transport supports server-initiated messages
  std::shared_ptr<Subscription> own = {};  // a legacy client's subscription, one per stdio connection
  std::string client = {};                 // limits apply to the sum of this client's subscriptions
  trace::SpanContext trace = {};           // the transport's span; a message that names another trace takes precedence
  trace::SpanSink* spans = nullptr;        // receives a span per request; null: disabled
};

// The options of an MCP server, independent of the caller.
enum class InputSchemas : std::uint8_t { kFlat, kFull };  // kFull: read_record_field's oneOf as in the spec (design D1)
// Links to records in content[] (design D12). kLarge: if a fetch is truncated or contains binary data; kAll: in every truncated
// result of search, query_records and fetch.
enum class ResourceLinks : std::uint8_t { kOff, kLarge, kAll };

inline constexpr std::size_t kDefaultResultBytes = 40'000;  // of a serialized tool result (design D10)
inline constexpr std::size_t kLeastResultBytes = 4'096;

struct Options {
  std::string server_name = "ladder";
  std::string version;
  std::string provider_url;  // absolute, without a trailing slash; empty if there is none
  std::string notice;        // a message for the user, placed before the instructions
  std::string fence_key;     // 32 secret bytes, so that the author of a text cannot know its fence (design D13)
  InputSchemas input_schemas = InputSchemas::kFlat;
  ResourceLinks resource_links = ResourceLinks::kOff;
  std::size_t result_bytes = kDefaultResultBytes;
};

}  // namespace ladder::mcp
