// GET /v1/search
#include "port/target.h"
#include "remote/readers.h"
#include "remote/remote_port.h"

namespace ladder::remote {

Result<port::SearchPage> RemotePort::search(const port::SearchRequest& request, std::stop_token stop) {
  LADDER_TRY(Reply reply, exchange_.get("search", port::target_of(request), stop));
  LADDER_TRY(auto page, understood(exchange_, "search", reply.body, read_search));
  page.request_id = std::move(reply.request_id);
  return page;
}

}  // namespace ladder::remote
