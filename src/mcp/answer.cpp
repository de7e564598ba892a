#include "mcp/answer.h"

#include "base/utf8.h"
#include "json/writer.h"

namespace ladder::mcp {
namespace {

constexpr std::string_view kServerInfo = "\"io.modelcontextprotocol/serverInfo\":";

// {"a":1} and the server's name behind it.
std::string with_server_info(std::string_view meta, std::string_view server_info) {
  std::string joined(meta.empty() ? std::string_view("{") : meta.substr(0, meta.size() - 1));
  if (joined.size() > 1) joined += ',';
  return joined.append(kServerInfo).append(server_info).append("}");
}

void append(json::Writer& out, const std::vector<Member>& members) {
  for (const Member& member : members) out.key(member.name).raw(member.json);
}

}  // namespace

std::string_view outcome_word(int code) {
  switch (code) {
    case kParseError:
      return "parse_error";
    case kInvalidRequest:
      return "invalid_request";
    case kMethodNotFound:
      return "method_not_found";
    case kInvalidParams:
      return "invalid_params";
    case kResourceNotFound:
      return "resource_not_found";
    case kHeaderMismatch:
      return "header_mismatch";
    case kUnsupportedVersion:
      return "unsupported_protocol_version";
    default:
      return "internal_error";
  }
}

std::string result_body(std::string_view id, const Success& success, std::string_view modern_server_info) {
  const bool modern = !modern_server_info.empty();
  json::Writer out;
  out.begin_object().member("jsonrpc", "2.0").key("id").raw(id).key("result").begin_object();
  append(out, success.members);
  if (modern) {
    out.member("resultType", "complete");
    if (success.caching) {
      out.member("ttlMs", success.caching->ttl_ms);
      out.member("cacheScope", success.caching->scope == CacheScope::kPublic ? "public" : "private");
    }
    out.key("_meta").raw(with_server_info(success.meta, modern_server_info));
  } else if (!success.meta.empty()) {
    out.key("_meta").raw(success.meta);
  }
  append(out, success.last);
  out.end_object().end_object();
  return out.take();
}

std::string error_body(std::string_view id, const Fault& fault) {
  json::Writer out;
  out.begin_object().member("jsonrpc", "2.0");
  if (!id.empty()) out.key("id").raw(id);
  out.key("error").begin_object().member("code", fault.code);
  // A message may quote what came from outside; one that is not UTF-8 must not make the answer invalid JSON.
  out.member("message", utf8::is_valid(fault.message) ? std::string_view(fault.message) : outcome_word(fault.code));
  if (!fault.data.empty()) out.key("data").raw(fault.data);
  out.end_object().end_object();
  return out.take();
}

}  // namespace ladder::mcp
