// Reads records, their counts, blobs and schema under an Access. Every operation checks the access before it reads, and
// data outside the grant is never returned. Thread-safe.
#pragma once

#include "api/blob.h"
#include "api/records.h"
#include "api/schema.h"
#include "base/error/error.h"
#include "server/shared/shared_state.h"

#include <stop_token>

namespace ladder::server {

class Reads {
 public:
  explicit Reads(SharedState& shared) : shared_(shared) {}

  // Reads a page of a stream, or of its changes. `stop` ends long work with kCancelled, here and below.
  Result<api::RecordsPage> records(const Access& access, const api::RecordsRequest& request, std::stop_token stop = {});
  Result<api::Record> record(const Access& access, const api::RecordRequest& request);
  Result<api::AggregateResult> aggregate(const Access& access, const api::AggregateRequest& request, std::stop_token stop = {});
  // Returns kBlobNotFound unless a record visible to the caller refers to the blob in a granted blob_ref.
  Result<api::Blob> blob(const Access& access, const api::BlobRequest& request);
  Result<api::SchemaView> schema(const Access& access, const api::SchemaRequest& request);

 private:
  Result<api::RecordsPage> changes(const Access& access, const api::RecordsRequest& request, std::stop_token stop);

  SharedState& shared_;
};

}  // namespace ladder::server
