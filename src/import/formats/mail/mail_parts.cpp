// Walks the tree of parts. Of alternatives, the more complete one becomes the text, and the HTML is kept too. Parts in sequence
// are concatenated. All others are attachments.
#include "import/formats/mail/mail_parts.h"

#include "base/text/format.h"
#include "base/text/utf8.h"
#include "import/charset/read_text.h"
#include "import/formats/mail/mail_gmime.h"
#include "import/formats/mail/mail_text.h"
#include "import/html/html_text.h"
#include "import/io/limits.h"
#include "import/text/text.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace ladder::imports::mail {
namespace {

constexpr std::size_t kMaxTypeBytes = 127;
constexpr std::size_t kMaxFileNameBytes = 1024;
constexpr std::size_t kMaxSubjectNameBytes = 200;  // of a file name made from a subject

bool begins_as_html(std::string_view bytes) {
  const std::string_view start = trim(bytes.substr(0, 256));
  return starts_with_ignoring_case(start, "<html") || starts_with_ignoring_case(start, "<!doctype html");
}

std::string parameter(GMimeObject* object, const char* name) {
  const char* value = g_mime_object_get_content_type_parameter(object, name);
  return value == nullptr ? std::string() : replace_invalid(value);
}

constexpr std::string_view kBroken = "";  // an invalid type

bool is_token(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](char c) {
    return c > 32 && c < 127 && std::string_view("()<>@,;:\\\"/[]?=").find(c) == std::string_view::npos;
  });
}

// Returns the type in lower case without parameters; kBroken if the header does not contain a type.
std::string declared_mime_type(GMimeObject* object) {
  const std::string raw = raw_header(object, "Content-Type");
  if (!raw.empty()) {
    // Comments and blanks before the type are rare, and GMime handles them.
    const std::string_view written = std::string_view(raw).substr(0, raw.find_first_of("; \t("));
    const std::size_t slash = written.find('/');
    const bool names_one =
        slash != std::string_view::npos && is_token(written.substr(0, slash)) && is_token(written.substr(slash + 1));
    if (!names_one && !raw.starts_with('(')) return std::string(kBroken);
  }
  GMimeContentType* type = g_mime_object_get_content_type(object);
  const char* main = type == nullptr ? nullptr : g_mime_content_type_get_media_type(type);
  const char* sub = type == nullptr ? nullptr : g_mime_content_type_get_media_subtype(type);
  std::string text = main == nullptr || sub == nullptr ? std::string() : lower_ascii(std::string(main) + "/" + sub);
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos || text.size() > kMaxTypeBytes || !is_token(text.substr(0, slash)) ||
      !is_token(text.substr(slash + 1))) {
    return std::string(kBroken);
  }
  return text;
}

// Unknown text types are read as plain text (RFC 2046, 4.1.4). Calendars, cards and tables are files for other programs.
bool is_readable_text(std::string_view type) {
  if (!type.starts_with("text/")) return false;
  constexpr std::array<std::string_view, 8> kFiles = {"calendar", "x-vcalendar",          "vcard", "x-vcard", "directory",
                                                      "csv",      "tab-separated-values", "rtf"};
  return std::ranges::find(kFiles, type.substr(5)) == kFiles.end();
}

// The AMP and watch versions of a message are HTML, too.
bool is_html_type(std::string_view type) {
  return type == "text/html" || type == "text/x-amp-html" || type == "text/x-watch-html";
}

std::string text_or_nothing(const char* text) { return text == nullptr ? std::string() : to_utf8(text); }

// Returns the name in the disposition, otherwise in the type.
std::string written_name_of(GMimePart* part, HeaderCharset& charset) {
  GMimeObject* object = GMIME_OBJECT(part);
  const auto written = [&](const char* header, std::string_view parameter, auto read) {
    std::string name = extended_parameter(raw_header(object, header), parameter, charset);
    return name.empty() ? read(recoded_header(object, header, charset)) : name;
  };
  std::string name = written("Content-Disposition", "filename", [](const std::string& header) {
    const Ref<GMimeContentDisposition> placed(g_mime_content_disposition_parse(parser_options(), header.c_str()));
    return text_or_nothing(g_mime_content_disposition_get_parameter(placed.get(), "filename"));
  });
  if (!name.empty()) return name;
  return written("Content-Type", "name", [](const std::string& header) {
    const Ref<GMimeContentType> typed(g_mime_content_type_parse(parser_options(), header.c_str()));
    return text_or_nothing(g_mime_content_type_get_parameter(typed.get(), "name"));
  });
}

