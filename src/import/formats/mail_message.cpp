#include "import/formats/mail_message.h"

#include "base/bytes.h"
#include "crypto/hash.h"
#include "import/text.h"

#include <algorithm>
#include <array>

namespace ladder::imports::mail {
namespace {

constexpr std::size_t kIdDigits = 32;
constexpr std::size_t kMaxDateTextBytes = 200;
// Dates outside are mistakes of clocks and programs; fixed, so that a later import reads the same.
constexpr Instant kEarliest = 365 * kDay;   // 1971: zero, and what lies around it, means "not known"
constexpr Instant kLatest = 47'482 * kDay;  // 2100

// What a record keeps. Headers that folders, programs and ways of delivery add are not the message's own.
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
// One of them makes it a mail.
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

// What stands behind the headers, whatever the line ends.
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

// The body with \n alone for \r\n: a copy in another kind of mailbox has the same digest.
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

// GMime gives some parts a Content-Type that they do not have: only what is written counts.
bool has_mail_header(GMimeObject* object) {
  return std::ranges::any_of(kMailHeaders, [&](const char* name) { return !raw_header(object, name).empty(); });
}

void read_date(GMimeObject* object, Message& out) {
  const std::string raw = raw_header(object, "Date");
  if (raw.empty()) return;
  if (GDateTime* date = g_mime_utils_header_decode_date(raw.c_str())) {
    const Instant instant = static_cast<Instant>(g_date_time_to_unix(date)) * kSecond;
    g_date_time_unref(date);
    if (instant >= kEarliest && instant < kLatest) {
      out.sent_at = instant;
      return;
    }
  }
  out.date_text = replace_invalid(std::string_view(raw).substr(0, kMaxDateTextBytes));
}

// Gmail's own thread; else the first message that this one refers to, which is the same for all that do.
std::string thread_of(GMimeObject* object, const Message& message) {
  if (std::string own = replace_invalid(raw_header(object, "X-GM-THRID")); !own.empty()) return own;
  if (!message.references.empty()) return message.references.front();
  if (!message.in_reply_to.empty()) return message.in_reply_to;
  return message.message_id.empty() ? message.id : message.message_id;
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
  // How many line ends stand at the end depends on the mailbox.
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
  out.from = addresses(object, "From", charset);
  if (out.from.empty()) out.from = addresses(object, "Sender", charset);
  out.to = addresses(object, "To", charset);
  out.cc = addresses(object, "Cc", charset);
  out.bcc = addresses(object, "Bcc", charset);
  out.reply_to = addresses(object, "Reply-To", charset);
  out.subject = header_text(object, "Subject", charset);
  read_date(object, out);
  out.thread_id = thread_of(object, out);
  out.has_labels = g_mime_header_list_contains(g_mime_object_get_header_list(object), "X-Gmail-Labels") != FALSE;
  out.labels = split_labels(header_text(object, "X-Gmail-Labels", charset));
  out.status = raw_header(object, "Status") + raw_header(object, "X-Status");
  read->parts_.emplace(object, encoding);
  out.guessed = std::move(charset.guessed);
  return read;
}

}  // namespace ladder::imports::mail
