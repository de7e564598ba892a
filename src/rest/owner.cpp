// What only the owner's token may do over REST: ingest, erase a record, end a grant (contract 4.5, 6.8, 10.1).
#include "base/limits.h"
#include "json/writer.h"
#include "rest/scope.h"
#include "rest/service.h"

#include <algorithm>
#include <cstring>

namespace ladder::rest {
namespace {

class TextBytes final : public rs::ByteSource {
 public:
  explicit TextBytes(std::string_view text) : text_(text) {}
  Result<std::size_t> read(char* buffer, std::size_t capacity) override {
    const std::size_t n = std::min(capacity, text_.size());
    std::memcpy(buffer, text_.data(), n);
    text_.remove_prefix(n);
    return n;
  }

 private:
  std::string_view text_;
};

class UntilGone final : public rs::IngestObserver {
 public:
  explicit UntilGone(std::stop_token gone) : gone_(std::move(gone)) {}
  void durable_through(std::int64_t, const rs::IngestReport&) override {}
  bool wants_stop() override { return gone_.stop_requested(); }

 private:
  std::stop_token gone_;
};

Result<rs::IngestReport> ingest_lines(rs::ResourceServer& server, const rs::Access& who, const rs::IngestTarget& target,
                                      std::string_view lines, const std::stop_token& gone) {
  TextBytes bytes(lines);
  rs::LineSource source(bytes, limits::kMaxLineBytes);
  UntilGone observer(gone);
  return server.ingest(who, target, source, observer);
}

}  // namespace

Result<http::Response> Service::ingest(const Call& call) {
  LADDER_TRY(const auto who, access(call.request));
  std::vector<port::Warning> warnings;
  LADDER_TRY(const std::string connection, connection_of(call.query, warnings));
  if (connection.empty()) return fail(Code::kInvalidRequest, "name the connection the records belong to", "connection_id");
  LADDER_TRY(const auto report, ingest_lines(server_, who, {connection, std::string(call.match.at("stream"))}, call.request.body,
                                             call.request.gone));
  return http::Response::json(200, rs::to_json(report));
}

// A delete line like any other: the payload goes, a tombstone stays. Deleting what is not there is fine.
Result<http::Response> Service::delete_record(const Call& call) {
  LADDER_TRY(const auto who, access(call.request));
  std::vector<port::Warning> warnings;
  LADDER_TRY(const std::string connection, connection_of(call.query, warnings));
  if (connection.empty()) return fail(Code::kInvalidRequest, "name the connection the record belongs to", "connection_id");
  LADDER_CHECK(server_.erase_record(who, {connection, std::string(call.match.at("stream")), std::string(call.match.at("id"))}));
  http::Response response;
  response.status = 204;
  return response;
}

Result<http::Response> Service::revoke_grant(const Call& call) {
  LADDER_TRY(const auto who, access(call.request));
  LADDER_CHECK(server_.revoke_grant(who, call.match.at("grant")));
  return http::Response::json(200, R"({"revoked":true})");
}

}  // namespace ladder::rest
