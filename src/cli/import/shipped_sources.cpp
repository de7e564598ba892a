#include "cli/import/shipped_sources.h"

#include "base/limits.h"
#include "base/text/format.h"
#include "cli/access/grant.h"
#include "cli/import/extractor.h"
#include "model/declaration/declaration.h"

#include <chrono>
#include <set>

namespace ladder::cli {
namespace {

Result<std::set<std::string>> out_of_date(Session& session, const server::Access& owner) {
  LADDER_TRY(const auto sources, session.server().sources(owner));
  std::set<std::string> ids;
  for (const server::SourceDocument& source : sources) {
    if (!is_shipped_source(source.source_id)) continue;
    const auto declaration = model::parse_declaration(source.declaration);
    if (declaration && model::requires_content(*declaration)) ids.insert(source.source_id);
  }
  return ids;
}

}  // namespace

Status renew_shipped_sources(Context& context, Session& session, const server::Access& owner, const StopSignal& stop) {
  LADDER_TRY(const auto ids, out_of_date(session, owner));
  if (ids.empty()) return {};
  LADDER_TRY(const auto child, Extractor::start(extractor_program(context.environment("LADDER_EXTRACT")), {"--declarations"},
                                                context.version, stop));
  std::set<std::string> left = ids;
  for (std::string text; !left.empty();) {
    LADDER_TRY(const imports::wire::Frame frame, child->next());
    if (frame.kind != imports::wire::Kind::kDeclaration && frame.kind != imports::wire::Kind::kMore) {
      return fail(Code::kRsProtocol, "the extractor sent frames out of order");
    }
    text += frame.payload;
    if (text.size() > limits::kMaxDeclarationBytes) return fail(Code::kRsProtocol, "the extractor sent too large a declaration");
    if (frame.kind == imports::wire::Kind::kMore) continue;
    LADDER_TRY(const auto declaration, model::parse_declaration(text));
    if (left.erase(declaration.source_id) > 0) {
      LADDER_TRY(const server::AddedSource added, session.server().add_source(owner, text, ""));
      if (!added.indexed) LADDER_CHECK(finish_indexes(session, owner, context.console));
      context.console.err(
          format("ladder: the declaration of {} is now version {}: it requires the keys of records and nothing else\n", added.key,
                 declaration.version));
    }
    text.clear();
  }
  return {};
}

namespace {

constexpr auto kStep = std::chrono::seconds(2);

}  // namespace

Status finish_indexes(Session& session, const server::Access& owner, Console& console) {
  for (bool told = false;; told = true) {
    LADDER_TRY(const bool ready, session.server().reindex(owner, Deadline::after(kStep)));
    if (ready) return {};
    if (!told) console.err("Records are brought into new indexes; this may be interrupted and goes on later.\n");
  }
}

}  // namespace ladder::cli
