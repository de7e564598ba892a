#include "import/formats/mail/mail_invitations.h"

#include "base/text/format.h"
#include "import/formats/calendar/calendar_records.h"
#include "import/formats/record_members.h"
#include "import/text/text.h"
#include "json/writer.h"

#include <set>

namespace ladder::imports::mail {
namespace {

constexpr std::size_t kMaxEvents = 200;  // of one message; a calendar that is sent as a file may have more

bool is_calendar(const Attachment& attachment) {
  if (attachment.mime_type == "text/calendar" || attachment.mime_type == "application/ics") return true;
  return attachment.mime_type == "application/octet-stream" && lower_ascii(attachment.file_name).ends_with(".ics");
}

std::string text_of(const Attachment& attachment) {
  if (attachment.mime_type == "text/calendar") return attachment.text;
  DecodedBytes decoded(attachment.part);
  return replace_invalid(read_to_end(decoded, kMaxAttachmentTextBytes).value_or(""));
}

std::string container_value(const Components& components, std::string_view name) {
  for (const ContentLine& line : components.container()) {
    if (line.name == name) return lower_ascii(trim(line.text()));
  }
  return {};
}

}  // namespace

Status send_invitations(Sink& sink, const ReadMessage& read, const wire::FileLocation& place) {
  const Message& message = read.message;
  std::set<std::string> sent;  // many programs attach an invitation twice
  for (const Attachment& attachment : read.parts().attachments) {
    if (!is_calendar(attachment)) continue;
    const std::string text = text_of(attachment);
    BytesInMemory bytes(text);
    Components components(bytes, "VCALENDAR");
    calendar::Zones zones;
    for (Result<bool> more = components.next(); more && *more; more = components.next()) {
      const Component& component = components.component();
      if (component.name == "VTIMEZONE") zones.define(component);
      if (component.name != "VEVENT" || !component.finished) continue;
      const std::string id = digest_id({message.id, calendar::entry_id(component, "")});
      if (!sent.insert(id).second) continue;
      if (sent.size() > kMaxEvents) return sink.lost(place, format("only the first {} events of the message", kMaxEvents));
      json::Writer writer;
      writer.begin_object().member("id", id).member("message", message.id);
      optional_time_member(writer, "sent_at", message.sent_at);
      writer.optional_member("uid", component.text("UID")).optional_member("method", container_value(components, "METHOD"));
      const auto start = calendar::write_event(writer, component, zones);
      writer.end_object();
      LADDER_CHECK(sink.record({"invitations", writer.text(), place, start}));
    }
  }
  return {};
}

}  // namespace ladder::imports::mail
