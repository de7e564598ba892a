#include "import/formats/outlook/outlook_items.h"

#include "base/text/base64.h"
#include "base/text/format.h"
#include "import/formats/mail/mail_date.h"
#include "import/formats/mail/mail_gmime.h"
#include "import/office/read_document.h"
#include "import/text/mime_type.h"
#include "import/text/text.h"

#include <algorithm>
#include <array>

namespace ladder::imports::outlook {
namespace {

constexpr int kMaxDepth = 8;  // of messages in messages

std::string base64_lines(std::string_view bytes) {
  constexpr std::size_t kBytesPerLine = 57;
  std::string out;
  for (std::size_t at = 0; at < bytes.size(); at += kBytesPerLine) {
    out += base64::encode(bytes.substr(at, kBytesPerLine));
    out += '\n';
  }
  return out;
}

std::string without_line_breaks(std::string text) {
  std::ranges::replace_if(text, [](char c) { return c == '\r' || c == '\n'; }, ' ');
  return text;
}

std::string encoded_word(const std::string& text) {
  const bool is_plain = std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; });
  return is_plain ? text : format("=?utf-8?B?{}?=", base64::encode(without_line_breaks(text)));
}

// Exchange writes "/O=COMPANY/OU=…/CN=RECIPIENTS/CN=ANN" for colleagues.
std::string mail_address(const std::string& address) {
  if (!address.starts_with('/')) return address;
  const std::size_t name = lower_ascii(address).rfind("/cn=");
  return name == std::string::npos ? std::string() : address.substr(name + 4);
}

std::string mailbox_text(std::string name, const std::string& written) {
  const std::string address = without_line_breaks(mail_address(written));
  if (name == address || name.empty()) return format("<{}>", address);
  std::erase_if(name, [](char c) { return c == '"' || c == '\\'; });
  const std::string shown = encoded_word(without_line_breaks(std::move(name)));
  return format("{} <{}>", shown.starts_with("=?") ? shown : format("\"{}\"", shown), address);
}

std::string mail_date(Instant time) {
  constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::int64_t day = floor_div(time, kDay), second = (time - day * kDay) / kSecond;
  const CivilDate date = civil_date(day);
  return format("{:02} {} {} {:02}:{:02}:{:02} +0000", date.day, kMonths[static_cast<std::size_t>(date.month - 1)], date.year,
                second / 3600, second / 60 % 60, second % 60);
}

bool is_bad_date(std::string_view line) {
  constexpr std::string_view kName = "date:";
  return starts_with_ignoring_case(line, kName) && !mail::parse_mail_date(trim(line.substr(kName.size())));
}

// The original headers without those that describe the MIME parts, and without a date that cannot be read.
std::string kept_headers(const std::string& headers) {
  std::string out;
  bool keeps = false;
  for (std::string_view rest = headers; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) break;
    if (line.front() != ' ' && line.front() != '\t') {
      const std::size_t colon = line.find(':');
      keeps = colon != std::string_view::npos && line.substr(0, colon).find(' ') == std::string_view::npos &&
              !starts_with_ignoring_case(line, "content-") && !starts_with_ignoring_case(line, "mime-version:") &&
              !is_bad_date(line);
    }
    if (keeps) out.append(line) += '\n';
  }
  return out;
}

std::string subject_of(const Item& item) {
  std::string subject = item.text(kSubject);
  if (subject.starts_with('\x01') && subject.size() > 1) subject.erase(0, 2);  // the length of the prefix "Re: "
  return without_line_breaks(std::move(subject));
}

std::string date_of(const Item& message) {
  auto time = message.time(kSubmitTime);
  if (!time) time = message.time(kDeliveryTime);
  return time ? mail_date(*time) : std::string();
}

