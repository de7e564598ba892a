// What an owner is told of grants: their standing, where each field came from, and when they were last used.
#include "rs/resource_server.h"

#include <algorithm>
#include <map>
#include <utility>

namespace ladder::rs {
namespace {

// The declarations that grants were made from, each read once.
class Declarations {
 public:
  Declarations(store::Store& store, store::OwnerNo owner, const OwnerCatalog& catalog)
      : store_(store), owner_(owner), catalog_(catalog) {}

  const model::SourceDeclaration* current(const std::string& source_id) const {
    const SourceEntry* source = catalog_.source_by_id(source_id);
    return source ? &source->declaration : nullptr;
  }

  // Null when the store has none that can be read.
  Result<const model::SourceDeclaration*> of_version(const std::string& source_id, const std::string& version) {
    const model::SourceDeclaration* now = current(source_id);
    if (now && now->version == version) return now;
    const auto [place, is_new] = known_.try_emplace({source_id, version});
    if (is_new) {
      LADDER_TRY(const auto text, store_.declaration(owner_, source_id, version));
      if (text) {
        auto parsed = model::parse_declaration(*text);
        if (parsed) place->second = *std::move(parsed);
      }
    }
    return place->second ? &*place->second : nullptr;
  }

 private:
  store::Store& store_;
  store::OwnerNo owner_;
  const OwnerCatalog& catalog_;
  std::map<std::pair<std::string, std::string>, std::optional<model::SourceDeclaration>> known_;
};

}  // namespace

bool GrantSummary::is_widened() const {
  return std::ranges::any_of(origins, [](const grant::FieldOrigin& origin) { return !origin.content.empty(); });
}

Result<std::vector<GrantSummary>> ResourceServer::summarize(store::OwnerNo owner, std::vector<store::GrantRow> rows) {
  LADDER_TRY(const auto catalog, catalogs_.newest(owner));
  Declarations declarations(store_, owner, *catalog);
  const Instant now = clock_.now();
  std::vector<GrantSummary> all;
  for (store::GrantRow& row : rows) {
    revocations_.apply(row);
    LADDER_TRY(const auto held, parsed_grants_.get(row));
    const grant::Grant& grant = held->grant;
    LADDER_TRY(const auto* then, declarations.of_version(grant.source_id, grant.declaration_version));
    const bool expired = row.expires_at && now >= *row.expires_at;
    std::string status = row.revoked_at ? "revoked" : expired ? "expired" : "active";
    auto origins = grant::field_origins(grant, row.named, then, declarations.current(grant.source_id));
    all.push_back({std::move(row), grant, std::move(status), std::move(origins)});
  }
  return all;
}

void ResourceServer::note_use(const Access& access) { uses_.note(access, clock_.now()); }

Status ResourceServer::keep_uses() {
  const auto due = uses_.take(clock_.now());
  if (due.empty()) return {};
  Status kept = store_.note_uses(due);
  if (!kept) uses_.give_back(due);
  return kept;
}

}  // namespace ladder::rs
