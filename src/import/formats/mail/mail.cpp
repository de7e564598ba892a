// Mailboxes: mbox files (Gmail's Takeout, Thunderbird), Maildir folders and single messages (.eml).
#include "base/text/format.h"
#include "base/text/percent.h"
#include "import/formats/format.h"
#include "import/formats/mail/mail_emlx.h"
#include "import/formats/mail/mail_gmime.h"
#include "import/formats/mail/mail_message.h"
#include "import/formats/mail/mail_splitter.h"
#include "import/text/text.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace ladder::imports {
namespace {

using namespace mail;  // NOLINT(google-build-using-namespace): the parts of this format

constexpr std::int64_t kCheckpointBytes = 1 * static_cast<std::int64_t>(limits::kMiB);  // of a mailbox, between two checkpoints
constexpr int kCheckpointFiles = 200;                                                   // of a Maildir

enum class Kind : std::uint8_t { kNone, kMailbox, kMaildir, kMaildirUnfinished, kMessage };

bool begins_as_mailbox(std::string_view head) {
  if (!head.starts_with("From ")) return false;
  const std::size_t end = head.find('\n');
  return is_dated_separator(first_line(head)) ||
         (end != std::string_view::npos && looks_like_header(first_line(head.substr(end + 1))));
}

constexpr auto kTellingHeaders =
    std::to_array<std::string_view>({"from:", "to:", "date:", "subject:", "message-id:", "received:", "return-path:",
                                     "delivered-to:", "mime-version:", "content-type:", "content-transfer-encoding:"});

// Requires a few headers, including one that only mail has.
bool begins_as_message(std::string_view head) {
  if (!looks_like_header(first_line(head))) return false;
  for (std::string_view rest = head; !rest.empty();) {
    const std::string_view line = first_line(rest);
    if (line.empty()) return false;
    for (const std::string_view name :
         {"from:", "date:", "message-id:", "received:", "return-path:", "delivered-to:", "x-gm-thrid:"}) {
      if (starts_with_ignoring_case(line, name)) return true;
    }
    const std::size_t end = rest.find('\n');
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return false;
}

// For files with any name. Requires that all lines up to the first empty one are headers and two of them are mail headers, or
// that three mail headers precede the first other line. The Content-Type of a multipart message counts twice.
bool begins_as_whole_header(std::string_view head) {
  bool is_first = true;
  std::set<std::string_view> found;
  for (std::string_view rest = head; !rest.empty(); is_first = false) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = first_line(rest);
    if (line.empty()) return found.size() >= 2;
    if (end == std::string_view::npos) break;  // the examined part of the file ends here
    rest.remove_prefix(end + 1);
    const bool goes_on = !is_first && (line.front() == ' ' || line.front() == '\t');
    if (goes_on) continue;
    if (!looks_like_header(line)) return found.size() >= 3;  // the empty line after the headers is missing
    if (starts_with_ignoring_case(line, "content-type: multipart/")) found.insert(line);
    for (const std::string_view name : kTellingHeaders) {
      if (starts_with_ignoring_case(line, name)) found.insert(name);
    }
  }
  return found.size() >= 2;
}

// Files not worth opening: other formats know their names, or they are not text.
bool is_known_otherwise(const Entry& entry) {
  constexpr auto kExtensions = std::to_array<std::string_view>(
      {".ics",  ".vcf", ".json", ".ndjson", ".csv", ".tsv", ".pdf", ".html", ".htm", ".jpg", ".jpeg", ".png",  ".gif",  ".heic",
       ".webp", ".mp3", ".m4a",  ".opus",   ".ogg", ".wav", ".mp4", ".mov",  ".avi", ".zip", ".gz",   ".docx", ".xlsx", ".pptx"});
  return std::ranges::find(kExtensions, lower_ascii(entry.extension())) != kExtensions.end();
}

// Gmail messages get their own connection. The same message from another source has no labels, so each import would overwrite
// the other's record.
std::string account_of(std::string_view head) {
  const bool is_gmail =
      head.find("\nX-GM-THRID:") != std::string_view::npos || head.find("\nX-Gmail-Labels:") != std::string_view::npos;
  return is_gmail ? "Gmail" : "";
}

// Returns the kind of Maildir folder an entry is in, by its name.
Kind maildir_kind(const Entry& entry) {
  const std::string_view folder = last_component(entry.folder());
  if (folder == "cur" || folder == "new") return Kind::kMaildir;
  return folder == "tmp" ? Kind::kMaildirUnfinished : Kind::kNone;
}

// Returns the flags after ":2,". Systems that do not allow colons in names write "!" or ";".
std::optional<std::string_view> maildir_flags(std::string_view name) {
  for (const std::string_view mark : {":2,", "!2,", ";2,"}) {
    const std::size_t at = name.rfind(mark);
    if (at != std::string_view::npos) return name.substr(at + mark.size());
  }
  return std::nullopt;
}

bool is_mailbox_name(const Entry& entry) {
  return entry.has_extension(".mbox") || entry.has_extension(".mbx") || lower_ascii(entry.name()) == "mbox";
}

class MailFormat final : public Format {
 public:
  std::string_view name() const override { return "mail"; }
  std::string_view summary() const override { return "mailboxes (mbox, Maildir, .eml, .emlx), such as Gmail's Takeout"; }
  std::vector<Unit> detect(Tree& tree, const Request& request) const override;
  Status read(Tree& tree, const Unit& unit, const Request& request, std::string_view position, Sink& sink) const override;
};

// A Maildir is recognized by file names, or by its first message if no name has flags.
std::map<std::string, std::vector<EntryNo>, std::less<>> maildirs(Tree& tree) {
  std::map<std::string, std::vector<EntryNo>, std::less<>> found;
  std::map<std::string, bool, std::less<>> is_mail;
  const std::vector<Entry>& entries = tree.entries();
  for (EntryNo i = 0; i < entries.size(); ++i) {
    const Kind kind = maildir_kind(entries[i]);
    if (kind == Kind::kNone) continue;
    const std::string root(parent_folder(entries[i].folder()));
    found[root].push_back(i);
    bool& sure = is_mail[root];
    if (!sure && kind == Kind::kMaildir) {
      sure = maildir_flags(entries[i].name()).has_value() || begins_as_message(without_mark(tree.head(i)));
    }
  }
  std::erase_if(found, [&](const auto& each) { return !is_mail[each.first]; });
  return found;
}

std::vector<Unit> MailFormat::detect(Tree& tree, const Request& request) const {
  std::vector<Unit> units;
  Unit folders{Confidence::kCertain, "", "", {}};
  for (auto& [root, entries] : maildirs(tree)) std::ranges::copy(entries, std::back_inserter(folders.entries));
  std::ranges::sort(folders.entries);
  Unit messages{Confidence::kCertain, "", "", {}};
  Unit recognized{Confidence::kCertain, "", "", {}};  // recognized by their first lines, not by name
  const std::vector<Entry>& entries = tree.entries();
  for (EntryNo i = 0; i < entries.size(); ++i) {
    const Entry& entry = entries[i];
    if (std::ranges::binary_search(folders.entries, i)) continue;
    const bool named = is_mailbox_name(entry);
    if (!request.forced && is_known_otherwise(entry)) continue;
    const std::string_view head = without_mark(tree.head(i));
    const bool may_be_mailbox = named || entry.extension().empty() || request.forced || is_dated_separator(first_line(head));
    if (named || (may_be_mailbox && begins_as_mailbox(head))) {
      const bool sure = begins_as_mailbox(head);
      units.push_back({sure ? Confidence::kCertain : Confidence::kLikely,
                       format("a mailbox (mbox), {}", entry.name()),
                       account_of(head),
                       {i}});
    } else if (entry.has_extension(".eml") || entry.has_extension(".emlx") || request.forced) {
      messages.entries.push_back(i);
    } else if (begins_as_whole_header(head)) {
      recognized.entries.push_back(i);
    }
  }
  // Add empty mailboxes to the Gmail unit, if there is one.
  if (std::ranges::find(units, "Gmail", &Unit::account) != units.end()) {
    for (Unit& unit : units) {
      if (entries[unit.entries.front()].size == 0) unit.account = "Gmail";
    }
  }
  if (!folders.entries.empty()) {
    const auto finished =
        std::ranges::count_if(folders.entries, [&](EntryNo i) { return maildir_kind(entries[i]) == Kind::kMaildir; });
    folders.what = format("Maildir folders with {} messages", finished);
    folders.part = "Maildir";
    units.push_back(std::move(folders));
  }
  if (!messages.entries.empty()) {
    messages.what = messages.entries.size() == 1 ? "a single message" : format("{} single messages", messages.entries.size());
    messages.part = "single messages";
    if (request.forced) messages.confidence = Confidence::kForced;
    units.push_back(std::move(messages));
  }
  if (!recognized.entries.empty()) {
    const std::size_t count = recognized.entries.size();
    recognized.what = format("{} {} with mail headers", count, count == 1 ? "file" : "files");
    recognized.part = "files with mail headers";
    recognized.hint = "they start with mail headers; use --as notes to import text files as notes instead";
    units.push_back(std::move(recognized));
  }
  return units;
}

class Reader {
 public:
  Reader(Tree& tree, const Unit& unit, const Request& request, Sink& sink)
      : tree_(tree), unit_(unit), encoding_(request.encoding), staged_(request.staged), sink_(sink) {}