std::string file_name_of(GMimePart* part, HeaderCharset& charset) {
  // Most parts have no name, or one that GMime reads correctly.
  std::string text = text_or_nothing(g_mime_part_get_filename(part));
  if (!text.empty()) text = written_name_of(part, charset);
  std::erase_if(text, [](char c) { return static_cast<unsigned char>(c) < 32; });
  return std::string(trim(beginning(text, kMaxFileNameBytes)));
}

// Returns at most `max` decoded bytes; `cut` is set if there were more. `after` receives the text after the end of base64.
std::string content(GMimePart* part, std::size_t max, bool& cut, std::string* after = nullptr) {
  DecodedBytes bytes(part);
  if (after != nullptr) *after = bytes.after_base64().substr(0, kMaxAttachmentTextBytes);
  std::string out;
  constexpr std::size_t kFirstPiece = 8 * limits::kKiB;  // most texts are shorter
  // Reserve space for the content and the last read: growing would hold a long text twice.
  out.reserve(std::min(bytes.most(), max) + std::min(bytes.most() + kFirstPiece, limits::kMiB));
  for (std::size_t piece = kFirstPiece;; piece = std::min(piece * 2, limits::kMiB)) {
    const std::size_t had = out.size();
    out.resize(had + piece);
    const Result<std::size_t> done = bytes.read(out.data() + had, piece);
    out.resize(had + done.value_or(0));
    if (done.value_or(0) == 0) return out;
    if (out.size() > max) {
      cut = true;
      out.resize(max);
      return out;
    }
  }
}

}  // namespace

Parts::Parts(GMimeObject* root, std::string_view encoding) : encoding_(encoding) {
  if (root == nullptr) return;
  names_.named = charset_of_text(root);
  if (names_.named.empty()) names_.named = encoding;
  body = read(root, 0).body;
  // If all text is in files shown inline, they become the text.
  if (is_blank(body.text) && body.html.empty()) {
    for (GMimePart* part : shown_) {
      Piece piece = read_text(part, declared_mime_type(GMIME_OBJECT(part)));
      append_body(body, piece.body);
    }
  }
  convert_html(body);
  if (body.html_is_cut) problems.insert("the HTML is too large; the end of its text was not imported");
}

bool Parts::has_room() {
  if (attachments.size() < kMaxAttachments) return true;
  problems.insert(format("only the first {} attachments are kept", kMaxAttachments));
  return false;
}

Parts::Piece Parts::read(GMimeObject* object, int depth) {
  if (depth > kMaxPartDepth) {
    problems.insert(format("parts nested deeper than {} are left out", kMaxPartDepth));
    return {};
  }
  if (GMIME_IS_MULTIPART(object)) return read_multipart(GMIME_MULTIPART(object), depth);
  if (GMIME_IS_PART(object)) return read_part(GMIME_PART(object), depth);
  return {};
}

Parts::Piece Parts::read_multipart(GMimeMultipart* multipart, int depth) {
  GMimeContentType* type = g_mime_object_get_content_type(GMIME_OBJECT(multipart));
  const bool alternative = type != nullptr && g_mime_content_type_is_type(type, "multipart", "alternative") != FALSE;
  if (type != nullptr && g_mime_content_type_is_type(type, "multipart", "encrypted") != FALSE) {
    problems.insert("the message is encrypted; its text cannot be read");
  }
  const int count = g_mime_multipart_get_count(multipart);
  if (count == 0) return read_undivided(multipart);
  Piece whole;
  std::vector<Piece> versions;
  for (int i = 0; i < count; ++i) {
    Piece piece = read(g_mime_multipart_get_part(multipart, i), depth + 1);
    if (alternative) {
      versions.push_back(std::move(piece));
      continue;
    }
    append_body(whole.body, piece.body);
    whole.is_plain = whole.is_plain || piece.is_plain;
  }
  return alternative ? choose_among(std::move(versions)) : whole;
}

