// The viewer of a page, and the streams within that viewer's reach.
#pragma once

#include "api/records.h"
#include "api/schema.h"
#include "console/parts.h"
#include "pages/page.h"
#include "server/resource_server.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::console {

// The eyes that a page looks through: the owner's, or those of a client, whose view is read by the code that answers that client.
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

// The streams within a reader's reach, and how a record of each is told in a line: by the title, author, time and text that its
// source declares.
struct ShownStream {
  const api::SourceView* source = nullptr;
  const api::StreamView* stream = nullptr;
  api::DocumentRoles roles = {};  // of fields that the reader may see

  const api::FieldView* field(std::string_view name) const;
  // Its records lie in the order of a time that may be asked for.
  bool is_dated() const;
};

class ShownStreams {
 public:
  static Result<ShownStreams> of(server::ResourceServer& server, const server::Access& access);

  const std::vector<ShownStream>& all() const { return streams_; }
  const ShownStream* find(const model::RecordRef& record) const;
  // A connection as people call it: the name that it was given, else that of its source.
  std::string connection_name(std::string_view connection_id) const;

 private:
  std::unique_ptr<const api::SchemaView> view_;  // which the streams point into
  std::vector<ShownStream> streams_;
};

// A record in a line.
struct RecordLine {
  model::RecordRef ref;
  std::string title, author, text;  // empty where there is none, or the reader may not see it
  std::optional<Instant> time = {};
  pages::Icon icon = pages::Icon::kLayers;
};
RecordLine line_of(const api::Record& record, const ShownStream& stream);
// The fields that line_of() reads; empty when the reader may see none of them.
std::vector<std::string> line_fields(const ShownStream& stream);

// A field's or a stream's name as a heading: "sent_at" is "Sent at".
std::string heading_of(std::string_view name);

std::string text_of(std::string_view data, std::string_view field);  // of a string; empty when it is none
// "20 to 177 of 6,212", of chars.
std::string range_text(std::int64_t start, std::int64_t end, std::int64_t size);

}  // namespace ladder::console
