// One RECORD line, checked in full and made ready to write. All of it happens in memory, before the store is asked for anything.
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
  // The place's catalog must outlive this.
  LinePreparer(const StreamPlace& place, const Clock& clock) : place_(place), stream_(*place.declared), clock_(clock) {}

  // Fills the write but for its body and long values. An error is the line's rejection: kResourceLimit, kInvalidUtf8,
  // kMalformedNdjson, kStreamNotDeclared, kInvalidRecordIdentity or kInvalidRecord. Views into the line stay in use until
  // take_apart.
  Status prepare(const Line& line, store::RecordWrite& write);

  // Of the line last prepared.
  const store::SplitPlan& plan() const { return plan_; }
  std::int64_t lone_surrogates() const { return lone_surrogates_; }

  // Fills in the body and puts the long values into the sink, under ids from write.first_value on. Fails only as the sink does.
  Status take_apart(store::RecordWrite& write, store::ValueSink& sink) const;

 private:
  Result<std::string_view> checked_text(const Line& line);
  Status check_stream(const model::Envelope& envelope) const;
  Result<std::string> key_of(const model::Envelope& envelope) const;
  Status fill_upsert(store::RecordWrite& write);

  const StreamPlace& place_;
  const model::Stream& stream_;
  const Clock& clock_;
  std::string mended_;  // a line whose lone surrogates were replaced
  json::Value data_;
  store::SplitPlan plan_;
  std::int64_t lone_surrogates_ = 0;
};

}  // namespace ladder::server
