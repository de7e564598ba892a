// iMessage and SMS: chat.db of a Mac, or sms.db of an iPhone's backup, with the folder Attachments next to it.
#include "base/text/format.h"
#include "import/formats/chats/chat_records.h"
#include "import/formats/format.h"
#include "import/formats/imessage/typed_stream.h"
#include "import/formats/resuming_sink.h"
#include "import/json/json_members.h"
#include "import/sqlite/sqlite_file.h"
#include "import/text/text.h"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

namespace ladder::imports {
namespace {

constexpr Instant kEpoch2001 = 978'307'200 * kSecond;
constexpr std::size_t kMaxReactions = 2'000'000;

// Nanoseconds since 2001, or seconds in rows from before 2017. 0 means none.
std::optional<Instant> time_of(std::int64_t value) {
  if (value == 0) return std::nullopt;
  constexpr std::int64_t kNanosecondsFrom = 100'000'000'000;
  const Instant time = kEpoch2001 + (value > kNanosecondsFrom || value < -kNanosecondsFrom ? value / 1000 : value * kSecond);
  constexpr Instant kLatest = 253'402'300'799 * kSecond;
  return time < 0 || time > kLatest ? std::nullopt : std::optional(time);
}

constexpr std::array<std::string_view, 6> kReactions = {"loved", "liked", "disliked", "laughed", "emphasized", "questioned"};

// "p:0/GUID" and "bp:GUID" → GUID.
std::string without_part(std::string guid) {
  const std::size_t slash = guid.rfind('/');
  if (slash != std::string::npos) return guid.substr(slash + 1);
  return guid.starts_with("bp:") ? guid.substr(3) : guid;
}

class Reader {
 public:
  Reader(Tree& tree, EntryNo entry, Sink& sink) : tree_(tree), entry_(tree.entries()[entry]), number_(entry), sink_(sink) {}

  Status run() {
    const auto file = SqliteFile::open(tree_, number_);
    if (!file) return sink_.lost({entry_.path, -1}, file.error().message);
    const Status done = read(*file);
    if (done || done.error().code == Code::kCancelled) return done;
    return sink_.lost({entry_.path, -1}, done.error().message);
  }

 private:
  // A column, or NULL if this version of the program has none.
  static std::string column(const std::set<std::string>& columns, std::string_view table, std::string_view name) {
    return columns.contains(std::string(name)) ? format("{}.{}", table, name) : "NULL";
  }

  Status read(const SqliteFile& file) {
    columns_ = file.columns("message");
    if (!columns_.contains("guid") || !columns_.contains("text"))
      return fail(Code::kInvalidRequest, "it has no messages of iMessage");
    LADDER_CHECK(read_chats(file));
    LADDER_CHECK(read_reactions(file));
    LADDER_CHECK(read_messages(file));
    for (const auto& [id, chat] : chats_) LADDER_CHECK(chats::send(sink_, chat, {entry_.path, -1}));
    return {};
  }

  Status read_chats(const SqliteFile& file) {
    LADDER_TRY(auto rows, file.query("SELECT ROWID, guid, display_name, chat_identifier, style FROM chat ORDER BY ROWID"));
    for (;;) {
      LADDER_TRY(const bool more, rows.next());
      if (!more) break;
      chats::Chat& chat = chats_[rows.integer(0)];
      chat.id = rows.text(1);
      chat.title = rows.text(2).empty() ? rows.text(3) : rows.text(2);
      constexpr std::int64_t kGroup = 43;
      chat.kind = rows.integer(4) == kGroup ? "group" : "person";
    }
    if (!file.has_table("chat_handle_join")) return {};
    LADDER_TRY(auto members, file.query("SELECT j.chat_id, h.id FROM chat_handle_join j JOIN handle h ON h.ROWID = j.handle_id "
                                        "ORDER BY j.chat_id, h.id"));
    for (;;) {
      LADDER_TRY(const bool more, members.next());
      if (!more) return {};
      if (const auto found = chats_.find(members.integer(0)); found != chats_.end())
        found->second.members.push_back(members.text(1));
    }
  }

