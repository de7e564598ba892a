// WhatsApp chat exports: `_chat.txt` in a zip (iOS) or `WhatsApp Chat with X.txt` (Android), with or without media. Reads the
// file twice: the first pass determines the date order, the second sends the messages.
#include "base/text/bytes.h"
#include "base/text/format.h"
#include "crypto/hash.h"
#include "import/charset/read_text.h"
#include "import/formats/format.h"
#include "import/formats/record_members.h"
#include "import/formats/whatsapp/chat_line.h"
#include "import/formats/whatsapp/whatsapp_words.h"
#include "import/io/limits.h"
#include "import/io/lines.h"
#include "import/text/mime_type.h"
#include "import/text/text.h"
#include "import/tree/archive_names.h"
#include "import/tree/text_file.h"
#include "json/writer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <optional>
#include <set>

namespace ladder::imports {
namespace {

using whatsapp::without_marks;

constexpr std::int64_t kCheckpointEvery = 500;  // messages
constexpr std::size_t kMaxAuthorBytes = 200;    // longer "names" are sentences with a colon

// Prefixes of the names of chat files and archives, before the name of the person or group.
constexpr auto kTitles = std::to_array<std::string_view>(
    {"WhatsApp Chat with ", "WhatsApp Chat - ", "WhatsApp Chat mit ", "WhatsApp-Chat mit ", "Chat de WhatsApp con ",
     "Discussion WhatsApp avec ", "Chat WhatsApp con ", "Conversa do WhatsApp com ", "WhatsApp-chat met ", "WhatsApp-chatt med ",
     "Чат WhatsApp с контактом "});

std::string title_in(std::string_view name) {
  for (const std::string_view title : kTitles) {
    if (starts_with_ignoring_case(name, lower_ascii(title))) return std::string(trim(name.substr(title.size())));
  }
  return {};
}

// Returns the person or group: from the name of the file, its folder, or its archive.
std::string chat_of(const Tree& tree, const Entry& entry) {
  std::string_view name = entry.name();
  if (entry.has_extension(".txt")) name.remove_suffix(4);
  if (std::string chat = title_in(name); !chat.empty()) return chat;
  std::string_view home = entry.folder().empty() ? std::string_view(tree.name()) : entry.folder();
  const std::string unpacked =
      without_ending(std::string(last_component(home)));  // the folder name of an archive includes its extension
  home = unpacked;
  if (std::string chat = title_in(home); !chat.empty()) return chat;
  return std::string(name == "_chat" ? home : name);
}

struct Message {
  std::int64_t offset = 0;
  std::optional<std::int64_t> time;
  std::string author;  // "" for a system message
  std::string text;
};

// Returns true if a quotation is open before the colon: the colon is then part of a quoted name.
bool is_within_quotes(std::string_view before_colon) {
  for (const auto& [open, close] : {std::pair<std::string_view, std::string_view>{"\"", "\""},
                                    {"\xE2\x80\x9C", "\xE2\x80\x9D"},  // “ ”
                                    {"\xE2\x80\x9E", "\xE2\x80\x9C"},  // „ “
                                    {"\xC2\xAB", "\xC2\xBB"}}) {       // « »
    const std::size_t at = before_colon.rfind(" " + std::string(open));
    if (at != std::string_view::npos && before_colon.find(close, at + 1 + open.size()) == std::string_view::npos) return true;
  }
  return false;
}

// Returns the end of the author's name; npos if the line has none.
std::size_t end_of_author(std::string_view rest) {
  const std::size_t spaced = rest.find(": ");
  if (spaced <= kMaxAuthorBytes && is_within_quotes(rest.substr(0, spaced))) return std::string_view::npos;
  if (spaced <= kMaxAuthorBytes) return spaced;
  const std::size_t bare = rest.find(':');
  if (bare > kMaxAuthorBytes || rest.substr(bare + 1).starts_with("//")) return std::string_view::npos;
  const bool digits = bare > 0 && rest[bare - 1] >= '0' && rest[bare - 1] <= '9';  // a time of day in a sentence
  return digits && bare + 1 < rest.size() ? std::string_view::npos : bare;
}

// <Media omitted> and its translations; iOS writes "image omitted" after an invisible mark.
bool is_omitted_media(std::string_view text) {
  const std::string_view plain = without_marks(text);
  if (plain.starts_with('<') && plain.ends_with('>') && plain.size() < 60 && plain.find(':') == std::string_view::npos)
    return true;
  if (!text.starts_with("\xE2\x80\x8E") || plain.size() > 60) return false;
  const std::string lower = lower_ascii(plain);
  for (const std::string_view word :
       {"omitted", "weggelassen", "omitido", "omitida", "omis", "omise", "omesso", "omessa", "weggelaten", "ocultado", "oculta",
        "ocultada", "absente", "absent", "dahil edilmedi", "отсутствует", "опущена", "tidak disertakan", "הושמטה"}) {
    if (lower.ends_with(word)) return true;
  }
  return false;
}

// Returns the text after the author's name, or the whole line if it has none.
std::string_view text_after_author(std::string_view rest) {
  const std::size_t end = end_of_author(rest);
  return end == std::string_view::npos ? rest
                                       : rest.substr(std::min(rest.size(), end + (rest.substr(end).starts_with(": ") ? 2 : 1)));
}

// Returns the files next to a chat that its messages name. Text files are left to other formats.
std::set<EntryNo> media_of(Tree& tree, EntryNo chat) {
  std::set<EntryNo> found;
  const Entry& entry = tree.entries()[chat];
  const auto file = open_text(tree, chat);
  if (!file) return found;  // the reader reports the error
  Lines lines(*file->bytes);
  for (;;) {
    const auto more = lines.next();
    if (!more || !*more) return found;
    const std::string text = to_utf8_raw(lines.text(), file->charset);
    const auto head = parse_chat_line_header(text);
    const std::string_view said = head ? text_after_author(std::string_view(text).substr(head->length)) : std::string_view(text);
    const std::string name = whatsapp::attachment_in_line(said, head.has_value());
    if (name.empty()) continue;
    if (const auto sibling = tree.find(entry.sibling(name)); sibling && !tree.entries()[*sibling].has_extension(".txt"))
      found.insert(*sibling);
  }
}

class Reader {
 public:
  Reader(Tree& tree, EntryNo entry, Sink& sink, std::int64_t from)
      : tree_(tree), entry_(tree.entries()[entry]), number_(entry), chat_(chat_of(tree, entry_)), sink_(sink), from_(from) {}

