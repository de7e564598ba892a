#include "auth/refresh_family.h"

#include "auth/body.h"
#include "json/writer.h"

namespace ladder::auth {

RefreshFamily RefreshFamily::of(const store::AuthItem& item) {
  const Body body(item.body);
  RefreshFamily family;
  family.id = item.key;
  family.owner = item.owner;
  family.client_id = body.text("client_id");
  family.scope = body.text("scope");
  family.grant_ids = body.texts("grants");
  family.generation = body.number("generation");
  family.rotated_at = body.number("rotated");
  family.ended = body.flag("ended");
  family.created_at = item.created_at;
  family.version = item.version;
  return family;
}

store::AuthItem RefreshFamily::item(Instant now) const {
  json::Writer out;
  out.begin_object().member("client_id", client_id).member("scope", scope).member("generation", generation);
  out.member("rotated", rotated_at).member("ended", ended);
  out.member("grants", grant_ids).end_object();
  return {"family", id, owner, out.take(), created_at, now + kFamilyLife, version};
}

std::optional<store::AuthItem> with_grants(const store::AuthItem& item, const std::map<std::string, std::string>& replacements,
                                           Instant now) {
  RefreshFamily family = RefreshFamily::of(item);
  bool changed = false;
  for (std::string& id : family.grant_ids) {
    const auto found = replacements.find(id);
    if (found == replacements.end()) continue;
    id = found->second;
    changed = true;
  }
  if (!changed) return std::nullopt;
  std::erase(family.grant_ids, "");
  store::AuthItem made = family.item(now);
  made.expires_at = item.expires_at;
  return made;
}

}  // namespace ladder::auth
