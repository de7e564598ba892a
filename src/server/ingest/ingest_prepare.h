// Validates one RECORD line and prepares it for writing. Works in memory, without access to the store.
#pragma once

#include "base/time/time.h"
#include "model/envelope.h"
#include "server/catalog/catalog.h"
#include "server/ingest/ingest.h"
#include "store/long_values/split.h"

#include <string>

namespace ladder::server {

class LinePreparer {
 public:
  // The catalog must outlive this object.
  LinePreparer(const ConnectionStream& place, const Clock& clock) : place_(place), stream_(*place.declared), clock_(clock) {}

  // Fills the write except its body and long values. An error rejects the line: kResourceLimit, kInvalidUtf8,
  // kMalformedNdjson, kStreamNotDeclared, kInvalidRecordIdentity or kInvalidRecord. The write refers to the line
  // until write_body.
  Status prepare(const Line& line, store::RecordWrite& write);

  // Results for the last prepared line.
  const store::SplitPlan& plan() const { return plan_; }
  std::int64_t lone_surrogates() const { return lone_surrogates_; }

  // Fills the body and writes the long values to the sink, with ids starting at write.first_value. Fails only if the
  // sink fails.
  Status write_body(store::RecordWrite& write, store::ValueSink& sink) const;

 private:
  Result<std::string_view> checked_text(const Line& line);
  Status check_stream(const model::Envelope& envelope) const;
  Result<std::string> key_of(const model::Envelope& envelope) const;
  Status fill_upsert(store::RecordWrite& write);

  const ConnectionStream& place_;
  const model::Stream& stream_;
  const Clock& clock_;
  std::string repaired_;  // the line after replacing lone surrogates
  json::Value data_;
  store::SplitPlan plan_;
  std::int64_t lone_surrogates_ = 0;
};

}  // namespace ladder::server
