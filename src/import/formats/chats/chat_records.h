// The records of chats, the same for every service: the streams `messages`, `chats` and `files`, so that a grant and a page mean
// the same for all. The declaration is declaration.json in this folder, with the name of the service.
#pragma once

#include "base/time/time.h"
#include "import/io/sink.h"
#include "import/tree/tree.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::imports::chats {

// Returns the declaration for a service: `source` is the name of the format, `name` that of the service.
std::string declaration_for(std::string_view source, std::string_view name);

struct Reaction {
  std::string name;
  std::int64_t count = 1;
  std::vector<std::string> by;
};

struct Message {
  std::string id, chat_id, chat, author_id, author;  // optional texts are "" if missing
  std::optional<bool> from_owner;
  std::optional<Instant> sent_at, edited_at;
  bool is_notice = false, is_deleted = false;
  std::string text;  // of a notice, too
  std::string reply_to, forwarded_from, date_text;
  std::vector<std::string> links, problems;
  std::vector<Reaction> reactions;
  struct File {
    std::string name;
    std::optional<EntryNo> entry;  // in the tree; empty if the export does not contain it
  };
  std::vector<File> files;
};

// Sends the message and a record for each of its files that the export contains.
Status send(Sink& sink, Tree& tree, const Message& message, const wire::FileLocation& place);

struct Chat {
  std::string id, title, kind;
  std::vector<std::string> members;
  std::int64_t message_count = 0;
  std::optional<Instant> last_at;

  void count(const Message& message);
};
Status send(Sink& sink, const Chat& chat, const wire::FileLocation& place);

}  // namespace ladder::imports::chats
