// A port that answers everything with one error: for a caller that is told to come back, in the words of its own protocol.
#pragma once

#include "port/resource_port.h"

#include <utility>

namespace ladder::port {

class BusyPort final : public ResourcePort {
 public:
  explicit BusyPort(Error error) : error_(std::move(error)) {}

  Result<SchemaView> schema(const SchemaRequest&, std::stop_token) override { return refused(); }
  Result<RecordsPage> records(const RecordsRequest&, std::stop_token) override { return refused(); }
  Result<Record> record(const RecordRequest&, std::stop_token) override { return refused(); }
  Result<AggregateResult> aggregate(const AggregateRequest&, std::stop_token) override { return refused(); }
  Result<SearchPage> search(const SearchRequest&, std::stop_token) override { return refused(); }
  Result<evidence::FieldWindow> field_window(const FieldWindowRequest&, std::stop_token) override { return refused(); }
  Result<Blob> blob(const BlobRequest&, std::stop_token) override { return refused(); }

 private:
  std::unexpected<Error> refused() const { return std::unexpected(error_); }

  Error error_;
};

// kRateLimited: too much of one client is under way.
inline Error rate_limited(std::int64_t retry_after_seconds) {
  Error error{Code::kRateLimited, "you have as many calls under way as one client may: make the same call again later"};
  error.details().retry_after_seconds = retry_after_seconds;
  return error;
}

}  // namespace ladder::port
