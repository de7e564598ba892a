// A sink that keeps nothing: for a look at a file whose losses are told elsewhere.
#pragma once

#include "import/sink.h"

namespace ladder::imports {

class DeafSink final : public Sink {
 public:
  Status record(const Record&) override { return {}; }
  Result<std::string> blob(std::string_view, Bytes&) override { return std::string(); }
  Status lost(const extract::Place&, std::string_view) override { return {}; }
  Status skipped(std::string_view, std::string_view) override { return {}; }
  Status checkpoint(std::string_view) override { return {}; }
};

}  // namespace ladder::imports