// The text is the first plain text, and the HTML the last one, which is the richest. All other versions are compared with
// these, so that none of their words are lost.
Parts::Piece Parts::choose_among(std::vector<Piece> versions) {
  const auto first_text = [&](bool plain) {
    return std::ranges::find_if(versions,
                                [&](const Piece& each) { return !is_blank(each.body.text) && (each.is_plain || !plain); });
  };
  auto text = first_text(true);
  if (text == versions.end()) text = first_text(false);
  auto html = versions.end();
  for (auto each = versions.begin(); each != versions.end(); ++each) {
    if (each->body.html.empty()) continue;
    if (html == versions.end() || !each->is_special_version || html->is_special_version) html = each;
  }
  Piece whole;
  if (text != versions.end()) {
    whole.is_plain = text->is_plain;
    whole.body.text = std::move(text->body.text);
    whole.body.links = std::move(text->body.links);
    text->body.text.clear();
  }
  if (html != versions.end()) {
    whole.is_special_version = html->is_special_version;
    whole.body.html = std::move(html->body.html);
    html->body.html.clear();
  }
  if (whole.is_plain) choose_text(whole.body);
  std::vector<std::string> others;
  for (Piece& each : versions) {
    const bool is_text = text != versions.end() && &each == &*text;
    if (!is_text) convert_html(each.body);
    if (!is_blank(each.body.text)) others.push_back(std::move(each.body.text));
    if (!is_blank(each.body.other_text)) others.push_back(std::move(each.body.other_text));
  }
  if (others.empty()) return whole;
  convert_html(whole.body);
  append_other_words(whole.body, others);
  return whole;
}

// A multipart message whose boundary is missing or never occurs has no parts: all its text is the prologue.
Parts::Piece Parts::read_undivided(GMimeMultipart* multipart) {
  const char* const all = g_mime_multipart_get_prologue(multipart);
  if (all == nullptr) return {};
  ReadText read = into_utf8(all, charset_named(GMIME_OBJECT(multipart)));
  if (!read.guessed.empty()) guessed.insert(read.guessed);
  Piece piece;
  const bool is_html = begins_as_html(read.text);
  (is_html ? piece.body.html : piece.body.text) = std::move(read.text);
  piece.is_plain = !is_html && !is_blank(piece.body.text);
  return piece;
}

std::string Parts::charset_named(GMimeObject* object) const {
  std::string named = parameter(object, "charset");
  return named.empty() ? encoding_ : named;
}

std::string Parts::text_of(GMimePart* part, bool is_html, std::string bytes) {
  const std::string written = charset_named(GMIME_OBJECT(part));
  const std::string charset = is_html ? html_charset(bytes, written) : written;
  ReadText read = into_utf8(std::move(bytes), charset);
  if (!read.guessed.empty()) guessed.insert(read.guessed);
  if (lower_ascii(parameter(GMIME_OBJECT(part), "format")) != "flowed") return std::move(read.text);
  return unflowed(read.text, lower_ascii(parameter(GMIME_OBJECT(part), "delsp")) == "yes");
}

// Reads the text of a part that is shown in the message.
Parts::Piece Parts::read_text(GMimePart* part, const std::string& type) {
  Piece piece;
  bool cut = false;
  std::string after;
  std::string bytes = content(part, kMaxMessageBytes, cut, &after);
  // A part without a type is plain text (RFC 2045, 5.2), unless it contains binary data.
  if (type == kBroken && bytes.find('\0') != std::string::npos) {
    attach(part, "application/octet-stream");
    return piece;
  }
  if (is_html_type(type) || (type == kBroken && begins_as_html(bytes))) {
    piece.body.html = text_of(part, true, std::move(bytes));
    piece.is_special_version = type != "text/html" && type != kBroken;
  } else {
    piece.body.text = text_of(part, false, std::move(bytes));
    piece.is_plain = !is_blank(piece.body.text);
  }
  if (!after.empty()) piece.body.other_text = into_utf8(std::move(after), charset_named(GMIME_OBJECT(part))).text;
  return piece;
}

