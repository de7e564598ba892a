#include "cli/shipped_sources.h"

#include "base/format.h"
#include "base/limits.h"
#include "cli/extractor.h"
#include "cli/grant_view.h"
#include "cli/indexes.h"
#include "model/required_content.h"

#include <set>

namespace ladder::cli {
namespace {

Result<std::set<std::string>> out_of_date(Session& session, const rs::Access& owner) {
  LADDER_TRY(const auto sources, session.server().sources(owner));
  std::set<std::string> ids;
  for (const rs::SourceDocument& source : sources) {
    if (!is_shipped_source(source.source_id)) continue;
    const auto declaration = model::parse_declaration(source.declaration);
    if (declaration && model::requires_content(*declaration)) ids.insert(source.source_id);
  }
  return ids;
}

}  // namespace

Status renew_shipped_sources(Context& context, Session& session, const rs::Access& owner, const StopSignal& stop) {
  LADDER_TRY(const auto ids, out_of_date(session, owner));
  if (ids.empty()) return {};
  LADDER_TRY(const auto child, Extractor::start(extractor_program(context.environment("LADDER_EXTRACT")), {"--declarations"},
                                                context.version, stop));
  std::set<std::string> left = ids;
  for (std::string text; !left.empty();) {
    LADDER_TRY(const extract::Frame frame, child->next());
    if (frame.kind != extract::Kind::kDeclaration && frame.kind != extract::Kind::kMore) {
      return fail(Code::kRsProtocol, "the extractor sent frames out of order");
    }
    text += frame.payload;
    if (text.size() > limits::kMaxDeclarationBytes) return fail(Code::kRsProtocol, "the extractor sent too large a declaration");
    if (frame.kind == extract::Kind::kMore) continue;
    LADDER_TRY(const auto declaration, model::parse_declaration(text));
    if (left.erase(declaration.source_id) > 0) {
      LADDER_TRY(const rs::AddedSource added, session.server().add_source(owner, text, ""));
      if (!added.indexed) LADDER_CHECK(finish_indexes(session, owner, context.console));
      context.console.err(
          format("ladder: the declaration of {} is now version {}: it requires the keys of records and nothing else\n", added.key,
                 declaration.version));
    }
    text.clear();
  }
  return {};
}

}  // namespace ladder::cli
