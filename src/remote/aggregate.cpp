// GET /v1/streams/{stream}/aggregate
#include "port/target.h"
#include "remote/readers.h"
#include "remote/remote_port.h"

namespace ladder::remote {

Result<port::AggregateResult> RemotePort::aggregate(const port::AggregateRequest& request, std::stop_token stop) {
  LADDER_TRY(Reply reply, exchange_.get("aggregate", port::target_of(request), stop));
  LADDER_TRY(auto result, understood(exchange_, "aggregate", reply.body, read_aggregate));
  result.request_id = std::move(reply.request_id);
  return result;
}

}  // namespace ladder::remote