Parts::Piece Parts::read_part(GMimePart* part, int depth) {
  std::string type = declared_mime_type(GMIME_OBJECT(part));
  const bool attached = g_mime_part_is_attachment(part) != FALSE || g_mime_part_get_filename(part) != nullptr;
  const bool is_whole_message = depth == 0 && is_readable_text(type);
  if (!attached && (type == "text/plain" || is_html_type(type) || type == kBroken || is_whole_message))
    return read_text(part, type);
  if (type == "message/rfc822" || type == "message/global" || type == "message/news") {
    attach_message(part, depth);
  } else {
    if (!is_inside_ && is_readable_text(type) && g_mime_part_is_attachment(part) == FALSE) shown_.push_back(part);
    attach(part, type == kBroken ? "application/octet-stream" : std::move(type));
  }
  return {};
}

void Parts::attach(GMimePart* part, std::string mime_type) {
  if (!has_room()) return;
  Attachment one;
  HeaderCharset charset{names_.named};
  one.file_name = file_name_of(part, charset);
  one.guessed = std::move(charset.guessed);
  one.mime_type = std::move(mime_type);
  one.part = part;
  if (one.mime_type.starts_with("text/")) {
    std::string after;
    const std::string bytes = content(part, kMaxAttachmentTextBytes, one.text_is_cut, &after);
    const bool is_html = is_html_type(one.mime_type);
    const std::string named = charset_named(GMIME_OBJECT(part));
    ReadText read = into_utf8(bytes, is_html ? html_charset(bytes, named) : named);
    if (!read.guessed.empty()) one.guessed.insert(read.guessed);
    if (is_html) {
      HtmlText page = html_to_text(read.text, "utf-8");
      one.text = std::move(page.text);
      one.text_is_cut = one.text_is_cut || page.is_cut;
    } else {
      one.text = std::move(read.text);
    }
    if (!after.empty()) append_paragraphs(one.text, into_utf8(std::move(after), named).text);
  }
  attachments.push_back(std::move(one));
}

// Attaches a nested message. Its own attachments become attachments of the outer message.
void Parts::attach_message(GMimePart* part, int depth) {
  if (!has_room()) return;
  Attachment one;
  one.mime_type = "message/rfc822";
  one.part = part;
  one.file_name = file_name_of(part, names_);
  auto inner = std::make_unique<Inner>();
  bool cut = false;
  inner->bytes = content(part, kMaxInnerBytes - inner_bytes_, cut);
  inner_bytes_ += inner->bytes.size();
  if (cut) {
    problems.insert("messages inside the message are too large to be opened");
    attachments.push_back(std::move(one));
    return;
  }
  inner->text = std::make_unique<GMimeText>(inner->bytes);
  GMimeObject* root = inner->text->root();
  inner_.push_back(std::move(inner));
  const std::size_t place = attachments.size();
  if (root == nullptr) {
    attachments.push_back(std::move(one));
    return;
  }
  HeaderCharset charset{charset_of_text(root)};
  if (charset.named.empty()) charset.named = encoding_;
  const std::string subject = header_text(root, "Subject", charset);
  if (one.file_name.empty() && !subject.empty()) one.file_name = std::string(beginning(subject, kMaxSubjectNameBytes)) + ".eml";
  for (const char* name : {"From", "To", "Date", "Subject"}) {
    const std::string value = header_text(root, name, charset);
    if (!value.empty()) one.text += format("{}: {}\n", name, value);
  }
  attachments.push_back(std::move(one));
  const bool was_inside = std::exchange(is_inside_, true);
  Body body_inside = read(root, depth + 1).body;
  is_inside_ = was_inside;
  convert_html(body_inside);
  std::string& text = attachments[place].text;
  append_paragraphs(text, body_inside.text);
  append_paragraphs(text, body_inside.other_text);
  attachments[place].guessed = std::move(charset.guessed);
  if (text.size() > kMaxAttachmentTextBytes) {
    text.resize(beginning(text, kMaxAttachmentTextBytes).size());
    attachments[place].text_is_cut = true;
  }
}

}  // namespace ladder::imports::mail