  Status run() {
    LADDER_CHECK(vote());
    LADDER_TRY(const TextFile file, open_text(tree_, number_));
    if (from_ == 0) LADDER_CHECK(report_guess(file.guessed, "messages", sink_));
    Lines lines(*file.bytes);
    std::optional<Message> message;
    for (;;) {
      LADDER_TRY(const bool more, lines.next());
      if (!more) break;
      const std::string text = to_utf8_raw(lines.text(), file.charset);
      const auto head = parse_chat_line_header(text);
      if (head) {
        if (message) LADDER_CHECK(send(*message));
        message = begin(*head, text, lines.offset());
      } else if (!message) {
        if (!trim(text).empty()) LADDER_CHECK(sink_.lost({entry_.path, lines.offset()}, "a line before the first message"));
      } else if (message->text.size() < limits::kMaxTextBytes) {
        message->text.append("\n").append(text);
      }
    }
    if (message) LADDER_CHECK(send(*message));
    return sink_.checkpoint(std::to_string(entry_.size));
  }

 private:
  Status vote() {
    LADDER_TRY(const TextFile file, open_text(tree_, number_));
    Lines lines(*file.bytes);
    DateOrderVote vote;
    for (;;) {
      LADDER_TRY(const bool more, lines.next());
      if (!more) break;
      const auto head = parse_chat_line_header(lines.text());
      if (!head) continue;
      vote.add(*head);
      if (!chat_is_author_) chat_is_author_ = is_written_by_chat(lines.text().substr(head->length), file.charset);
    }
    verdict_ = vote.verdict();
    return {};
  }

  // Returns true if the line is a message by the person after whom the chat is named. In a group this never happens.
  bool is_written_by_chat(std::string_view bytes, std::string_view charset) const {
    const std::string rest = to_utf8_raw(bytes, charset);
    const std::size_t end = end_of_author(rest);
    if (end == std::string::npos || without_marks(std::string_view(rest).substr(0, end)) != chat_) return false;
    return !whatsapp::is_marked(text_after_author(rest));
  }

  // iOS writes system messages under the name of the chat or of the person they are about, after a mark.
  bool is_system(const Message& message, bool is_media) const {
    if (message.author.empty() || whatsapp::is_encryption_notice(message.text)) return true;
    if (is_media || !whatsapp::is_marked(message.text)) return false;
    return (!chat_is_author_ && message.author == chat_) || whatsapp::is_about(message.text, message.author);
  }

  Message begin(const ChatLineHeader& head, std::string_view line, std::int64_t offset) const {
    Message message;
    message.offset = offset;
    message.time = time_of(head, verdict_.order);
    const std::string_view rest = line.substr(head.length);
    const std::size_t end = end_of_author(rest);
    if (end == std::string_view::npos) {
      message.text = without_marks(rest);
    } else {
      message.author = without_marks(rest.substr(0, end));
      message.text = text_after_author(rest);
    }
    return message;
  }

  // Equal messages of one person in the same minute are numbered.
  std::string id_of(const Message& message) {
    if (message.time != counted_time_) {
      counted_.clear();
      counted_time_ = message.time;
    }
    crypto::Sha256 hash;
    for (const std::string_view part :
         {std::string_view(chat_), std::string_view(message.author), std::string_view(message.text)}) {
      hash.update(format("{}:", part.size()));
      hash.update(part);
    }
    hash.update(format("{}", message.time.value_or(-1)));
    std::string id = to_hex(crypto::view(hash.finish())).substr(0, 32);
    const int before = counted_[id]++;
    return before == 0 ? id : format("{}-{}", id, before + 1);
  }

