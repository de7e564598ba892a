// GET /v1/schema: compact for an index of everything, with every fact for one stream. A server that knows no compact view is
// asked again without it (contract mcp-adapter 2.1).
#include "port/target.h"
#include "remote/readers.h"
#include "remote/remote_port.h"

namespace ladder::remote {
namespace {

constexpr std::string_view kOperation = "schema";

bool knows_no_views(const Error& error) {
  if (error.code == Code::kInvalidRequest) return error.param.empty() || error.param == "view";
  return false;
}

// Who did not ask for counts gets none, whatever the server sends along.
void forget_counts(port::SchemaView& view) {
  for (port::SourceView& source : view.sources) {
    for (port::StreamView& stream : source.streams) {
      stream.record_count.reset();
      for (port::ConnectionView& connection : stream.connections) {
        connection.record_count = -1;
        connection.last_updated.clear();
      }
    }
  }
}

}  // namespace

Result<port::SchemaView> RemotePort::schema(const port::SchemaRequest& request, std::stop_token stop) {
  if (auto known = schemas_.find(request)) return *std::move(known);
  const bool compact = request.stream.empty() && !request.full_detail;
  auto reply = exchange_.get_schema(port::target_of(request, compact), stop);
  if (!reply && compact && knows_no_views(reply.error())) {
    reply = exchange_.get_schema(port::target_of(request, false), stop);
  }
  if (!reply) return std::unexpected(std::move(reply).error());
  LADDER_TRY(auto view, understood(exchange_, kOperation, reply->body, read_schema));
  view.request_id = std::move(reply->request_id);
  if (!request.counted) forget_counts(view);
  schemas_.keep(request, view);
  return view;
}

}  // namespace ladder::remote
