#include "app/import/shipped_sources.h"

#include "app/import/extractor.h"
#include "base/limits.h"
#include "base/text/format.h"
#include "model/declaration/declaration.h"

#include <chrono>
#include <set>

namespace ladder::app {
namespace {

constexpr std::string_view kShippedSources = "urn:ladder:import:";

Result<std::set<std::string>> out_of_date(server::Sources& documents, const server::Access& owner) {
  LADDER_TRY(const auto sources, documents.documents(owner));
  std::set<std::string> ids;
  for (const server::SourceDocument& source : sources) {
    if (!is_shipped_source(source.source_id)) continue;
    const auto declaration = model::parse_declaration(source.declaration);
    if (declaration && model::requires_content(*declaration)) ids.insert(source.source_id);
  }
  return ids;
}

}  // namespace

bool is_shipped_source(std::string_view source_id) { return source_id.starts_with(kShippedSources); }

Status renew_shipped_sources(const ExtractorProgram& place, const server::ImportRoles& roles, const server::Access& owner,
                             const Say& say, const Stop& stop) {
  LADDER_TRY(const auto ids, out_of_date(roles.sources, owner));
  if (ids.empty()) return {};
  LADDER_TRY(const auto child, Extractor::start(place.program, {"--declarations"}, place.version, stop));
  std::set<std::string> left = ids;
  for (std::string text; !left.empty();) {
    LADDER_TRY(const imports::wire::Frame frame, child->next());
    if (frame.kind != imports::wire::Kind::kDeclaration && frame.kind != imports::wire::Kind::kMore) {
      return fail(Code::kRsProtocol, "the extractor sent frames out of order");
    }
    text += frame.payload;
    if (text.size() > limits::kMaxDeclarationBytes)
      return fail(Code::kRsProtocol, "the extractor sent a declaration that is too large");
    if (frame.kind == imports::wire::Kind::kMore) continue;
    LADDER_TRY(const auto declaration, model::parse_declaration(text));
    if (left.erase(declaration.source_id) > 0) {
      LADDER_TRY(const server::AddedSource added, roles.sources.add(owner, text, ""));
      if (!added.indexed) LADDER_CHECK(finish_indexes(roles.maintenance, owner, say));
      say(format("ladder: the declaration of {} is now version {}: it requires only the keys of records\n", added.key,
                 declaration.version));
    }
    text.clear();
  }
  return {};
}

namespace {

constexpr auto kStep = std::chrono::seconds(2);

}  // namespace

Status finish_indexes(server::Maintenance& maintenance, const server::Access& owner, const Say& say) {
  for (bool announced = false;; announced = true) {
    LADDER_TRY(const bool ready, maintenance.reindex(owner, Deadline::after(kStep)));
    if (ready) return {};
    if (!announced) say("Building new indexes; this can be interrupted and continues later.\n");
  }
}

}  // namespace ladder::app
