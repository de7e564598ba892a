// The records before and after a record in its conversation, as its source declares it.
#pragma once

#include "console/explore/record_view.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ladder::console {

struct Conversation {
  std::string word;                    // the stream's term: "thread", "chat"
  std::vector<api::Record> records;    // in order of time, with the record itself if it has a time
  bool before = false, after = false;  // there are more
};

struct ConversationRequest {
  std::int64_t before = 0, after = 0;
  std::int64_t field_chars = 0;          // longer values are cut
  std::vector<std::string> fields = {};  // empty: all
};

// Reads as the owner. Returns nullopt if the record belongs to no conversation.
Result<std::optional<Conversation>> conversation_of(const RecordView& view, const ConversationRequest& wanted);

// Returns the record as the viewer sees it, or nullopt.
Result<std::optional<api::Record>> as_seen(const RecordView& view, const api::Record& record, std::int64_t field_chars);

}  // namespace ladder::console
