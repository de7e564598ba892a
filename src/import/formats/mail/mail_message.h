// One message, parsed from its bytes, with the values its records need.
#pragma once

#include "base/time/time.h"
#include "import/formats/mail/mail_parts.h"
#include "import/io/sink.h"

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::imports::mail {

struct Message {
  // A digest of the Message-ID, the identifying headers and the body. The same message in two folders or exports is one record,
  // and two messages that share a Message-ID are two.
  std::string id;
  std::string message_id, thread_id, in_reply_to, list_id;
  // The thread id derived by mail_thread.h, for messages without References. For an answer whose headers name no message it is
  // the `thread_id`; for others it is an alias of the thread.
  std::string derived_thread_id;
  bool thread_derived = false;  // `thread_id` is derived
  std::vector<std::string> references;
  std::vector<Address> from, to, cc, bcc, reply_to;
  std::string subject;
  std::optional<Instant> sent_at;  // empty if the date is absent or cannot be right
  std::string date_text;           // the header as written, if it was not fully understood
  std::string unknown_zone;        // the name of a time zone that is unknown and was ignored in sent_at
  bool bulk = false;               // sent to many recipients, but not through a discussion list
  bool has_labels = false;         // the header X-Gmail-Labels is present, possibly empty
  std::vector<std::string> labels;
  std::set<std::string> guessed;  // detected encodings of headers that name none
  std::string status;             // the letters of Status and X-Status, as mbox programs keep them
};

// `bytes` must outlive it. read() returns null if there is no mail header. `encoding` is used for text that names none; "" to
// detect it.
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

// Splits X-Gmail-Labels: a comma-separated list; labels with a comma are quoted.
std::vector<std::string> split_labels(std::string_view text);

// Sends a message to the sink: its record, the records and blobs of its attachments, and its folder.

// The folder of a message without labels.
struct Filing {
  std::string folder = {};
  std::optional<bool> read = {}, replied = {}, flagged = {}, trashed = {}, draft = {};  // nullopt: unknown
};

// `kept` < `size` if the message was truncated; both in bytes of the file.
struct Source {
  wire::FileLocation place;
  std::int64_t size = 0, kept = 0;
};

Status send(Sink& sink, const ReadMessage& message, const Source& source, const Filing& filing);

}  // namespace ladder::imports::mail
