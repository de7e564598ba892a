// The layout of every page: head, header, footer, and the security headers.
#pragma once

#include "html/html.h"
#include "http/message/message.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ladder::pages {

// The sections of the console, in menu order.
enum class Section { kNone, kHome, kExplore, kAsk, kTimeline, kSources, kClients, kRequests, kLedger, kSettings };

// The menu of a console page.
struct Menu {
  Section current = Section::kNone;
  std::int64_t waiting = 0;  // pending access requests
  std::string csrf = {};
};

struct Frame {
  std::string title;
  std::string owner;        // the signed-in owner, or empty
  std::string form_action;  // an additional form-action source, e.g. https://claude.ai
  bool over_tls = false;
  bool wide = false;  // the page has its own layout
  bool live = false;  // the page refreshes itself: by script, or with a meta refresh if scripts are off
  std::optional<Menu> menu = {};
};

enum class Icon {
  kOk,
  kWarn,
  kBad,
  kInfo,
  kLock,
  kKey,
  kStop,
  kGo,
  kComputer,
  kHome,
  kSearch,
  kLayers,
  kPlug,
  kInbox,
  kLedger,
  kSliders,
  kMail,
  kChat,
  kAsk,
  kNote,
  kFile,
  kCalendar,
  kPerson,
  kPicture,
  kClock,
  kUpload,
  kUp,
  kDown,
};
html::Writer icon(Icon icon);
// The icon of a built-in source. Layers for sources that the owner declared.
Icon source_icon(std::string_view source_key);
html::Writer hidden(std::string_view name, std::string_view value);
html::Writer plural(std::int64_t count, std::string_view one, std::string_view many);  // "1 record", "1,204 records"

// The fields of a new passphrase, "passphrase" and "passphrase_again". `fault` is shown below the first.
html::Writer new_passphrase_fields(const html::Writer& fault);

// A form with one button.
html::Writer button_form(const html::Url& action, const std::string& csrf, std::string_view name, std::string_view value,
                         std::string_view label, std::string_view look);

// Renders a complete page with `main` as the content of <main>.
http::Response page(int status, const Frame& frame, const html::Writer& main);

// A message page: what happened, what it means, what to do.
http::Response message_page(int status, const Frame& frame, std::string_view heading, std::string_view text,
                            std::string_view error_code = {});

http::Response redirect_to(const std::string& address);  // 303, not cached

// Returns the form-action source that allows a redirect to this URI.
std::string form_action_for(std::string_view redirect_uri);

}  // namespace ladder::pages
