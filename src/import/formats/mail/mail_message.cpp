#include "import/formats/mail/mail_message.h"

#include "base/text/bytes.h"
#include "base/text/format.h"
#include "crypto/hash.h"
#include "import/formats/mail/mail_date.h"
#include "import/formats/mail/mail_gmime.h"
#include "import/formats/mail/mail_invitations.h"
#include "import/formats/mail/mail_thread.h"
#include "import/formats/record_members.h"
#include "import/office/read_document.h"
#include "import/picture/picture.h"
#include "import/text/text.h"
#include "json/writer.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

namespace ladder::imports::mail {
namespace {

constexpr std::size_t kIdDigits = 32;
constexpr std::size_t kMaxDateTextBytes = 200;
// Dates outside this range are errors of clocks and programs. The limits are constants, so that a later import gives the same
// result.
constexpr Instant kEarliest = 365 * kDay;   // 1971: times near zero mean "unknown"
constexpr Instant kLatest = 47'482 * kDay;  // 2100

// The headers that identify a message. Headers added by folders, programs and delivery are excluded.
constexpr std::array kOwnHeaders = {"Message-ID",
                                    "Date",
                                    "From",
                                    "Reply-To",
                                    "To",
                                    "Cc",
                                    "Bcc",
                                    "In-Reply-To",
                                    "References",
                                    "Subject",
                                    "List-Id",
                                    "Content-Type",
                                    "Content-Transfer-Encoding"};
// A message must have at least one of them.
constexpr std::array kMailHeaders = {"From",       "Sender",   "To",          "Cc",           "Date",         "Subject",
                                     "Message-ID", "Received", "Return-Path", "Delivered-To", "MIME-Version", "Content-Type"};

void add_text(crypto::Sha256& hash, std::string_view text) {
  std::string length;
  put_varint(length, text.size());
  hash.update(length);
  hash.update(text);
}

std::string hex_id(crypto::Sha256& hash) {
  const crypto::Digest digest = hash.finish();
  return to_hex(crypto::view(digest)).substr(0, kIdDigits);
}

// Returns the text after the headers, for any line ends.
std::string_view body_of(std::string_view bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    if (bytes[at] == '\n') return bytes.substr(at + 1);
    if (bytes.substr(at, 2) == "\r\n") return bytes.substr(at + 2);
    const std::size_t end = bytes.find('\n', at);
    if (end == std::string_view::npos) break;
    at = end + 1;
  }
  return {};
}

// Hashes the body with \r\n as \n, so that a copy in another kind of mailbox has the same digest.
void add_body(crypto::Sha256& hash, std::string_view body) {
  for (std::size_t at = body.find("\r\n"); at != std::string_view::npos; at = body.find("\r\n")) {
    hash.update(body.substr(0, at));
    body.remove_prefix(at + 1);
  }
  hash.update(body);
}

std::string identity(GMimeObject* object, std::string_view bytes) {
  crypto::Sha256 hash;
  for (const char* name : kOwnHeaders) add_text(hash, raw_header(object, name));
  add_body(hash, body_of(bytes));
  return hex_id(hash);
}

// GMime adds a Content-Type to some parts. Only headers in the raw text count.
bool has_mail_header(GMimeObject* object) {
  return std::ranges::any_of(kMailHeaders, [&](const char* name) { return !raw_header(object, name).empty(); });
}

void read_date(GMimeObject* object, Message& out) {
  const std::string raw = raw_header(object, "Date");
  if (raw.empty()) return;
  const auto date = parse_mail_date(std::string_view(raw).substr(0, kMaxDateTextBytes));
  if (date && date->time >= kEarliest && date->time < kLatest) {
    out.sent_at = date->time;
    out.unknown_zone = date->unknown_zone;
    if (date->unknown_zone.empty()) return;
  }
  out.date_text = replace_invalid(std::string_view(raw).substr(0, kMaxDateTextBytes));
}

// Returns all recipients without duplicates and names.
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

// Uses Gmail's thread id, otherwise the first referenced message, which all answers in a thread share. An answer without
// references gets a derived id, and so does a message without a Message-ID, because no answer can refer to it.
void read_thread(GMimeObject* object, std::string_view text, Message& out) {
  out.thread_id = replace_invalid(raw_header(object, "X-GM-THRID"));
  if (!out.thread_id.empty()) return;
  out.thread_id = !out.references.empty() ? out.references.front() : out.in_reply_to;
  if (out.references.empty() && !out.bulk) {
    std::vector<std::string> people = recipients(out);
    for (const Address& sender : out.from) people.push_back(sender.address);
    const std::string date = replace_invalid(raw_header(object, "Date"));
    const DerivedThread derived =
        derive_thread({.subject = out.subject, .text = text, .date = date, .sent_at = out.sent_at, .participants = people});
    const bool is_named = !out.thread_id.empty() || (!derived.is_answer && !out.message_id.empty());
    out.thread_derived = !is_named && !derived.id.empty();
    (out.thread_derived ? out.thread_id : out.derived_thread_id) = derived.id;
  }
  if (out.thread_id.empty()) out.thread_id = out.message_id.empty() ? out.id : out.message_id;
}

// Newsletters and advertisements name a list or an unsubscribe link. A discussion list also names an address to post to
// (List-Post, RFC 2369); "NO" there means that posting is not possible.
bool is_bulk(GMimeObject* object) {
  const std::string precedence = lower_ascii(trim(raw_header(object, "Precedence")));
  const bool to_many = !raw_header(object, "List-Id").empty() || !raw_header(object, "List-Unsubscribe").empty() ||
                       precedence == "bulk" || precedence == "list" || precedence == "junk";
  return to_many && raw_header(object, "List-Post").find('<') == std::string::npos;
}

std::string first_of(std::vector<std::string> ids) { return ids.empty() ? std::string() : std::move(ids.front()); }

}  // namespace

