#include "import/formats/mail_records.h"

#include "base/format.h"
#include "import/formats/digest_id.h"
#include "import/formats/mail_limits.h"
#include "import/formats/pdf_members.h"
#include "import/pdf.h"
#include "import/text.h"
#include "json/writer.h"

#include <algorithm>
#include <optional>
#include <set>

namespace ladder::imports::mail {
namespace {

std::string display(const std::vector<Address>& list) {
  std::string out;
  for (const Address& one : list) {
    if (!out.empty()) out += ", ";
    out += one.display();
  }
  return out;
}

std::string joined(const auto& texts) {
  std::string out;
  for (const std::string& each : texts) {
    if (!out.empty()) out += ", ";
    out += each;
  }
  return out;
}

void texts_member(json::Writer& writer, std::string_view name, const auto& texts) {
  if (texts.empty()) return;
  writer.key(name).begin_array();
  for (const std::string& each : texts) writer.string(each);
  writer.end_array();
}

// Everybody it went to, once each, without names.
std::vector<std::string> recipients(const Message& message) {
  std::vector<std::string> out;
  std::set<std::string> seen;
  for (const auto* list : {&message.to, &message.cc, &message.bcc}) {
    for (const Address& one : *list) {
      std::string address = lower_ascii(one.address);
      if (!address.empty() && seen.insert(address).second) out.push_back(std::move(address));
    }
  }
  return out;
}

std::vector<std::string> attachment_names(const Parts& parts) {
  std::vector<std::string> out;
  out.reserve(parts.attachments.size());
  for (const Attachment& one : parts.attachments) out.push_back(one.file_name.empty() ? one.mime_type : one.file_name);
  return out;
}

std::string attachment_id(const Message& message, std::size_t index) { return format("{}-{}", message.id, index + 1); }

void time_member(json::Writer& writer, const Message& message) {
  if (message.sent_at) writer.member("sent_at", format_time(*message.sent_at));
}

std::string message_record(const Message& message, const Parts& parts, const std::set<std::string>& problems) {
  json::Writer writer;
  writer.begin_object().member("id", message.id);
  writer.optional_member("message_id", message.message_id).member("thread_id", message.thread_id);
  time_member(writer, message);
  writer.optional_member("date_text", message.date_text);
  writer.optional_member("from", display(message.from));
  if (!message.from.empty()) writer.optional_member("from_address", lower_ascii(message.from.front().address));
  writer.optional_member("to", display(message.to));
  writer.optional_member("cc", display(message.cc));
  writer.optional_member("bcc", display(message.bcc));
  writer.optional_member("reply_to", display(message.reply_to));
  texts_member(writer, "recipients", recipients(message));
  writer.optional_member("subject", message.subject);
  texts_member(writer, "labels", message.labels);
  writer.optional_member("label_names", joined(message.labels));
  writer.optional_member("in_reply_to", message.in_reply_to);
  texts_member(writer, "references", message.references);
  writer.optional_member("list_id", message.list_id);
  writer.optional_member("text", parts.body.text);
  writer.optional_member("other_text", parts.body.other_text);
  writer.optional_member("html", parts.body.html);
  texts_member(writer, "links", parts.body.links);
  writer.member("attachment_count", parts.attachments.size());
  texts_member(writer, "attachment_names", attachment_names(parts));
  std::set<std::string> guessed = message.guessed;
  guessed.insert(parts.guessed.begin(), parts.guessed.end());
  writer.optional_member("charset_guessed", joined(guessed));
  texts_member(writer, "problems", problems);
  writer.end_object();
  return writer.take();
}

bool is_pdf(const Attachment& attachment) {
  if (attachment.mime_type == "application/pdf" || attachment.mime_type == "application/x-pdf") return true;
  return attachment.mime_type == "application/octet-stream" && lower_ascii(attachment.file_name).ends_with(".pdf");
}

// The text of a PDF is taken out here, one at a time between two signs of life, and not with the other parts.
std::optional<Pdf> read_attached_pdf(const Attachment& attachment) {
  if (!is_pdf(attachment)) return std::nullopt;
  DecodedBytes decoded(attachment.part);
  const auto bytes = read_whole(decoded, limits::kMaxPdfBytes);
  if (bytes) return read_pdf(*bytes, kMaxAttachmentTextBytes);
  Pdf none;
  none.problems.push_back(bytes.error().message);
  return none;
}

Status send_attachment(Sink& sink, const ReadMessage& read, std::size_t index, const extract::Place& place) {
  const Message& message = read.message;
  const Attachment& attachment = read.parts().attachments[index];
  DecodedBytes bytes(attachment.part);
  const Result<std::string> reference = sink.blob(attachment.mime_type, bytes);
  if (!reference) {
    if (reference.error().code != Code::kResourceLimit) return std::unexpected(reference.error());
    return sink.lost(place,
                     format("attachment {} of the message is too large to keep: {}", index + 1, reference.error().message));
  }
  const std::optional<Pdf> pdf = read_attached_pdf(attachment);
  if (pdf) LADDER_CHECK(tell_pdf_losses(*pdf, "attachments", place, format("attachment {} of the message: ", index + 1), sink));
  json::Writer writer;
  writer.begin_object().member("id", attachment_id(message, index)).member("message", message.id);
  writer.member("number", index + 1);
  time_member(writer, message);
  writer.optional_member("file_name", attachment.file_name).member("mime_type", attachment.mime_type);
  writer.member("size_bytes", bytes.count());
  writer.optional_member("message_subject", message.subject).optional_member("from", display(message.from));
  writer.optional_member("text", pdf ? pdf->text : attachment.text);
  if (attachment.text_is_cut) writer.member("text_is_cut", true);
  writer.optional_member("charset_guessed", joined(attachment.guessed));
  if (pdf) write_pdf_members(writer, *pdf);
  writer.key("blob_ref").raw(*reference).end_object();
  return sink.record({"attachments", writer.text(), place, message.sent_at});
}

void flag(json::Writer& writer, std::string_view name, std::optional<bool> value) {
  if (value) writer.member(name, *value);
}

Status send_filing(Sink& sink, const Message& message, const Filing& filing, const extract::Place& place) {
  json::Writer writer;
  writer.begin_object().member("id", digest_id({message.id, filing.folder})).member("message", message.id);
  writer.member("folder", filing.folder);
  time_member(writer, message);
  writer.optional_member("subject", message.subject);
  flag(writer, "read", filing.read);
  flag(writer, "replied", filing.replied);
  flag(writer, "flagged", filing.flagged);
  flag(writer, "trashed", filing.trashed);
  flag(writer, "draft", filing.draft);
  writer.end_object();
  return sink.record({"filings", writer.text(), place, message.sent_at});
}

}  // namespace

Status send(Sink& sink, const ReadMessage& read, const Source& source, const Filing& filing) {
  const Message& message = read.message;
  std::set<std::string> problems = read.parts().problems;
  if (source.kept < source.size) {
    std::string cut = format("the message has {} bytes; what comes after the first {} is left out", source.size, source.kept);
    LADDER_CHECK(sink.lost({source.place.file, source.place.byte}, cut));
    problems.insert(std::move(cut));
  }
  if (!message.sent_at) {
    LADDER_CHECK(sink.skipped("messages", message.date_text.empty() ? "the date of a message that has none (the message is kept)"
                                                                    : "a date that cannot be right (the message is kept)"));
  }
  LADDER_CHECK(sink.record({"messages", message_record(message, read.parts(), problems), source.place, message.sent_at}));
  for (std::size_t i = 0; i < read.parts().attachments.size(); ++i) {
    LADDER_CHECK(send_attachment(sink, read, i, source.place));
  }
  if (!message.has_labels) LADDER_CHECK(send_filing(sink, message, filing, source.place));
  return {};
}

}  // namespace ladder::imports::mail
