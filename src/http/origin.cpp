#include "http/origin.h"

#include "base/format.h"
#include "http/middleware/host_name.h"
#include "http/syntax.h"

namespace ladder::http {

Result<Origin> parse_origin(std::string_view text) {
  const auto bad = [&] {
    return fail(Code::kInvalidRequest,
                format("\"{}\" is no server address; write http://host:port or https://host", text.substr(0, 200)));
  };
  const auto mark = text.find("://");
  if (mark == std::string_view::npos) return bad();
  Origin origin;
  origin.tls = equal_without_case(text.substr(0, mark), "https");
  if (!origin.tls && !equal_without_case(text.substr(0, mark), "http")) return bad();
  auto authority = text.substr(mark + 3);
  if (authority.ends_with('/')) authority.remove_suffix(1);
  auto name = parse_host(authority);
  if (!name) return bad();
  origin.host = name->host;
  origin.header = name->host.find(':') == std::string::npos ? name->host : "[" + name->host + "]";
  if (!name->port.empty()) origin.header += ":" + name->port;
  origin.port = !name->port.empty() ? name->port : origin.tls ? "443" : "80";
  return origin;
}

}  // namespace ladder::http