std::vector<std::string> split_labels(std::string_view text) {
  std::vector<std::string> out;
  std::string label;
  bool quoted = false;
  const auto add = [&] {
    std::string clean(trim(label));
    if (!clean.empty() && std::ranges::find(out, clean) == out.end()) out.push_back(std::move(clean));
    label.clear();
  };
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    else if (c == ',' && !quoted) add();
    else label += c;
  }
  add();
  return out;
}

std::unique_ptr<ReadMessage> ReadMessage::read(std::string_view bytes, std::string_view encoding) {
  // The number of trailing line ends depends on the mailbox.
  while (bytes.ends_with('\n') || bytes.ends_with('\r')) bytes.remove_suffix(1);
  std::unique_ptr<ReadMessage> read(new ReadMessage(bytes));
  GMimeObject* object = read->text_.root();
  if (object == nullptr || !has_mail_header(object)) return nullptr;
  Message& out = read->message;
  HeaderCharset charset{charset_of_text(object)};
  if (charset.named.empty()) charset.named = encoding;
  out.id = identity(object, bytes);
  out.message_id = first_of(message_ids(object, "Message-ID"));
  out.in_reply_to = first_of(message_ids(object, "In-Reply-To"));
  out.references = message_ids(object, "References");
  out.list_id = header_text(object, "List-Id", charset);
  out.bulk = is_bulk(object);
  out.from = addresses(object, "From", charset);
  if (out.from.empty()) out.from = addresses(object, "Sender", charset);
  out.to = addresses(object, "To", charset);
  out.cc = addresses(object, "Cc", charset);
  out.bcc = addresses(object, "Bcc", charset);
  out.reply_to = addresses(object, "Reply-To", charset);
  out.subject = header_text(object, "Subject", charset);
  read_date(object, out);
  out.has_labels = g_mime_header_list_contains(g_mime_object_get_header_list(object), "X-Gmail-Labels") != FALSE;
  out.labels = split_labels(header_text(object, "X-Gmail-Labels", charset));
  out.status = raw_header(object, "Status") + raw_header(object, "X-Status");
  read->parts_.emplace(object, encoding);
  read_thread(object, read->parts_->body.text, out);
  out.guessed = std::move(charset.guessed);
  return read;
}

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

std::vector<std::string> attachment_names(const Parts& parts) {
  std::vector<std::string> out;
  out.reserve(parts.attachments.size());
  for (const Attachment& one : parts.attachments) out.push_back(one.file_name.empty() ? one.mime_type : one.file_name);
  return out;
}

std::string attachment_id(const Message& message, std::size_t index) { return format("{}-{}", message.id, index + 1); }

std::string message_record(const Message& message, const Parts& parts, const std::set<std::string>& problems) {
  json::Writer writer;
  writer.begin_object().member("id", message.id);
  writer.optional_member("message_id", message.message_id).member("thread_id", message.thread_id);
  if (message.thread_derived) writer.member("thread_derived", true);
  writer.optional_member("derived_thread_id", message.derived_thread_id);
  optional_time_member(writer, "sent_at", message.sent_at);
  writer.optional_member("date_text", message.date_text);
  writer.optional_member("from", display(message.from));
  if (!message.from.empty()) writer.optional_member("from_address", lower_ascii(message.from.front().address));
  writer.optional_member("to", display(message.to));
  writer.optional_member("cc", display(message.cc));
  writer.optional_member("bcc", display(message.bcc));
  writer.optional_member("reply_to", display(message.reply_to));
  writer.optional_member("recipients", recipients(message));
  writer.optional_member("subject", message.subject);
  writer.optional_member("labels", message.labels);
  writer.optional_member("label_names", joined(message.labels));
  writer.optional_member("in_reply_to", message.in_reply_to);
  writer.optional_member("references", message.references);
  writer.optional_member("list_id", message.list_id);
  if (message.bulk) writer.member("bulk", true);
  writer.optional_member("text", parts.body.text);
  writer.optional_member("other_text", parts.body.other_text);
  writer.optional_member("html", parts.body.html);
  writer.optional_member("links", parts.body.links);
  writer.member("attachment_count", parts.attachments.size());
  writer.optional_member("attachment_names", attachment_names(parts));
  std::set<std::string> guessed = message.guessed;
  guessed.insert(parts.guessed.begin(), parts.guessed.end());
  writer.optional_member("charset_guessed", joined(guessed));
  writer.optional_member("problems", problems);
  writer.end_object();
  return writer.take();
}