  Status read(FilePosition from) {
    for (FilePosition at = from; at.index < unit_.entries.size(); at = {at.index + 1, 0}) {
      const EntryNo entry = unit_.entries[at.index];
      Status done = read_entry(entry, at);
      if (!done) return done;
      const bool is_last = at.index + 1 == unit_.entries.size();
      if (++files_ % kCheckpointFiles == 0 && !is_last) {
        LADDER_CHECK(sink_.checkpoint(position_text(tree_, unit_, {at.index + 1, 0})));
      }
    }
    return {};
  }

 private:
  const Entry& entry_of(EntryNo entry) const { return tree_.entries()[entry]; }

  Status read_entry(EntryNo entry, FilePosition at) {
    const Kind kind = maildir_kind(entry_of(entry));
    if (kind == Kind::kMaildirUnfinished) return sink_.skipped("messages", "a message whose delivery was not finished (tmp/)");
    const std::string_view head = without_mark(tree_.head(entry));
    if (is_mailbox_name(entry_of(entry)) || begins_as_mailbox(head)) return read_mailbox(entry, at);
    return read_message(entry, kind == Kind::kMaildir);
  }

  Status read_mailbox(EntryNo entry, FilePosition at) {
    const std::string& path = entry_of(entry).path;
    const std::string head(tree_.head(entry));
    auto bytes = tree_.open(entry, at.byte);
    if (!bytes) return sink_.lost({path, -1}, bytes.error().message);
    Splitter splitter(**bytes, head, at.byte);
    std::int64_t told = at.byte;
    for (;;) {
      const Result<bool> more = splitter.next();
      if (!more)
        return sink_.lost({path, splitter.end_offset()}, format("the rest of the file cannot be read: {}", more.error().message));
      if (!*more) return {};
      const MessageBytes& piece = splitter.message();
      if (piece.before_first) {
        LADDER_CHECK(sink_.lost({path, 0}, format("{} bytes before the first message", piece.size)));
      } else {
        LADDER_CHECK(
            send_piece(piece.text, Source{{path, piece.offset}, piece.size, piece.kept}, mailbox_filing(entry_of(entry))));
      }
      if (splitter.end_offset() - told >= kCheckpointBytes) {
        told = splitter.end_offset();
        LADDER_CHECK(sink_.checkpoint(position_text(tree_, unit_, {at.index, told})));
      }
    }
  }

