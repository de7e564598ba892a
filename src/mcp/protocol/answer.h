// Serializes JSON-RPC 2.0 responses: results and errors, with the error codes of both eras.
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
inline constexpr int kResourceNotFound = -32002;  // legacy only; the modern era uses kInvalidParams
inline constexpr int kHeaderMismatch = -32020;    // modern only, like all below
inline constexpr int kUnsupportedVersion = -32022;

// A protocol error. Invalid tool arguments are not protocol errors but results that describe the problem.
struct Fault {
  int code = kInternalError;
  std::string message;
  std::string data;       // a JSON value; empty if there is none
  int http_status = 200;  // errors found after the message was parsed are reported in band
  std::string outcome;    // for the log; empty: derived from the code
};

std::string_view outcome_word(int code);

// A member of a result: its name and its JSON value.
struct Member {
  std::string_view name;
  std::string json;
};

enum class CacheScope : std::uint8_t { kPublic, kPrivate };

// How long a modern client may cache a result, and for whom.
struct Caching {
  std::int64_t ttl_ms = 0;
  CacheScope scope = CacheScope::kPrivate;
};

struct Success {
  std::vector<Member> members;
  std::optional<Caching> caching;
  std::string meta;          // the result's _meta, a JSON object; empty if there is none
  std::vector<Member> last;  // members after _meta
};

// `modern_server_info`: the serverInfo JSON of every modern result; empty in the legacy era, whose results have neither
// resultType nor caching.
std::string result_body(std::string_view id, const Success& success, std::string_view modern_server_info);
std::string error_body(std::string_view id, const Fault& fault);  // an empty id is omitted

}  // namespace ladder::mcp
