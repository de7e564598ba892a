#include "import/formats/whatsapp/whatsapp_words.h"

#include "import/text/mime_type.h"
#include "import/text/text.h"

#include <algorithm>
#include <array>

namespace ladder::imports::whatsapp {
namespace {

constexpr std::string_view kLeftToRight = "\xE2\x80\x8E";  // U+200E
constexpr std::size_t kMaxNoteBytes = 120;

struct Mark {
  std::string_view bytes, direction;
};
constexpr std::array kMarks = {Mark{kLeftToRight, "ltr"},   Mark{"\xE2\x80\x8F", "rtl"}, Mark{"\xE2\x80\xAA", "ltr"},
                               Mark{"\xE2\x80\xAB", "rtl"}, Mark{"\xE2\x80\xAC", ""},    Mark{"\xE2\x80\xAD", "ltr"},
                               Mark{"\xE2\x80\xAE", "rtl"}, Mark{"\xE2\x81\xA6", "ltr"}, Mark{"\xE2\x81\xA7", "rtl"},
                               Mark{"\xE2\x81\xA8", ""},    Mark{"\xE2\x81\xA9", ""},    Mark{"\xD8\x9C", "rtl"}};

// In lower case (ASCII), without the period that some versions write. Needed for Android, which writes no mark; after the mark
// of iOS any bracketed text is a note.
constexpr std::array<std::string_view, 11> kEdited = {"<this message was edited>",
                                                      "<diese nachricht wurde bearbeitet>",
                                                      "<se edit\xC3\xB3 este mensaje>",
                                                      "<ce message a \xC3\xA9t\xC3\xA9 modifi\xC3\xA9>",
                                                      "<questo messaggio \xC3\xA8 stato modificato>",
                                                      "<mensagem editada>",
                                                      "<dit bericht is bewerkt>",
                                                      "<Сообщение изменено>",
                                                      "<bu mesaj d\xC3\xBCzenlendi>",
                                                      "<pesan ini diedit>",
                                                      "<ההודעה נערכה>"};

bool is_edited_note(std::string_view note) {
  std::string plain = lower_ascii(note);
  if (plain.ends_with(".>")) plain.erase(plain.size() - 2, 1);
  return std::ranges::find(kEdited, plain) != kEdited.end();
}

// Returns the position of the note that the message was edited; npos if there is none.
std::size_t edited_note(std::string_view written) {
  const std::size_t open = written.rfind('<');
  if (open == std::string_view::npos || open == 0 || written.size() - open > kMaxNoteBytes) return std::string_view::npos;
  const std::string_view note = without_marks(written.substr(open));
  if (!note.ends_with('>') || without_marks(written.substr(0, open)).empty()) return std::string_view::npos;
  const bool is_marked_note = written.substr(0, open).ends_with(kLeftToRight) && note.find(':') == std::string_view::npos;
  return is_marked_note || is_edited_note(note) ? open : std::string_view::npos;
}

}  // namespace

MessageText plain_text(std::string_view written) {
  MessageText said;
  if (const std::size_t note = edited_note(written); note != std::string_view::npos) {
    said.is_edited = true;
    written = without_marks(written.substr(0, note));
  }
  for (std::size_t at = 0; at < written.size();) {
    const auto mark = std::ranges::find_if(kMarks, [&](const Mark& one) { return written.substr(at).starts_with(one.bytes); });
    if (mark == kMarks.end()) {
      said.text += written[at++];
      continue;
    }
    at += mark->bytes.size();
    if (said.direction != "rtl" && !mark->direction.empty()) said.direction = mark->direction;
  }
  return said;
}

bool is_marked(std::string_view written) { return written.starts_with(kLeftToRight); }

bool is_about(std::string_view written, std::string_view author) {
  if (!is_marked(written) || author.empty() || written.find('\n') != std::string_view::npos) return false;
  const auto is_letter = [](char c) {
    return static_cast<unsigned char>(c) >= 0x80 || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  const std::string text = plain_text(written).text;
  for (std::size_t at = text.find(author); at != std::string::npos; at = text.find(author, at + 1)) {
    const std::size_t end = at + author.size();
    if ((at == 0 || !is_letter(text[at - 1])) && (end == text.size() || !is_letter(text[end]))) return true;
  }
  return false;
}

bool is_encryption_notice(std::string_view written) {
  constexpr std::array<std::string_view, 15> kWords = {"end-to-end",      "ende-zu-ende",     "extremo a extremo",
                                                       "de bout en bout", "ponta a ponta",    "сквозным шифрованием",
                                                       "uçtan uca",       "crittografia end", "szyfrowan",
                                                       "تمامًا",           "מקצה לקצה",        "エンドツーエンド",
                                                       "端到端",          "종단간",           "एंड-टू-एंड"};
  if (!is_marked(written)) return false;
  const std::string lower = lower_ascii(written);
  return std::ranges::any_of(kWords, [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

namespace {

constexpr std::string_view kMarkedBracket = "\xE2\x80\x8E<";  // U+200E: WhatsApp's own text follows

// "<attached: x.jpg>" → "x.jpg"
std::string in_brackets(std::string_view text) {
  const std::size_t colon = text.find(": ");
  if (!text.starts_with('<') || !text.ends_with('>') || colon == std::string_view::npos) return {};
  return std::string(without_marks(text.substr(colon + 2, text.size() - colon - 3)));
}

}  // namespace

std::string_view without_marks(std::string_view text) {
  for (;;) {
    const std::string_view before = text;
    text = trim(text);
    for (const std::string_view mark : {"\xE2\x80\x8E", "\xE2\x80\x8F", "\xE2\x80\xAA", "\xE2\x80\xAC"}) {
      if (text.starts_with(mark)) text.remove_prefix(mark.size());
      if (text.ends_with(mark)) text.remove_suffix(mark.size());
    }
    if (text.size() == before.size()) return text;
  }
}

std::string attachment_in_line(std::string_view line, bool is_first) {
  if (const std::size_t marked = line.rfind(kMarkedBracket); marked != std::string_view::npos) {
    if (std::string name = in_brackets(without_marks(line.substr(marked))); !name.empty()) return name;
  }
  if (!is_first) return {};
  const std::string_view text = without_marks(line);
  if (text.starts_with('<')) return in_brackets(text);
  const std::size_t bracket = text.rfind(" (");
  if (bracket == std::string_view::npos || !text.ends_with(')')) return {};
  const std::string_view name = without_marks(text.substr(0, bracket));
  const std::size_t dot = name.rfind('.');
  const bool is_file = dot != std::string_view::npos && name.size() - dot >= 3 && name.size() - dot <= 6 &&
                       name.find(' ') == std::string_view::npos;
  return is_file && mime_type_of(name) != "application/octet-stream" ? std::string(name) : std::string();
}

std::string attachment_in(std::string_view text) {
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (std::string name = attachment_in_line(text.substr(at, end - at), at == 0); !name.empty()) return name;
    at = end + 1;
  }
  return {};
}

}  // namespace ladder::imports::whatsapp
