#include "cli/invocation/shipped_sources.h"

#include "app/import/extractor.h"

namespace ladder::cli {

Status renew_shipped_sources(Context& context, Session& session, const server::Access& owner, const app::Stop& stop) {
  const app::ExtractorProgram place{app::extractor_program(context.environment("LADDER_EXTRACT")), context.version};
  return app::renew_shipped_sources(
      place, session.server().import_roles(), owner, [&](std::string_view line) { context.console.err(line); }, stop);
}

Status finish_indexes(Session& session, const server::Access& owner, Console& console) {
  return app::finish_indexes(session.server().maintenance(), owner, [&](std::string_view line) { console.err(line); });
}

}  // namespace ladder::cli
