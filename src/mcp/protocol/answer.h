// JSON-RPC 2.0 as it leaves: results and errors, with the codes of both eras.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::mcp {

inline constexpr int kParseError = -32700;
inline constexpr int kInvalidRequest = -32600;
inline constexpr int kMethodNotFound = -32601;
inline constexpr int kInvalidParams = -32602;
inline constexpr int kInternalError = -32603;
inline constexpr int kResourceNotFound = -32002;  // legacy only; the modern era says kInvalidParams
inline constexpr int kHeaderMismatch = -32020;    // modern only, as all that follow
inline constexpr int kUnsupportedVersion = -32022;

// An error of the protocol. Bad arguments of a tool are none: they are results that say so.
struct Fault {
  int code = kInternalError;
  std::string message;
  std::string data;       // a JSON value; empty when there is none
  int http_status = 200;  // faults found after the message was understood travel in band
  std::string outcome;    // for the log; empty: the code's own word
};

std::string_view outcome_word(int code);

// A member of a result: its name and its value as JSON.
struct Member {
  std::string_view name;
  std::string json;
};

enum class CacheScope : std::uint8_t { kPublic, kPrivate };

// How long a modern client may keep a result, and for whom.
struct Caching {
  std::int64_t ttl_ms = 0;
  CacheScope scope = CacheScope::kPrivate;
};

struct Success {
  std::vector<Member> members;
  std::optional<Caching> caching;
  std::string meta;          // the result's _meta, a JSON object; empty when there is none
  std::vector<Member> last;  // what stands at the end, behind _meta
};

// `modern_server_info`: JSON of the serverInfo that every modern result carries; empty in the legacy era, whose results have
// neither resultType nor caching.
std::string result_body(std::string_view id, const Success& success, std::string_view modern_server_info);
std::string error_body(std::string_view id, const Fault& fault);  // an empty id is left out

}  // namespace ladder::mcp
