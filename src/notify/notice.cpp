#include "notify/notice.h"

#include "auth/body.h"
#include "base/text/format.h"
#include "base/text/utf8.h"
#include "base/text/visible_text.h"
#include "json/writer.h"

#include <algorithm>

namespace ladder::notify {
namespace {

constexpr std::size_t kMaxNameChars = 40, kShownWord = 40;

bool is_plain(char c) {
  const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  return is_letter || static_cast<unsigned char>(c) >= 0x80 || std::string_view("-_'()").find(c) != std::string_view::npos;
}

}  // namespace

const EventInfo& info(Event event) { return *std::ranges::find(kEvents, event, &EventInfo::event); }

Result<Event> event_named(std::string_view word) {
  const auto found = std::ranges::find(kEvents, word, &EventInfo::word);
  if (found != kEvents.end()) return found->event;
  std::string all;
  for (const EventInfo& each : kEvents) all += (all.empty() ? "" : ", ") + std::string(each.word);
  return fail(Code::kInvalidRequest,
              format("there is no event '{}'; the events are {}", visible_label(word.substr(0, kShownWord)), all), "event");
}

std::string plain_name(std::string_view name) {
  if (!utf8::is_valid(name)) return {};
  std::string plain;
  std::size_t chars = 0;
  for (const char c : name) {
    const bool continues = (static_cast<unsigned char>(c) & 0xC0) == 0x80;
    if (!continues && ++chars > kMaxNameChars) break;
    if (is_plain(c)) plain += c;
    else if (!plain.empty() && plain.back() != ' ') plain += ' ';
  }
  while (!plain.empty() && plain.back() == ' ') plain.pop_back();
  return visible_label(plain);
}

std::string to_body(const Notice& notice) {
  json::Writer out;
  out.begin_object().member("id", notice.id).member("event", notice.word()).member("key", notice.key);
  out.member("title", notice.title).member("text", notice.text).member("path", notice.path).member("at", notice.at).end_object();
  return out.take();
}

Notice notice_of(std::string_view json) {
  const auth::Body body(json);
  Notice notice{body.text("id"),   std::nullopt,      body.text("key"), body.text("title"),
                body.text("text"), body.text("path"), body.number("at")};
  if (const auto event = event_named(body.text("event"))) notice.event = *event;
  return notice;
}

}  // namespace ladder::notify