// Extracts the text of a document only when its attachment is sent, so that progress is reported between two documents.
std::optional<DocumentText> read_attached_document(const Attachment& attachment) {
  const std::string_view kind = document_kind(attachment.file_name, attachment.mime_type);
  if (kind.empty() && !is_readable_picture(attachment.file_name, attachment.mime_type)) return std::nullopt;
  DecodedBytes decoded(attachment.part);
  const auto bytes = read_to_end(decoded, limits::kMaxPdfBytes);
  if (bytes && (!kind.empty() || begins_as_picture(*bytes))) return read_document(*bytes, kMaxAttachmentTextBytes);
  if (bytes) return std::nullopt;
  DocumentText none;
  if (kind != "pdf") none.page_kind.clear();
  none.problems.push_back(bytes.error().message);
  return none;
}

Status send_attachment(Sink& sink, const ReadMessage& read, std::size_t index, const wire::FileLocation& place) {
  const Message& message = read.message;
  const Attachment& attachment = read.parts().attachments[index];
  DecodedBytes bytes(attachment.part);
  const Result<std::string> reference = sink.blob(attachment.mime_type, bytes);
  if (!reference) {
    if (reference.error().code != Code::kResourceLimit) return std::unexpected(reference.error());
    return sink.lost(place,
                     format("attachment {} of the message is too large to keep: {}", index + 1, reference.error().message));
  }
  const std::optional<DocumentText> document = read_attached_document(attachment);
  if (document) {
    LADDER_CHECK(
        report_document_losses(*document, "attachments", place, format("attachment {} of the message: ", index + 1), sink));
  }
  json::Writer writer;
  writer.begin_object().member("id", attachment_id(message, index)).member("message", message.id);
  writer.member("number", index + 1);
  optional_time_member(writer, "sent_at", message.sent_at);
  writer.optional_member("file_name", attachment.file_name).member("mime_type", attachment.mime_type);
  writer.member("size_bytes", bytes.count());
  writer.optional_member("message_subject", message.subject).optional_member("from", display(message.from));
  writer.optional_member("text", document ? document->text : attachment.text);
  if (attachment.text_is_cut && !document) writer.member("text_is_cut", true);
  writer.optional_member("charset_guessed", joined(attachment.guessed));
  if (document) write_document_members(writer, *document);
  writer.key("blob_ref").raw(*reference).end_object();
  return sink.record({"attachments", writer.text(), place, message.sent_at});
}

void flag(json::Writer& writer, std::string_view name, std::optional<bool> value) {
  if (value) writer.member(name, *value);
}

Status send_filing(Sink& sink, const Message& message, const Filing& filing, const wire::FileLocation& place) {
  json::Writer writer;
  writer.begin_object().member("id", digest_id({message.id, filing.folder})).member("message", message.id);
  writer.member("folder", filing.folder);
  optional_time_member(writer, "sent_at", message.sent_at);
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
    std::string cut = format("the message has {} bytes; only the first {} were imported", source.size, source.kept);
    LADDER_CHECK(sink.lost({source.place.file, source.place.byte}, cut));
    problems.insert(std::move(cut));
  }
  if (!message.sent_at) {
    LADDER_CHECK(sink.skipped("messages", message.date_text.empty() ? "a message without a date (the message is imported)"
                                                                    : "an impossible date (the message is imported)"));
  }
  if (!message.unknown_zone.empty()) {
    LADDER_CHECK(sink.skipped("messages", "an unknown time zone; the date was read as UTC (the message is imported)"));
    problems.insert(format("the time zone {} of the date is not known; the date is read as UTC", message.unknown_zone));
  }
  LADDER_CHECK(sink.record({"messages", message_record(message, read.parts(), problems), source.place, message.sent_at}));
  for (std::size_t i = 0; i < read.parts().attachments.size(); ++i) {
    LADDER_CHECK(send_attachment(sink, read, i, source.place));
  }
  LADDER_CHECK(send_invitations(sink, read, source.place));
  if (!message.has_labels) LADDER_CHECK(send_filing(sink, message, filing, source.place));
  return {};
}

}  // namespace ladder::imports::mail