  Status read_message(EntryNo entry, bool in_maildir) {
    const Entry& file = entry_of(entry);
    auto bytes = tree_.open(entry, 0);
    if (!bytes) return sink_.lost({file.path, -1}, bytes.error().message);
    Source source{{file.path, 0}, file.size, file.size};
    std::string text;
    constexpr std::size_t kPiece = 64 * limits::kKiB;
    while (text.size() < kMaxMessageBytes) {
      const std::size_t had = text.size();
      text.resize(had + kPiece);
      const Result<std::size_t> done = (*bytes)->read(text.data() + had, kPiece);
      text.resize(had + done.value_or(0));
      if (!done) {
        const auto where = static_cast<std::int64_t>(had);
        LADDER_CHECK(sink_.lost({file.path, where}, format("the rest of the file cannot be read: {}", done.error().message)));
        break;
      }
      if (*done == 0) break;
    }
    source.kept = static_cast<std::int64_t>(text.size());
    source.size = text.size() < kMaxMessageBytes ? source.kept : std::max(file.size, source.kept);
    if (text.find('\n') == std::string::npos) std::ranges::replace(text, '\r', '\n');  // old Macintosh line ends
    Filing filing = in_maildir ? maildir_filing(file) : Filing{std::string(file.folder())};
    const auto flags = maildir_flags(file.name());
    if (!in_maildir && flags) take_flags(*flags, filing);
    if (file.has_extension(".emlx")) return send_emlx(text, source);
    return send_piece(without_mark(text), source, std::move(filing));
  }