std::string own_headers(const Item& message) {
  std::string out;
  const auto add = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) out += format("{}: {}\n", name, value);
  };
  std::string address = message.text(kSenderSmtpAddress);
  if (address.empty()) address = message.text(kSenderAddress);
  if (const std::string name = message.text(kSenderName); !name.empty() || !address.empty()) {
    add("From", mailbox_text(name, address));
  }
  constexpr std::array<std::string_view, 3> kNames = {"To", "Cc", "Bcc"};
  const std::vector<Recipient> recipients = message.recipients();
  for (std::uint32_t type = 1; type <= kNames.size(); ++type) {
    std::string list;
    for (const Recipient& each : recipients) {
      if (each.type == type) list += (list.empty() ? "" : ",\n ") + mailbox_text(each.name, each.address);
    }
    add(kNames[type - 1], list);
  }
  add("Date", date_of(message));
  add("Subject", encoded_word(subject_of(message)));
  add("Message-ID", without_line_breaks(message.text(kMessageId)));
  add("In-Reply-To", without_line_breaks(message.text(kInReplyTo)));
  add("References", without_line_breaks(message.text(kReferences)));
  return out;
}

std::string part(std::string_view boundary, std::string_view headers, std::string_view bytes) {
  return format("--{}\n{}Content-Transfer-Encoding: base64\n\n{}", boundary, headers, base64_lines(bytes));
}

std::string mime_at(const Item& message, int depth);

std::string attachment_part(const Item& attachment, std::string_view boundary, int depth) {
  std::string name = attachment.text(kLongFileName);
  if (name.empty()) name = attachment.text(kFileName);
  if (name.empty()) name = attachment.text(kDisplayName);
  std::string type = lower_ascii(attachment.text(kMimeType)), bytes;
  if (const Item inner = attachment.attached_item(); inner && depth < kMaxDepth) {
    bytes = mime_at(inner, depth + 1);
    type = "message/rfc822";
    name.clear();
  } else {
    bytes = attachment.data();
  }
  if (type.find('/') == std::string::npos || type.find_first_of(" ;\r\n") != std::string::npos) type = mime_type_of(name);
  std::string headers = format("Content-Type: {}\n", type);
  headers +=
      name.empty() ? "Content-Disposition: attachment\n" : format("Content-Disposition: attachment; filename=\"{}\"\n", [&] {
        std::erase_if(name, [](char c) { return c == '"' || c == '\\'; });
        return encoded_word(without_line_breaks(name));
      }());
  return part(boundary, headers, bytes);
}

std::string mime_at(const Item& message, int depth) {
  const std::string transport = kept_headers(message.text(kTransportHeaders));
  const std::string outer = format("=_outlook_{}", depth), inner = format("=_outlook_{}_text", depth);
  std::string out = transport.empty() ? own_headers(message) : transport;
  const bool has_date = out.starts_with("Date:") || lower_ascii(out).find("\ndate:") != std::string::npos;
  if (const std::string date = date_of(message); !has_date && !date.empty()) out += format("Date: {}\n", date);
  out += format("MIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=\"{}\"\n\n", outer);
  std::string plain = message.plain_body();
  while (plain.ends_with('\n') || plain.ends_with('\r')) plain.pop_back();
  const std::string html = message.html_body();
  if (plain.empty() && html.empty()) {
    const std::string rtf = message.rtf_body();
    if (rtf.starts_with("{\\rtf")) plain = read_document(rtf, mail::kMaxAttachmentTextBytes).text;
  }
  out += format("--{}\nContent-Type: multipart/alternative; boundary=\"{}\"\n\n", outer, inner);
  if (!plain.empty()) out += part(inner, "Content-Type: text/plain; charset=utf-8\n", plain);
  if (!html.empty()) out += part(inner, "Content-Type: text/html\n", html);
  out += format("--{}--\n", inner);
  for (const Item& attachment : message.attachments()) {
    if (out.size() < mail::kMaxMessageBytes) out += attachment_part(attachment, outer, depth);
  }
  return out + format("--{}--\n", outer);
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') out += "\\n";
    else if (c == '\\' || c == ',' || c == ';') out.append(1, '\\') += c;
    else if (c != '\r') out += c;
  }
  return out;
}

std::string utc_text(Instant time) {
  std::string text = format_time(time).substr(0, 19);
  std::erase_if(text, [](char c) { return c == '-' || c == ':'; });
  return text + "Z";
}

// Whole days begin at midnight in the owner's zone, at most twelve hours from midnight in UTC.
std::string day_text(Instant time) { return utc_text(time + kDay / 2).substr(0, 8); }

