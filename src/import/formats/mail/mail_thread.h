// Threads of messages whose headers name none. A key is made from one message alone, so that it is the same in every mailbox, in
// every export and in whatever order messages come.
#pragma once

#include "base/time/time.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ladder::imports::mail {

struct Subject {
  std::string text;        // folded, without the prefixes of answers and tags in brackets
  bool is_answer = false;  // it had a prefix: "Re:", "AW: WG:", "Re[2]:", "答复："
};
Subject normalized_subject(std::string_view subject);

struct ThreadClues {
  std::string_view subject, text;
  std::string_view date;  // the Date header
  std::optional<Instant> sent_at;
  std::span<const std::string> participants;  // the sender and all recipients, once each
};

struct DerivedThread {
  std::string id;          // "" if there is too little evidence
  bool is_answer = false;  // the subject says that the message answers or forwards another one
};

// The subject and the minute in which the oldest quoted message was sent make the id. A message that quotes none and is no answer
// begins a thread, so its own minute counts. An answer whose quote says no time has the subject, all participants and the quarter
// of the year instead, unless its subject is short.
DerivedThread derive_thread(const ThreadClues& clues);

}  // namespace ladder::imports::mail
