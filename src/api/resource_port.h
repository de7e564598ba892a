// The interface of the resource server for adapters, implemented in process by server/ and over HTTP by remote/. A
// port is bound to one caller's access; both implementations pass the same contract tests.
#pragma once

#include "api/answer_budget.h"
#include "api/blob.h"
#include "api/field_window.h"
#include "api/records.h"
#include "api/schema.h"
#include "api/search.h"
#include "base/error/error.h"
#include "model/record_id.h"
#include "model/window_selector.h"

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ladder::api {

// Watches what one caller may read and reports changes since the last look. Data that the caller may not read has no
// effect.

// A stream in every granted connection, or one record.
struct WatchTarget {
  std::string stream;
  std::string connection_id = {};  // empty: every granted one
  std::string record_id = {};      // empty: the stream
};

struct WatchReport {
  std::vector<std::string> changed;  // names of targets, without duplicates
  bool scope_changed = false;        // a grant ended, or a granted stream or connection was added or removed
  bool ended = false;                // no grant is active; stop watching
};

// Belongs to one caller; not thread-safe. Holds no reader or transaction between looks.
class Watch {
 public:
  virtual ~Watch() = default;
  // Starts watching under a name chosen by the caller, replacing a target of that name. Errors as for a read of the
  // target.
  virtual Status add(const std::string& name, const WatchTarget& target) = 0;
  virtual void remove(const std::string& name) = 0;
  // Reports the changes since the last look. Reads only a few counters if nothing was written. Changes are not lost
  // after an error; the next look reports them.
  virtual Result<WatchReport> look() = 0;
};

struct FieldWindowRequest {
  model::RecordRef record;  // without a connection_id, exactly one granted connection must have the record
  std::string field_path;
  model::WindowArguments window;
  std::string connector_key = {};  // restricts to one source; empty: any
  AnswerBudget* budget = nullptr;  // must outlive the call; null: no limit
};

// For errors see PDPP "errors". `stop` ends long work with kCancelled.
class ResourcePort {
 public:
  virtual ~ResourcePort() = default;
  // Returns a port for one named call, which the ledger records; null if the server has no ledger.
  virtual std::unique_ptr<ResourcePort> for_call(std::string_view /*name*/, std::string_view /*request_id*/) { return nullptr; }
  virtual Result<SchemaView> schema(const SchemaRequest& request, std::stop_token stop) = 0;
  virtual Result<RecordsPage> records(const RecordsRequest& request, std::stop_token stop) = 0;
  virtual Result<Record> record(const RecordRequest& request, std::stop_token stop) = 0;
  virtual Result<AggregateResult> aggregate(const AggregateRequest& request, std::stop_token stop) = 0;
  virtual Result<SearchPage> search(const SearchRequest& request, std::stop_token stop) = 0;
  virtual Result<api::FieldWindow> field_window(const FieldWindowRequest& request, std::stop_token stop) = 0;
  virtual Result<Blob> blob(const BlobRequest& request, std::stop_token stop) = 0;
  // Returns null if watching is not supported. The watch may outlive the port, but not the server.
  virtual std::unique_ptr<Watch> watch() { return nullptr; }
};

// A port that returns the same error for every call, used to tell a caller to retry later.
class BusyPort final : public ResourcePort {
 public:
  explicit BusyPort(Error error) : error_(std::move(error)) {}

  Result<SchemaView> schema(const SchemaRequest&, std::stop_token) override { return refused(); }
  Result<RecordsPage> records(const RecordsRequest&, std::stop_token) override { return refused(); }
  Result<Record> record(const RecordRequest&, std::stop_token) override { return refused(); }
  Result<AggregateResult> aggregate(const AggregateRequest&, std::stop_token) override { return refused(); }
  Result<SearchPage> search(const SearchRequest&, std::stop_token) override { return refused(); }
  Result<api::FieldWindow> field_window(const FieldWindowRequest&, std::stop_token) override { return refused(); }
  Result<Blob> blob(const BlobRequest&, std::stop_token) override { return refused(); }

 private:
  std::unexpected<Error> refused() const { return std::unexpected(error_); }

  Error error_;
};

// kRateLimited: the client has too many concurrent calls.
inline Error rate_limited(std::int64_t retry_after_seconds) {
  Error error{Code::kRateLimited, "you have too many calls in progress; make the same call again later"};
  error.details().retry_after_seconds = retry_after_seconds;
  return error;
}

}  // namespace ladder::api
