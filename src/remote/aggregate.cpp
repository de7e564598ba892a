// GET /v1/streams/{stream}/aggregate
#include "port/target.h"
#include "remote/readers.h"
#include "remote/remote_port.h"

namespace ladder::remote {

Result<port::AggregateResult> RemotePort::aggregate(const port::AggregateRequest& request, std::stop_token stop) {
  LADDER_CHECK(refuse_owner());
  LADDER_TRY(const std::string body, exchange_.get("aggregate", port::target_of(request), stop));
  return understood(exchange_, "aggregate", body, read_aggregate);
}

}  // namespace ladder::remote
