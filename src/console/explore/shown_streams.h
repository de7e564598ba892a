// The streams within a reader's reach, and how a record of each is told in a line: by the title, author, time and text that its
// source declares.
#pragma once

#include "api/document_roles.h"
#include "api/records.h"
#include "pages/page.h"
#include "server/resource_server.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::console {

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
