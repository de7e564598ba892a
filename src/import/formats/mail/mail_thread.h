// Derives threads of messages whose headers name none. The key depends on one message only, so it is the same in every mailbox
// and export, and in any order of messages.
#pragma once

#include "base/time/time.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ladder::imports::mail {

struct Subject {
  std::string text;        // case-folded, without answer prefixes and tags in brackets
  bool is_answer = false;  // it had a prefix: "Re:", "AW: WG:", "Re[2]:", "答复："
};
Subject normalized_subject(std::string_view subject);

struct ThreadClues {
  std::string_view subject, text;
  std::string_view date;  // the Date header
  std::optional<Instant> sent_at;
  std::span<const std::string> participants;  // the sender and all recipients, without duplicates
};

struct DerivedThread {
  std::string id;          // "" if there is too little evidence
  bool is_answer = false;  // the subject says that the message answers or forwards another one
};

// The id is built from the subject and the minute in which the oldest quoted message was sent. A message without a quote that
// is not an answer starts a thread, so its own minute counts. For an answer whose quote has no time, the subject, all
// participants and the quarter of the year are used, unless the subject is short.
DerivedThread derive_thread(const ThreadClues& clues);

}  // namespace ladder::imports::mail
