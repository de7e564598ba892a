// GET /v1/streams/{stream}/records. Where the server bounds nothing, fewer rows are asked for, and what is long is cut here.
#include "port/target.h"
#include "remote/bounds.h"
#include "remote/readers.h"
#include "remote/remote_port.h"

#include <algorithm>

namespace ladder::remote {
namespace {

constexpr std::string_view kOperation = "records";
constexpr std::int64_t kDefaultLimit = 25;

}  // namespace

Result<port::RecordsPage> RemotePort::records(const port::RecordsRequest& request, std::stop_token stop) {
  auto page = ask_bounded<port::RecordsPage>(request, refuses_bounds_, [&](const port::RecordsRequest& asked) {
    return request.max_bytes && !asked.max_bytes ? fewer_records(asked, stop) : records_page(asked, stop);
  });
  if (!page || !request.max_field_chars) return page;
  for (port::Record& record : page->records) cut_where_needed(record, *request.max_field_chars);
  return page;
}

Result<port::RecordsPage> RemotePort::fewer_records(port::RecordsRequest request, const std::stop_token& stop) {
  request.limit = std::min(request.limit.value_or(kDefaultLimit), kRowsWithoutBounds);
  auto page = records_page(request, stop);
  if (page || page.error().code != Code::kResourceLimit || request.limit == 1) return page;
  request.limit = 1;  // rows so large that ten of them are too much
  return records_page(request, stop);
}

Result<port::RecordsPage> RemotePort::records_page(const port::RecordsRequest& request, const std::stop_token& stop) {
  LADDER_TRY(Reply reply, exchange_.get(kOperation, port::target_of(request), stop));
  LADDER_TRY(auto page, understood(exchange_, kOperation, reply.body, [&](Answer& answer) {
               return read_records(answer, {request.scope.connection_id, request.stream, {}});
             }));
  page.request_id = std::move(reply.request_id);
  return page;
}

}  // namespace ladder::remote
