// One message as its records need it, read from its bytes.
#pragma once

#include "base/time/time.h"
#include "import/child/sink.h"
#include "import/formats/mail/mail_parts.h"

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::imports::mail {

struct Message {
  // A digest of Message-ID, the headers that are kept and the body: the same message from two folders or exports is one record,
  // and two messages that share a Message-ID are two.
  std::string id;
  std::string message_id, thread_id, in_reply_to, list_id;
  // The thread as mail_thread.h derives it, for messages without References: `thread_id` of an answer whose headers name no
  // message, and a second name of the thread for others.
  std::string derived_thread_id;
  bool thread_derived = false;  // `thread_id` is derived
  std::vector<std::string> references;
  std::vector<Address> from, to, cc, bcc, reply_to;
  std::string subject;
  std::optional<Instant> sent_at;  // none when the date is absent or cannot be right
  std::string date_text;           // the header as written, when it could not be used as a whole
  std::string unknown_zone;        // the time zone that sent_at leaves out, since its name is not known
  bool bulk = false;               // sent to many people at once, and not through a list on which they talk
  bool has_labels = false;         // the header X-Gmail-Labels is there, if only empty
  std::vector<std::string> labels;
  std::set<std::string> guessed;  // encodings of headers that name none
  std::string status;             // Status and X-Status, as mbox programs keep them: letters
};

// `bytes` must outlive it. Null when no header of a mail can be found. `encoding` is that of text which names none; "" to guess.
class ReadMessage {
 public:
  static std::unique_ptr<ReadMessage> read(std::string_view bytes, std::string_view encoding = {});

  Message message;
  const Parts& parts() const { return *parts_; }

 private:
  explicit ReadMessage(std::string_view bytes) : text_(bytes) {}
  GMimeText text_;
  std::optional<Parts> parts_;
};

// X-Gmail-Labels: a list with commas, a label that holds one in quotes.
std::vector<std::string> split_labels(std::string_view text);

// From a message to what the sink is told: its record, the records and blobs of its attachments, and where it lies.

// The folder of a message, for messages that carry no labels of their own.
struct Filing {
  std::string folder = {};
  std::optional<bool> read = {}, replied = {}, flagged = {}, trashed = {}, draft = {};  // none: not known
};

// `kept` < `size` when the message was cut; both in bytes of the file.
struct Source {
  imports::wire::Place place;
  std::int64_t size = 0, kept = 0;
};

Status send(Sink& sink, const ReadMessage& message, const Source& source, const Filing& filing);

const char* mail_declaration();

}  // namespace ladder::imports::mail