  // Reactions are messages about messages; a later one takes back an earlier one.
  Status read_reactions(const SqliteFile& file) {
    if (!columns_.contains("associated_message_type") || !columns_.contains("associated_message_guid")) return {};
    const std::string emoji = column(columns_, "m", "associated_message_emoji");
    LADDER_TRY(
        auto rows,
        file.query(format("SELECT m.associated_message_guid, m.associated_message_type, m.is_from_me, h.id, {} FROM message m "
                          "LEFT JOIN handle h ON h.ROWID = m.handle_id WHERE m.associated_message_type BETWEEN 2000 AND 3999 "
                          "ORDER BY m.date, m.ROWID",
                          emoji)));
    for (std::size_t count = 0; count < kMaxReactions; ++count) {
      LADDER_TRY(const bool more, rows.next());
      if (!more) return {};
      const std::int64_t type = rows.integer(1) % 1000;
      std::string name = type < static_cast<std::int64_t>(kReactions.size())
                             ? std::string(kReactions[static_cast<std::size_t>(type)])
                             : rows.text(4);
      if (name.empty()) name = "reacted";
      const std::string by = rows.integer(2) != 0 ? "You" : rows.text(3);
      std::vector<std::pair<std::string, std::string>>& list = reactions_[without_part(rows.text(0))];
      std::erase(list, std::pair(name, by));
      if (rows.integer(1) < 3000) list.emplace_back(std::move(name), by);
    }
    return {};
  }

  Status read_messages(const SqliteFile& file) {
    std::optional<SqliteRows> files;
    if (file.has_table("message_attachment_join") && file.has_table("attachment")) {
      LADDER_TRY(auto rows,
                 file.query("SELECT a.transfer_name, a.filename FROM message_attachment_join j JOIN attachment a ON a.ROWID = "
                            "j.attachment_id WHERE j.message_id = ?1 ORDER BY a.ROWID"));
      files.emplace(std::move(rows));
    }
    const auto of = [&](std::string_view name) { return column(columns_, "m", name); };
    const std::string sql = format(
        "SELECT m.ROWID, m.guid, m.text, {}, m.date, m.is_from_me, h.id, j.chat_id, {}, {}, {}, {}, {} FROM message m LEFT JOIN "
        "handle h ON "
        "h.ROWID = m.handle_id LEFT JOIN chat_message_join j ON j.message_id = m.ROWID ORDER BY m.ROWID, j.chat_id",
        of("attributedBody"), of("associated_message_type"), of("thread_originator_guid"), of("date_edited"), of("item_type"),
        of("group_title"));
    LADDER_TRY(auto rows, file.query(sql));
    std::int64_t last = -1;
    for (;;) {
      LADDER_TRY(const bool more, rows.next());
      if (!more) return {};
      if (rows.integer(0) == last) continue;  // the same message in a second chat
      last = rows.integer(0);
      LADDER_CHECK(message(rows, files));
    }
  }

