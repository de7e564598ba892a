// From a message to what the sink is told: its record, the records and blobs of its attachments, and where it lies.
#pragma once

#include "import/formats/mail_message.h"
#include "import/sink.h"

#include <optional>
#include <string>
#include <string_view>

namespace ladder::imports::mail {

// Where a message was found, for messages that carry no labels of their own.
struct Filing {
  std::string folder = {};
  std::optional<bool> read = {}, replied = {}, flagged = {}, trashed = {}, draft = {};  // none: not known
};

// `kept` < `size` when the message was cut; both in bytes of the file.
struct Source {
  extract::Place place;
  std::int64_t size = 0, kept = 0;
};

Status send(Sink& sink, const ReadMessage& message, const Source& source, const Filing& filing);

const char* mail_declaration();

}  // namespace ladder::imports::mail
