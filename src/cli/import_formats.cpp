#include "cli/import_formats.h"

#include "cli/extractor.h"
#include "cli/stop_signal.h"

namespace ladder::cli {

namespace {

constexpr std::size_t kMaxFormats = 100;

}  // namespace

std::vector<Candidate> import_formats(const Context& context) {
  const StopSignal stop;
  std::vector<Candidate> found;
  const auto child =
      Extractor::start(extractor_program(context.environment("LADDER_EXTRACT")), {"--formats"}, context.version, stop);
  if (!child) return found;
  while (found.size() < kMaxFormats) {
    const auto frame = (*child)->next();
    if (!frame || frame->kind != extract::Kind::kFormat) return found;
    const std::size_t tab = frame->payload.find('\t');
    if (tab != std::string::npos) found.push_back({frame->payload.substr(0, tab), frame->payload.substr(tab + 1)});
  }
  return found;
}

}  // namespace ladder::cli
