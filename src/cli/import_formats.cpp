#include "cli/import_formats.h"

#include "cli/extractor.h"
#include "cli/stop_signal.h"

namespace ladder::cli {

std::vector<Candidate> import_formats(const Context& context) {
  const StopSignal stop;
  std::vector<Candidate> found;
  const auto child =
      Extractor::start(extractor_program(context.environment("LADDER_EXTRACT")), {"--formats"}, context.version, stop);
  if (!child) return found;
  for (;;) {
    const auto frame = (*child)->next();
    if (!frame || frame->kind != extract::Kind::kFormat) return found;
    const std::size_t tab = frame->payload.find('\t');
    if (tab != std::string::npos) found.push_back({frame->payload.substr(0, tab), frame->payload.substr(tab + 1)});
  }
}

}  // namespace ladder::cli
