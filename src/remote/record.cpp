// GET /v1/streams/{stream}/records/{record_id}
#include "port/target.h"
#include "remote/bounds.h"
#include "remote/readers.h"
#include "remote/remote_port.h"

namespace ladder::remote {
namespace {

constexpr std::string_view kOperation = "record";

}  // namespace

Result<port::Record> RemotePort::record(const port::RecordRequest& request, std::stop_token stop) {
  LADDER_CHECK(refuse_owner());
  const bool bounded = has_bounds(request);
  auto record = one_record(bounded && refuses_bounds_ ? without_bounds(request) : request, stop);
  if (!record && bounded && !refuses_bounds_ && may_mean_bounds(record.error())) {
    auto unbounded = one_record(without_bounds(request), stop);
    if (unbounded) refuses_bounds_ = true;
    record = std::move(unbounded);
  }
  if (record && request.max_field_chars) cut_where_needed(*record, *request.max_field_chars);
  return record;
}

Result<port::Record> RemotePort::one_record(const port::RecordRequest& request, const std::stop_token& stop) {
  LADDER_TRY(const std::string body, exchange_.get(kOperation, port::target_of(request), stop));
  return understood(exchange_, kOperation, body, [&](Answer& answer) { return read_record(answer, request.record); });
}

}  // namespace ladder::remote
