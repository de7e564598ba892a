// The resource server as an adapter sees it: one abstract class, implemented in process by rs/ and over HTTP by remote/. A port
// is bound to one caller's access; both implementations pass one contract suite.
#pragma once

#include "base/result.h"
#include "evidence/field_window.h"
#include "model/record_id.h"
#include "model/window_selector.h"
#include "port/aggregate.h"
#include "port/blob.h"
#include "port/records.h"
#include "port/schema.h"
#include "port/search.h"

#include <stop_token>
#include <string>

namespace ladder::port {

struct FieldWindowRequest {
  model::RecordRef record;  // connection_id may be empty: then exactly one granted connection must have the record
  std::string field_path;
  model::WindowArguments window;
  std::string connector_key = {};  // the source that is meant; empty: any
};

// Errors: contract 6 to 9 and design section 4. `stop` ends long work with kCancelled.
class ResourcePort {
 public:
  virtual ~ResourcePort() = default;
  virtual Result<SchemaView> schema(const SchemaRequest& request, std::stop_token stop) = 0;
  virtual Result<RecordsPage> records(const RecordsRequest& request, std::stop_token stop) = 0;
  virtual Result<Record> record(const RecordRequest& request, std::stop_token stop) = 0;
  virtual Result<AggregateResult> aggregate(const AggregateRequest& request, std::stop_token stop) = 0;
  virtual Result<SearchPage> search(const SearchRequest& request, std::stop_token stop) = 0;
  virtual Result<evidence::FieldWindow> field_window(const FieldWindowRequest& request, std::stop_token stop) = 0;
  virtual Result<Blob> blob(const BlobRequest& request, std::stop_token stop) = 0;
};

}  // namespace ladder::port
