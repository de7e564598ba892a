// Deletes one record for good, after a confirmation.
#include "base/text/format.h"
#include "console/console.h"
#include "console/explore/record_view.h"
#include "console/parts.h"
#include "model/record_id.h"

namespace ladder::console {

Result<http::Response> Console::delete_record(Visit& visit) {
  server::ResourceServer& server = authorization_.server();
  const std::string id = visit.form.one("id");
  LADDER_TRY(const model::RecordRef named, model::parse_record_id(id));
  pages::Frame frame = visit.frame;
  frame.title = "Delete a record";
  if (gate_.has_to_sign_in_again(visit)) return pages::Gate::sign_in_again("/record/delete?id=" + Url::encoded(id));
  api::RecordRequest request;
  request.record = named;
  const auto record = server.reads().record(*visit.owner, request);
  if (!record || record->deleted)
    return pages::message_page(404, frame, "Record not found", "It may already be deleted. Search finds what is there.");
  if (visit.is_post) {
    LADDER_CHECK(server.erasures().erase_record(*visit.owner, record->ref));
    return pages::message_page(200, frame, "The record is deleted", "Imports and syncs don't bring it back.");
  }
  LADDER_TRY(const ShownStreams streams, ShownStreams::of(server, *visit.owner));
  const ShownStream* const stream = streams.find(record->ref);
  const std::string title = stream ? text_of(record->data, stream->roles.title) : std::string();
  const std::string shown = title.empty() ? record->ref.record_id : api::shortened(title, api::kTitleChars);
  const std::string text = stream ? text_of(record->data, stream->roles.text) : std::string();
  const Url back = Url::path("/record").with("id", id);
  Writer main;
  main << Markup("<div class=\"page-head\"><div><h1>Delete this record?</h1><p class=\"lead\"><bdi>") << Text(shown)
       << Markup("</bdi></p><p class=\"soft\" dir=\"auto\">") << Text(api::shortened(text, api::kTitleChars))
       << Markup("</p></div></div><form class=\"card stack\" method=\"post\" action=\"/record/delete\" autocomplete=\"off\">")
       << pages::hidden("csrf", visit.csrf()) << pages::hidden("id", id)
       << Markup(
              "<p>It is deleted from this computer, and imports and syncs don't bring it back. It stays where it came from. Apps "
              "keep what they have already read. You can't undo it.</p><div class=\"row\"><button class=\"btn "
              "btn-bad\">Delete permanently</button><a class=\"btn\"")
       << Attribute("href", back)
       << Markup(">Cancel</a></div></form><p class=\"small quiet\">In a terminal: <code>ladder delete ")
       << Text(model::format_record_id(record->ref)) << Markup("</code></p>\n");
  return pages::page(200, frame, main);
}

}  // namespace ladder::console
