#include "console/explore/viewer.h"
#include "console/parts.h"

#include <algorithm>

namespace ladder::console {
namespace {

constexpr std::size_t kInSwitch = 5;  // clients; the page of clients has all of them

Writer choice(const Url& to, bool current, const ClientFace* face) {
  Writer out;
  out << Markup("<a") << Attribute("href", to);
  if (current) out << Markup(" aria-current=\"true\"");
  out << Markup(">");
  if (face) {
    out << Markup("<span") << Attribute("class", "client " + colour(*face)) << Markup("><bdi>") << Text(face->short_name())
        << Markup("</bdi></span></a>");
  } else {
    out << Markup("You</a>");
  }
  return out;
}

}  // namespace

const grant::Grant* Viewer::grant_for(const model::RecordRef& record) const {
  for (const auto& held : access.grants()) {
    const grant::StreamGrant* const stream = held->grant.stream(record.stream);
    if (stream && stream->allows_instance(record.connection_id)) return &held->grant;
  }
  return nullptr;
}

Result<Viewer> viewer_of(auth::AuthorizationServer& authorization, const server::Access& owner, ClientFaces& faces,
                         const std::string& client_id) {
  if (client_id.empty()) return Viewer{owner};
  const bool known = std::ranges::find(faces.all(), client_id, &ClientFace::client_id) != faces.all().end();
  if (!known) return fail(Code::kNotFound, "No client of that name was ever given access.", "as");
  LADDER_TRY(server::Access seen, authorization.server().access_as_client(owner, client_id));
  return Viewer{std::move(seen), faces.at(client_id)};
}

Writer viewer_switch(Markup label, const ClientFaces& faces, const Viewer& viewer, const Url& here) {
  std::vector<const ClientFace*> shown;
  for (const ClientFace& face : faces.all()) {
    const bool current = viewer.client_id() == face.client_id;
    if (current || (face.connected && shown.size() < kInSwitch)) shown.push_back(&face);
  }
  Writer out;
  if (shown.empty()) return out;
  out << Markup("<div class=\"as-bar\" id=\"as\"><span class=\"quiet\">") << label
      << Markup("</span><nav class=\"seg\" aria-label=\"") << label << Markup("\">") << choice(here, viewer.is_owner(), nullptr);
  for (const ClientFace* face : shown) {
    out << choice(here.with("as", face->client_id), viewer.client_id() == face->client_id, face);
  }
  const auto connected = std::ranges::count_if(faces.all(), &ClientFace::connected);
  if (connected > std::ssize(shown)) out << Markup("<a href=\"/clients\">More clients</a>");
  out << Markup("</nav></div>");
  return out;
}

}  // namespace ladder::console
