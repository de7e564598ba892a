// Grants that give more than their owner named, and declarations that would make such grants.
#include "base/format.h"
#include "cli/finding.h"
#include "cli/grant_view.h"
#include "model/required_content.h"

namespace ladder::cli {
namespace {

// The first stream and field of a declaration that is required and no key; "" when there is none.
std::string required_content(const std::string& text) {
  const auto declaration = model::parse_declaration(text);
  if (!declaration) return {};
  for (const model::Stream& stream : declaration->streams) {
    if (const auto fields = model::required_content(stream); !fields.empty())
      return format("{} of {}", fields.front(), stream.name);
  }
  return {};
}

void check_declarations(rs::ResourceServer& server, const rs::Access& owner, Findings& findings) {
  const auto sources = server.sources(owner);
  if (!sources) return findings.problem("declarations", owner.owner_name(), sources.error().message, "look at the store first");
  for (const rs::SourceDocument& source : *sources) {
    if (!is_shipped_source(source.source_id)) continue;
    const std::string found = required_content(source.declaration);
    if (found.empty()) continue;
    findings.warn("declarations", source.key,
                  format("is of an older Ladder: it requires {}, so that every grant of the stream would have it", found),
                  "run `ladder init`, which brings it up to date; importing again and making a grant do so, too");
  }
}

}  // namespace

void check_grants(Session& session, Findings& findings) {
  const auto owner = session.owner();
  if (!owner) return;  // told already
  check_declarations(session.server(), *owner, findings);
  const auto grants = session.server().grants(*owner);
  if (!grants) return findings.problem("grants", owner->owner_name(), grants.error().message, "`ladder grant list` shows them");
  std::int64_t active = 0, widened = 0;
  for (const rs::GrantSummary& summary : *grants) {
    if (summary.status != "active") continue;
    ++active;
    if (!summary.is_widened()) continue;
    ++widened;
    findings.warn("grants", format("{} of {}", summary.grant.grant_id, summary.grant.client_id), widening_text(summary),
                  way_out_of_widening(summary));
  }
  if (widened == 0) findings.ok("grants", format("{} active", active), "give what was named and the keys of records");
}

}  // namespace ladder::cli
