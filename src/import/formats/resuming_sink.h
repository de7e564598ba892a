// Continues an interrupted unit of any format that reads in a fixed order: the unit is read again from its start, and what was
// already sent is not sent again. Use it if reading costs little compared with storing.
#pragma once

#include "crypto/hash.h"
#include "import/io/limits.h"
#include "import/io/sink.h"

#include <charconv>
#include <string>
#include <string_view>

namespace ladder::imports {

class ResumingSink final : public Sink {
 public:
  // `position` is that of an earlier checkpoint, or "".
  ResumingSink(Sink& to, std::string_view position) : to_(to) {
    std::from_chars(position.data(), position.data() + position.size(), from_);
  }

  Status record(const Record& record) override;
  Result<std::string> blob(std::string_view mime_type, Bytes& bytes) override;
  Status lost(const wire::FileLocation& at, std::string_view reason) override;
  Status skipped(std::string_view stream, std::string_view reason) override;
  Status checkpoint(std::string_view position) override;  // the position is ignored; a number is sent instead

  Status finish() { return checkpoint({}); }

 private:
  static constexpr std::int64_t kCheckpointEvery = 500;
  bool is_sent() { return number_++ < from_; }  // counts one thing that is sent

  Sink& to_;
  std::int64_t number_ = 0, from_ = 0;
};

}  // namespace ladder::imports
