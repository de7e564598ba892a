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
  auto record =
      ask_bounded<port::Record>(request, refuses_bounds_, [&](const port::RecordRequest& asked) -> Result<port::Record> {
        LADDER_TRY(const Reply reply, exchange_.get(kOperation, port::target_of(asked), stop));
        return understood(exchange_, kOperation, reply.body, [&](Answer& answer) { return read_record(answer, asked.record); });
      });
  if (record && request.max_field_chars) cut_where_needed(*record, *request.max_field_chars);
  return record;
}

}  // namespace ladder::remote
