// The eyes that a page looks through: the owner's, or those of a client, whose view is read by the code that answers that client.
#pragma once

#include "console/parts.h"

#include <optional>
#include <string>

namespace ladder::console {

struct Viewer {
  server::Access access;
  std::optional<ClientFace> client = {};  // nobody: the owner

  bool is_owner() const { return !client; }
  std::string client_id() const { return client ? client->client_id : std::string(); }  // for links: empty for the owner
  // The grant under which this client reads the stream; null when none of it does.
  const grant::Grant* grant_for(const model::RecordRef& record) const;
};

// `client_id` is empty for the owner. kNotFound for a client that was never granted anything.
Result<Viewer> viewer_of(auth::AuthorizationServer& authorization, const server::Access& owner, ClientFaces& faces,
                         const std::string& client_id);

// The switch between the owner and his clients; `here` is the page without its `as`.
html::Writer viewer_switch(html::Markup label, const ClientFaces& faces, const Viewer& viewer, const html::Url& here);

}  // namespace ladder::console
