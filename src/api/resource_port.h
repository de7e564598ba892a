// The resource server as an adapter sees it: one abstract class, implemented in process by server/ and over HTTP by remote/. A
// port is bound to one caller's access; both implementations pass one contract suite.
#pragma once

#include "api/blob.h"
#include "api/field_window.h"
#include "api/records.h"
#include "api/schema.h"
#include "api/search.h"
#include "base/error/error.h"
#include "model/record_id.h"
#include "model/window_selector.h"

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ladder::api {

// Watching what one caller may read: which of it changed since it was looked at last. What the caller may not read has no part in
// the answer.

// A stream of every granted connection that has it, or one record.
struct WatchTarget {
  std::string stream;
  std::string connection_id = {};  // empty: every granted one
  std::string record_id = {};      // empty: the stream
};

struct WatchReport {
  std::vector<std::string> changed;  // names of targets, each once
  bool scope_changed = false;        // a grant ended, or a granted stream or connection came or went
  bool ended = false;                // no grant stands any more: there is nothing left to look at
};

// Belongs to one caller and is used by one thread at a time. Holds no reader and no transaction between two looks.
class Watch {
 public:
  virtual ~Watch() = default;
  // From now on, under the caller's own name for it; a name that is known is watched anew. Errors as for a read of the target.
  virtual Status add(const std::string& name, const WatchTarget& target) = 0;
  virtual void remove(const std::string& name) = 0;
  // Tells the changes since the last look. Reads a few counters while nothing was written. After an error the next look tells it.
  virtual Result<WatchReport> look() = 0;
};

struct FieldWindowRequest {
  model::RecordRef record;  // connection_id may be empty: then exactly one granted connection must have the record
  std::string field_path;
  model::WindowArguments window;
  std::string connector_key = {};  // the source that is meant; empty: any
  // Asked of a window that was read: the arguments of a smaller one, where the reader has no room for all of it. A server in this
  // process cuts what it has and asks again, until there is no answer; a server elsewhere does not know of it.
  std::function<std::optional<model::WindowArguments>(const FieldWindow&)> smaller = {};
};

// Errors: PDPP "errors". `stop` ends long work with kCancelled.
class ResourcePort {
 public:
  virtual ~ResourcePort() = default;
  // The same port for one call of that name, which a server that keeps a ledger notes; null: nobody does.
  virtual std::unique_ptr<ResourcePort> for_call(std::string_view /*name*/, std::string_view /*request_id*/) { return nullptr; }
  virtual Result<SchemaView> schema(const SchemaRequest& request, std::stop_token stop) = 0;
  virtual Result<RecordsPage> records(const RecordsRequest& request, std::stop_token stop) = 0;
  virtual Result<Record> record(const RecordRequest& request, std::stop_token stop) = 0;
  virtual Result<AggregateResult> aggregate(const AggregateRequest& request, std::stop_token stop) = 0;
  virtual Result<SearchPage> search(const SearchRequest& request, std::stop_token stop) = 0;
  virtual Result<api::FieldWindow> field_window(const FieldWindowRequest& request, std::stop_token stop) = 0;
  virtual Result<Blob> blob(const BlobRequest& request, std::stop_token stop) = 0;
  // Null: what is here cannot be watched. The watch may outlive the port, not the server behind it.
  virtual std::unique_ptr<Watch> watch() { return nullptr; }
};

// A port that answers everything with one error: for a caller that is told to come back, in the words of its own protocol.
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

// kRateLimited: too much of one client is under way.
inline Error rate_limited(std::int64_t retry_after_seconds) {
  Error error{Code::kRateLimited, "you have as many calls under way as one client may: make the same call again later"};
  error.details().retry_after_seconds = retry_after_seconds;
  return error;
}

}  // namespace ladder::api
