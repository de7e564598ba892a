// The viewer of a page, and the streams that the viewer can see.
#pragma once

#include "api/records.h"
#include "api/schema.h"
#include "console/arrangement.h"
#include "console/parts.h"
#include "console/reading/look.h"
#include "pages/page.h"
#include "server/resource_server.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::console {

// The owner, or a client. The view of a client is read by the code that serves that client.
struct Viewer {
  server::Access access;
  std::optional<ClientFace> client = {};  // nullopt: the owner

  bool is_owner() const { return !client; }
  std::string client_id() const { return client ? client->client_id : std::string(); }  // for links; empty for the owner
  // Returns the grant that lets this client read the stream, or null.
  const grant::Grant* grant_for(const model::RecordRef& record) const;
};

// `client_id` is empty for the owner. Returns kNotFound for a client that never had a grant.
Result<Viewer> viewer_of(auth::AuthorizationServer& authorization, const server::Access& owner, ClientFaces& faces,
                         const std::string& client_id);

// The switch between the owner and the clients. `here` is the page without `as`.
html::Writer viewer_switch(html::Markup label, const ClientFaces& faces, const Viewer& viewer, const html::Url& here);

// The visible streams, and the fields that summarize a record in one line: title, author, time and text.
struct ShownStream {
  const api::SourceView* source = nullptr;
  const api::StreamView* stream = nullptr;
  api::DocumentRoles roles = {};  // of visible fields
  Look look = Look::kFacts;

  const api::FieldView* field(std::string_view name) const;
  // Returns whether the records are ordered by a time that can be filtered.
  bool is_dated() const;
  bool has_files() const;  // a field contains a file
  // Returns whether the records only belong to those of another stream, such as the folders of mail. They are shown with those.
  bool only_links() const;
};

class ShownStreams {
 public:
  static Result<ShownStreams> of(server::ResourceServer& server, const server::Access& access);
  // The same as the owner arranged them, for lists and search: without hidden connections, and with the names of groups.
  static Result<ShownStreams> arranged(server::ResourceServer& server, const server::Access& owner);

  const std::vector<ShownStream>& all() const { return streams_; }
  const ShownStream* find(const model::RecordRef& record) const;
  // The display name of the connection's group, of the connection, or of its source.
  std::string connection_name(std::string_view connection_id) const;
  const Arrangement& arrangement() const { return arrangement_; }
  // For api::SearchRequest: the connections that are not hidden; empty if none is.
  std::vector<std::string> searched_connections() const;

 private:
  std::unique_ptr<const api::SchemaView> view_;             // owns the data of `streams_`
  std::vector<std::unique_ptr<api::StreamView>> single_{};  // streams with one connection each, if connections are arranged
  Arrangement arrangement_;                                 // empty unless arranged
  std::vector<ShownStream> streams_;
};

// A record in one line.
struct RecordLine {
  model::RecordRef ref;
  std::string title, author, text;  // empty if missing or not visible
  std::optional<Instant> time = {};
  pages::Icon icon = pages::Icon::kLayers;
  bool is_markdown = false;

  std::string preview() const;  // the text without marks
};
RecordLine line_of(const api::Record& record, const ShownStream& stream);
// The fields that line_of() reads. Empty if none is visible.
std::vector<std::string> line_fields(const ShownStream& stream);

std::string text_of(std::string_view data, std::string_view field);  // a string member, or empty
// "20 to 177 of 6,212", in characters.
std::string range_text(std::int64_t start, std::int64_t end, std::int64_t size);

}  // namespace ladder::console
