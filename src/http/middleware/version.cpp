#include "http/middleware/version.h"

#include "base/text/format.h"

namespace ladder::http {

Status check_version(const Request& request) {
  const auto sent = request.headers.get("PDPP-Version");
  if (!sent) return {};
  if (request.headers.count("PDPP-Version") == 1 && *sent == kPdppVersion) return {};
  return fail(Code::kUnsupportedVersion,
              format("this server speaks PDPP-Version {} only; send that or leave the header out", kPdppVersion), "PDPP-Version");
}

void send_version(Response& response) { response.headers.set("PDPP-Version", std::string(kPdppVersion)); }

}  // namespace ladder::http
