#include "mcp/protocol/answer.h"

#include "base/text/utf8.h"
#include "json/writer.h"

namespace ladder::mcp {
namespace {

constexpr std::string_view kServerInfo = "\"io.modelcontextprotocol/serverInfo\":";

// Writes "name":value pairs, separated by commas.
class Members {
 public:
  explicit Members(std::string& out) : out_(out) {}
  std::string& next(std::string_view name) {
    if (any_) out_ += ',';
    any_ = true;
    return out_.append("\"").append(name).append("\":");
  }
  void add(const std::vector<Member>& members) {
    for (const Member& member : members) next(member.name).append(member.json);
  }

 private:
  std::string& out_;
  bool any_ = false;
};

// Appends the object with the server's name added to it.
void append_with_server_info(std::string& out, std::string_view meta, std::string_view server_info) {
  out.append(meta.empty() ? std::string_view("{") : meta.substr(0, meta.size() - 1));
  if (meta.size() > 2) out += ',';
  out.append(kServerInfo).append(server_info).append("}");
}

std::size_t bytes_of(const std::vector<Member>& members) {
  std::size_t bytes = 0;
  for (const Member& member : members) bytes += member.name.size() + member.json.size() + 4;
  return bytes;
}

constexpr std::size_t kFrameBytes = 512;  // bytes of a result besides its members, mostly fixed

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
  std::string out;
  out.reserve(bytes_of(success.members) + bytes_of(success.last) + success.meta.size() + modern_server_info.size() + id.size() +
              kFrameBytes);
  out.append(R"({"jsonrpc":"2.0","id":)").append(id).append(R"(,"result":{)");
  Members members(out);
  members.add(success.members);
  if (modern) {
    members.next("resultType").append("\"complete\"");
    if (success.caching) {
      members.next("ttlMs").append(std::to_string(success.caching->ttl_ms));
      members.next("cacheScope").append(success.caching->scope == CacheScope::kPublic ? "\"public\"" : "\"private\"");
    }
    append_with_server_info(members.next("_meta"), success.meta, modern_server_info);
  } else if (!success.meta.empty()) {
    members.next("_meta").append(success.meta);
  }
  members.add(success.last);
  return out.append("}}");
}

std::string error_body(std::string_view id, const Fault& fault) {
  json::Writer out;
  out.begin_object().member("jsonrpc", "2.0");
  if (!id.empty()) out.key("id").raw(id);
  out.key("error").begin_object().member("code", fault.code);
  // A message may quote external text; invalid UTF-8 must not make the response invalid JSON.
  out.member("message", utf8::is_valid(fault.message) ? std::string_view(fault.message) : outcome_word(fault.code));
  if (!fault.data.empty()) out.key("data").raw(fault.data);
  out.end_object().end_object();
  return out.take();
}

}  // namespace ladder::mcp