class Lines {
 public:
  void add(std::string_view name, const std::string& value) {
    if (!value.empty()) text_ += format("{}:{}\n", name, escaped(value));
  }
  void raw(std::string_view line) { text_.append(line) += '\n'; }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

}  // namespace

std::string mime_of(const Item& message) { return mime_at(message, 0); }

std::string event_of(const Item& event) {
  Lines lines;
  lines.raw("BEGIN:VEVENT");
  const bool is_day = event.is_set(kAllDay);
  for (const auto& [name, property] : {std::pair{"DTSTART", kStart}, std::pair{"DTEND", kEnd}}) {
    const auto time = event.time(property);
    if (time) lines.raw(is_day ? format("{};VALUE=DATE:{}", name, day_text(*time)) : format("{}:{}", name, utc_text(*time)));
  }
  lines.add("SUMMARY", subject_of(event));
  lines.add("LOCATION", event.text(kLocation));
  lines.add("DESCRIPTION", event.plain_body());
  for (const Recipient& each : event.recipients()) {
    std::string name = without_line_breaks(each.name);
    std::erase(name, '"');
    lines.raw(format("ATTENDEE;CN=\"{}\":mailto:{}", name, without_line_breaks(mail_address(each.address))));
  }
  lines.raw("END:VEVENT");
  return lines.take();
}

std::string task_of(const Item& task) {
  Lines lines;
  lines.raw("BEGIN:VTODO");
  if (const auto due = task.time(kDue)) lines.raw(format("DUE;VALUE=DATE:{}", day_text(*due)));
  lines.add("SUMMARY", subject_of(task));
  lines.add("DESCRIPTION", task.plain_body());
  lines.raw(task.is_set(kIsComplete) ? "STATUS:COMPLETED" : "STATUS:NEEDS-ACTION");
  lines.raw("END:VTODO");
  return lines.take();
}

std::string card_of(const Item& contact) {
  struct Field {
    std::string_view line;
    std::uint32_t property;
  };
  constexpr std::array kFields = {
      Field{"FN", kDisplayName},
      Field{"NICKNAME", 0x3A4F},
      Field{"TITLE", 0x3A17},
      Field{"TEL;TYPE=work", 0x3A08},
      Field{"TEL;TYPE=home", 0x3A09},
      Field{"TEL;TYPE=cell", 0x3A1C},
      Field{"TEL;TYPE=work,fax", 0x3A24},
      Field{"EMAIL", 0x8083},
      Field{"EMAIL", 0x8093},
      Field{"EMAIL", 0x80A3},
      Field{"URL", 0x3A51},
  };
  Lines lines;
  lines.raw("BEGIN:VCARD");
  lines.raw("VERSION:3.0");
  lines.raw(format("N:{};{}", escaped(contact.text(0x3A11)), escaped(contact.text(0x3A06))));
  for (const Field& each : kFields) lines.add(each.line, contact.text(each.property));
  const std::string company = contact.text(0x3A16), department = contact.text(0x3A18);
  if (!company.empty() || !department.empty()) lines.raw(format("ORG:{};{}", escaped(company), escaped(department)));
  const auto address = [&](std::string_view type, const std::array<std::uint32_t, 5>& properties) {
    std::string text;
    bool has_any = false;
    for (const std::uint32_t property : properties) {
      const std::string value = contact.text(property);
      has_any = has_any || !value.empty();
      text += format(";{}", escaped(value));
    }
    if (has_any) lines.raw(format("ADR;TYPE={}:;{}", type, text));
  };
  address("home", {0x3A5D, 0x3A59, 0x3A5C, 0x3A5B, 0x3A5A});
  address("work", {0x8045, 0x8046, 0x8047, 0x8048, 0x8049});
  if (const auto birthday = contact.time(0x3A42)) lines.raw(format("BDAY:{}", format_time(*birthday + kDay / 2).substr(0, 10)));
  lines.add("NOTE", contact.plain_body());
  lines.raw("END:VCARD");
  return lines.take();
}

}  // namespace ladder::imports::outlook