  Status send_emlx(std::string_view text, const Source& source) {
    const Emlx emlx = read_emlx(text);
    Filing filing{emlx_folder(source.place.file)};
    if (!emlx.flags.empty()) take_flags(emlx.flags, filing);
    if (source.place.file.ends_with(".partial.emlx")) {
      LADDER_CHECK(sink_.skipped("attachments", "files of a message that Apple Mail keeps apart from it (.partial.emlx)"));
    }
    const auto size = static_cast<std::int64_t>(emlx.message.size());
    return send_piece(emlx.message, Source{source.place, size, size}, std::move(filing));
  }

  Status send_piece(std::string_view text, const Source& source, Filing filing) {
    if (trim(text).empty()) return sink_.lost(source.place, "the message is empty");
    const auto message = ReadMessage::read(text, encoding_);
    if (!message) return sink_.lost(source.place, format("{} bytes without a readable mail header", source.size));
    take_status(message->message.status, filing);
    if (filing.folder.empty()) filing.folder = "INBOX";
    return send(sink_, *message, source, filing);
  }

  static Filing mailbox_filing(const Entry& entry) {
    // Apple's "Sent.mbox/mbox" is named after its folder.
    std::string_view name = lower_ascii(entry.name()) == "mbox" ? last_component(entry.folder()) : entry.name();
    for (const std::string_view extension : {".mbox", ".mbx"}) {
      if (lower_ascii(name).ends_with(extension)) name.remove_suffix(extension.size());
    }
    return Filing{std::string(name)};
  }

  // "Mail/.Sent/cur/…" is the folder "Sent"; the top folder is the inbox.
  Filing maildir_filing(const Entry& entry) const {
    Filing filing;
    if (staged_) {
      const std::string_view name = last_component(parent_folder(entry.folder()));
      filing.folder = replace_invalid(percent_decode_bytes(name).value_or(std::string(name)));
      take_flags(maildir_flags(entry.name()).value_or(""), filing);
      return filing;
    }
    std::string_view folder = last_component(parent_folder(entry.folder()));
    const bool is_top = !folder.starts_with('.') && parent_folder(parent_folder(entry.folder())).empty();
    if (folder.starts_with('.')) folder.remove_prefix(1);
    filing.folder = is_top ? "INBOX" : std::string(folder);
    take_flags(maildir_flags(entry.name()).value_or(""), filing);
    return filing;
  }

  static void take_flags(std::string_view flags, Filing& filing) {
    const auto has = [&](char letter) { return flags.find(letter) != std::string_view::npos; };
    filing.read = has('S');
    filing.replied = has('R');
    filing.flagged = has('F');
    filing.trashed = has('T');
    filing.draft = has('D');
  }

  // Parses the status letters that mbox programs keep in headers.
  static void take_status(std::string_view status, Filing& filing) {
    if (status.empty() || filing.read) return;
    const auto has = [&](char letter) { return status.find(letter) != std::string_view::npos; };
    filing.read = has('R');
    filing.replied = has('A');
    filing.flagged = has('F');
    filing.trashed = has('D');
    filing.draft = has('T');
  }

  Tree& tree_;
  const Unit& unit_;
  std::string encoding_;
  bool staged_;
  Sink& sink_;
  int files_ = 0;
};

Status MailFormat::read(Tree& tree, const Unit& unit, const Request& request, std::string_view position, Sink& sink) const {
  return Reader(tree, unit, request, sink).read(parse_position(tree, unit, position));
}

}  // namespace

const Format& mail_format() {
  static const MailFormat format;
  return format;
}

}  // namespace ladder::imports
