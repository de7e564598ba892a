#include "cli/hit_titles.h"

#include "cli/stream_roles.h"

namespace ladder::cli {
namespace {

constexpr std::int64_t kNameChars = 200;

}  // namespace

void name_hits(rs::ResourceServer& server, const rs::Access& access, std::vector<port::SearchHit>& hits) {
  if (hits.empty()) return;
  const RolesByStream all = roles_by_stream(server, access);
  for (port::SearchHit& hit : hits) {
    const StreamRoles roles = roles_of(all, hit.ref);
    port::RecordRequest request;
    if (hit.title.empty() && !roles.title.empty()) request.fields.push_back(roles.title);
    if (hit.author.empty() && !roles.author.empty()) request.fields.push_back(roles.author);
    if (request.fields.empty()) continue;
    request.record = hit.ref;
    request.max_field_chars = kNameChars;
    const auto record = server.record(access, request);
    if (!record) continue;
    if (hit.title.empty()) hit.title = text_member(record->data, roles.title);
    if (hit.author.empty()) hit.author = text_member(record->data, roles.author);
  }
}

}  // namespace ladder::cli
