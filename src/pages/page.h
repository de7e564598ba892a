// The frame of every page: head, header, footer, and the headers that keep a page to itself.
#pragma once

#include "html/html.h"
#include "http/message/message.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ladder::pages {

// The pages of the console, in the order of its menu.
enum class Section { kNone, kHome, kExplore, kSources, kClients, kRequests, kLedger, kSettings };

// The menu beside a page of the console.
struct Menu {
  Section current = Section::kNone;
  std::int64_t waiting = 0;  // requests that wait for the owner
  std::string csrf = {};
};

struct Frame {
  std::string title;
  std::string owner;        // who is signed in; empty: nobody
  std::string form_action;  // a further origin or scheme that forms may lead to, e.g. https://claude.ai
  bool over_tls = false;
  bool wide = false;  // the body has its own layout
  bool live = false;  // what it shows goes on: the script renews it, and without one the browser loads it again
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
  kNote,
  kFile,
  kCalendar,
  kPerson,
  kPicture,
  kClock,
  kUpload,
};
html::Writer icon(Icon icon);
html::Writer hidden(std::string_view name, std::string_view value);
html::Writer plural(std::int64_t count, std::string_view one, std::string_view many);  // "1 record", "1,204 records"

// The two fields of a new passphrase, named "passphrase" and "passphrase_again"; `fault` is shown below the first.
html::Writer new_passphrase_fields(const html::Writer& fault);

// A form of one button.
html::Writer button_form(const html::Url& action, const std::string& csrf, std::string_view name, std::string_view value,
                         std::string_view label, std::string_view look);

// A whole page around what stands in <main>.
http::Response page(int status, const Frame& frame, const html::Writer& main);

// A message: what happened, what it means, what to do.
http::Response message_page(int status, const Frame& frame, std::string_view heading, std::string_view text,
                            std::string_view for_makers = {});

http::Response redirect_to(const std::string& address);  // 303, kept nowhere

// The source that form-action has to allow for a redirect to that address.
std::string form_action_for(std::string_view redirect_uri);

}  // namespace ladder::pages