  Status send(Message& message) {
    const std::string id = id_of(message);
    if (message.offset < from_) return {};
    if (!message.time) return sink_.lost({entry_.path, message.offset}, "the date is invalid in this chat's date format");
    const std::string attachment = whatsapp::attachment_in(message.text);
    const bool is_media = !attachment.empty() || is_omitted_media(message.text);
    LADDER_TRY(const std::string blob, attachment.empty() ? Result<std::string>("") : attach(attachment));
    const bool is_own = is_system(message, is_media);
    const whatsapp::MessageText said = whatsapp::plain_text(message.text);
    json::Writer out;
    out.begin_object().member("id", id).member("chat", chat_);
    if (is_own) out.key("author").null();
    else out.member("author", message.author);
    out.member("sent_at", format_local_time(*message.time));
    out.member("kind", is_own ? "system" : is_media ? "media" : "text").member("text", is_own ? std::string() : said.text);
    if (is_own) out.member("system_text", said.text);
    if (said.is_edited) out.member("edited", true);
    if (!said.direction.empty() && !is_own && !is_media) out.member("direction", said.direction);
    if (!attachment.empty()) out.member("attachment", attachment);
    if (!blob.empty()) out.key("blob_ref").raw(blob);
    if (verdict_.ambiguous) out.member("date_ambiguous", true);
    out.end_object();
    LADDER_CHECK(sink_.record({"messages", out.take(), {entry_.path, message.offset}, message.time}));
    if (++sent_ % kCheckpointEvery == 0) return sink_.checkpoint(std::to_string(message.offset + 1));
    return {};
  }

  // Returns the blob_ref of a file next to the chat; "" if it was not exported.
  Result<std::string> attach(const std::string& name) {
    const auto found = tree_.find(entry_.sibling(name));
    return found ? store_file(tree_, *found, mime_type_of(name), sink_) : std::string();
  }

  Tree& tree_;
  const Entry& entry_;
  EntryNo number_;
  std::string chat_;
  Sink& sink_;
  std::int64_t from_;
  DateOrderVote::Verdict verdict_;
  bool chat_is_author_ = false;  // the chat is named after one of its authors
  std::map<std::string, int> counted_;
  std::optional<std::int64_t> counted_time_;
  std::int64_t sent_ = 0;
};

class WhatsApp final : public Format {
 public:
  std::string_view name() const override { return "whatsapp"; }
  std::string_view summary() const override { return "WhatsApp chats exported from a phone, with or without media"; }

  std::vector<Unit> detect(Tree& tree, const Request& request) const override {
    std::vector<Unit> units;
    for (EntryNo i = 0; i < tree.entries().size(); ++i) {
      const Entry& entry = tree.entries()[i];
      if (!entry.has_extension(".txt")) continue;
      const bool named = entry.name() == "_chat.txt" || !title_in(entry.name()).empty();
      if (!named && !request.forced && !begins_with_chat_lines(tree, i)) continue;
      Unit unit;
      unit.confidence = named ? Confidence::kCertain : Confidence::kLikely;
      unit.what = format("a WhatsApp chat, \"{}\"", chat_of(tree, entry));
      unit.entries = {i};
      unit.part = entry.path;
      if (tree.entries().size() > 1) {
        const std::set<EntryNo> media = media_of(tree, i);
        unit.entries.insert(unit.entries.end(), media.begin(), media.end());
        std::ranges::sort(unit.entries);
      }
      units.push_back(std::move(unit));
    }
    return units;
  }

  // The position is the offset of the first byte not sent.
  Status read(Tree& tree, const Unit& unit, const Request&, std::string_view position, Sink& sink) const override {
    std::int64_t from = 0;
    std::from_chars(position.data(), position.data() + position.size(), from);
    return Reader(tree, text_of(tree, unit), sink, from).run();
  }

 private:
  static EntryNo text_of(const Tree& tree, const Unit& unit) {
    for (const EntryNo entry : unit.entries) {
      if (tree.entries()[entry].has_extension(".txt")) return entry;
    }
    return unit.entries.front();
  }

  // Returns true if at least three of the first lines start messages, or one if the file name contains "whatsapp".
  static bool begins_with_chat_lines(Tree& tree, EntryNo entry) {
    const bool has_whatsapp_name = lower_ascii(tree.entries()[entry].name()).find("whatsapp") != std::string::npos;
    const int wanted = has_whatsapp_name ? 1 : 3;
    int heads = 0;
    const std::string head = text_head(tree, entry);
    std::string_view rest = head;
    for (int line = 0; line < 40 && !rest.empty() && heads < wanted; ++line) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      if (parse_chat_line_header(rest.substr(0, end))) ++heads;
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return heads >= wanted;
  }
};

}  // namespace

const Format& whatsapp_format() {
  static const WhatsApp format;
  return format;
}

}  // namespace ladder::imports
