// GET /v1/search
#include "port/target.h"
#include "remote/readers.h"
#include "remote/remote_port.h"

namespace ladder::remote {

Result<port::SearchPage> RemotePort::search(const port::SearchRequest& request, std::stop_token stop) {
  LADDER_CHECK(refuse_owner());
  LADDER_TRY(const std::string body, exchange_.get("search", port::target_of(request), stop));
  return understood(exchange_, "search", body, read_search);
}

}  // namespace ladder::remote
