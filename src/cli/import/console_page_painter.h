// Paints pages of PDF documents for the console: each by a ladder-extract of its own, which ends with it. Nothing is kept.
#pragma once

#include "cli/app/stop_signal.h"
#include "cli/import/import_run.h"
#include "console/console.h"

#include <mutex>

namespace ladder::cli {

class ConsolePagePainter final : public console::PagePainter {
 public:
  explicit ConsolePagePainter(ExtractorPlace extractor) : extractor_(std::move(extractor)) {}
  Result<std::string> paint(const Document& read, std::int64_t page) override;
  void stop() { stop_.request(); }  // pages under way end, and no other is begun

 private:
  ExtractorPlace extractor_;
  StopRequest stop_;
  std::timed_mutex turn_;  // one at a time: each may take as much memory as the sandbox gives
};

}  // namespace ladder::cli
