// Renders pages of PDF documents for the console, each in its own ladder-extract process. Nothing is cached.
#pragma once

#include "cli/app/stop_signal.h"
#include "cli/import/import_run.h"
#include "console/console.h"

#include <mutex>

namespace ladder::cli {

class ConsolePagePainter final : public console::PagePainter {
 public:
  explicit ConsolePagePainter(ExtractorProgram extractor) : extractor_(std::move(extractor)) {}
  Result<std::string> paint(const Document& read, std::int64_t page) override;
  void stop() { stop_.request(); }  // ends running renders and starts no others

 private:
  ExtractorProgram extractor_;
  StopRequest stop_;
  std::timed_mutex turn_;  // one render at a time: each may use all the memory that the sandbox allows
};

}  // namespace ladder::cli
