// The events that the owner can be told about, and the message about one. A message contains names of apps and sources, counts
// and a link to a page. It never contains text of records.
#pragma once

#include "base/error/error.h"
#include "base/time/time.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ladder::notify {

enum class Event : std::uint8_t { kRequest, kFirstRead, kLargeRead, kAccessEnds, kSyncFails, kBackupFails };

struct EventInfo {
  Event event;
  std::string_view word;   // in commands and messages
  std::string_view label;  // on pages
  std::string_view hint;
};

inline constexpr std::array<EventInfo, 6> kEvents = {
    {{Event::kRequest, "request", "An app asks for access", "You have 30 minutes to answer."},
     {Event::kFirstRead, "first-read", "An app reads for the first time", "Once per app."},
     {Event::kLargeRead, "large-read", "An app reads unusually much", "More than 5 times its usual day."},
     {Event::kAccessEnds, "access-ends", "Access is about to end", "3 days before."},
     {Event::kSyncFails, "sync-fails", "A source stops syncing", "After 3 failures, or when the password is rejected."},
     {Event::kBackupFails, "backup-fails", "A backup fails", "Once, until one succeeds again."}}};

const EventInfo& info(Event event);
Result<Event> event_named(std::string_view word);  // kInvalidRequest, with the valid names

struct Notice {
  std::string id;              // names the message; the same for all channels and attempts
  std::optional<Event> event;  // nullopt: a test
  std::string key;             // identifies the event: at most one message is sent for it
  std::string title;           // ASCII, without names
  std::string text;            // one or two sentences
  std::string path;            // of the page with the details: "/requests"
  Instant at = 0;

  std::string_view word() const { return event ? info(*event).word : "test"; }
};

// Returns a name that an app chose as plain words: letters, digits, spaces, and - _ ' ( ), at most 40 characters. A name can
// therefore not become a link or a second line.
std::string plain_name(std::string_view name);

std::string to_body(const Notice& notice);
Notice notice_of(std::string_view body);

}  // namespace ladder::notify