  Status message(const SqliteRows& rows, std::optional<SqliteRows>& files) {
    const std::int64_t reaction = rows.integer(8);
    if (reaction >= 2000 && reaction < 4000) return {};  // part of another message
    chats::Message message;
    message.id = joined_key({rows.text(1)});
    if (message.id.empty()) return sink_.lost({entry_.path, -1}, format("message {} has no id", rows.integer(0)));
    message.sent_at = time_of(rows.integer(4));
    message.edited_at = time_of(rows.integer(10));
    message.from_owner = rows.integer(5) != 0;
    message.author_id = *message.from_owner ? std::string() : rows.text(6);
    message.author = *message.from_owner ? "You" : message.author_id;
    message.text = rows.text(2);
    if (const std::string_view body = rows.bytes(3); message.text.empty() && !body.empty()) {
      if (auto text = imessage::text_in_typed_stream(body)) message.text = *std::move(text);
      else message.problems.emplace_back("the text is stored in a form that cannot be read");
    }
    message.reply_to = without_part(rows.text(9));
    if (rows.integer(11) != 0) {
      message.is_notice = true;
      if (message.text.empty())
        message.text = rows.text(12).empty() ? "the chat was changed" : "the chat was named " + rows.text(12);
    }
    // Marks where files are.
    for (const std::string_view mark : {"\xEF\xBF\xBC", "\xEF\xBF\xBD"}) {
      for (std::size_t at = message.text.find(mark); at != std::string::npos; at = message.text.find(mark))
        message.text.erase(at, mark.size());
    }
    if (const auto found = reactions_.find(message.id); found != reactions_.end()) {
      for (const auto& [name, by] : found->second) message.reactions.push_back({name, 1, {by}});
    }
    if (files) LADDER_CHECK(add_files(rows.integer(0), *files, message));
    const auto chat = chats_.find(rows.integer(7));
    if (chat != chats_.end()) {
      message.chat_id = chat->second.id;
      message.chat = chat->second.title;
      chat->second.count(message);
    }
    if (message.text.empty() && message.files.empty() && message.problems.empty()) {
      return sink_.skipped("messages", "a message without text or files");
    }
    return chats::send(sink_, tree_, message, {entry_.path, -1});
  }

  Status add_files(std::int64_t row, SqliteRows& files, chats::Message& message) {
    LADDER_CHECK(files.restart(row));
    for (;;) {
      LADDER_TRY(const bool more, files.next());
      if (!more) return {};
      const std::string path = files.text(1);
      std::string name = files.text(0).empty() ? std::string(last_component(path)) : files.text(0);
      chats::Message::File file{name.empty() ? "a file" : std::move(name), std::nullopt};
      constexpr std::string_view kFolder = "Attachments/";
      if (const std::size_t at = path.find(kFolder); at != std::string::npos)
        file.entry = tree_.find(entry_.sibling(path.substr(at)));
      message.files.push_back(std::move(file));
    }
  }

  Tree& tree_;
  const Entry& entry_;
  EntryNo number_;
  Sink& sink_;
  std::set<std::string> columns_;
  std::map<std::int64_t, chats::Chat> chats_;                                                    // by row
  std::unordered_map<std::string, std::vector<std::pair<std::string, std::string>>> reactions_;  // by message: name, who
};

class IMessage final : public Format {
 public:
  std::string_view name() const override { return "imessage"; }
  std::string_view summary() const override { return "iMessage and SMS: chat.db of a Mac, with its folder Attachments"; }
  Result<std::string> declaration(const Request&) const override { return chats::declaration_for("imessage", "iMessage"); }

  std::vector<Unit> detect(Tree& tree, const Request& request) const override {
    std::vector<Unit> units;
    for (EntryNo i = 0; i < tree.entries().size(); ++i) {
      const Entry& entry = tree.entries()[i];
      if (!(entry.has_extension(".db") || entry.has_extension(".sqlite") || request.forced) || !is_sqlite(tree.head(i))) continue;
      if (!mentions_table(tree, i, "chat_message_join")) continue;
      Unit unit;
      unit.confidence = Confidence::kCertain;
      unit.what = "the messages of a Mac or an iPhone";
      unit.part = entry.path;
      unit.entries = {i};
      const std::string folder = entry.sibling("Attachments/");
      for (EntryNo other = 0; other < tree.entries().size(); ++other) {
        const std::string& path = tree.entries()[other].path;
        if (path.starts_with(folder) || path == entry.path + "-wal" || path == entry.path + "-shm") unit.entries.push_back(other);
      }
      std::ranges::sort(unit.entries);
      units.push_back(std::move(unit));
    }
    return units;
  }

  Status read(Tree& tree, const Unit& unit, const Request&, std::string_view position, Sink& to) const override {
    ResumingSink sink(to, position);
    for (const EntryNo entry : unit.entries) {
      if (tree.entries()[entry].path == unit.part) LADDER_CHECK(Reader(tree, entry, sink).run());
    }
    return sink.finish();
  }
};

}  // namespace

const Format& imessage_format() {
  static const IMessage format;
  return format;
}

}  // namespace ladder::imports
