// Helpers that several console pages share: clients, times, icons and meters.
#pragma once

#include "auth/authorization.h"
#include "base/text/grouped.h"
#include "html/html.h"
#include "pages/page.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::console {

// Names used on every page.
using html::Attribute;
using html::Markup;
using html::Text;
using html::Url;
using html::Writer;
using pages::button_form;
using pages::hidden;
using pages::Icon;
using pages::icon;
using pages::plural;

// A client as every page shows it: a fixed color, its address, and the unverified name that it chose.
struct ClientFace {
  std::string client_id;
  int slot = 1;            // color c1 to c6, in order of the first connection
  std::string redirect;    // the redirect URI of the last approval; empty for devices and manual tokens
  std::string address;     // the redirect as text ("claude.ai"), or the client id
  std::string name;        // chosen by the client, unverified; may be empty
  std::string title;       // "“Claude Code” on this computer", or the address
  bool connected = false;  // has an active grant

  std::string short_name() const { return name.empty() ? address : name; }  // for places that show the address elsewhere
};

// All clients that ever had a grant from this owner.
class ClientFaces {
 public:
  static Result<ClientFaces> of(auth::AuthorizationServer& authorization, const server::Access& owner);

  const ClientFace& at(std::string_view client_id);                            // also works for clients without a grant
  const std::vector<ClientFace>& all() const { return faces_; }                // in order of the first connection
  const std::vector<server::GrantSummary>& grants() const { return grants_; }  // grants of every status

 private:
  std::vector<ClientFace> faces_;
  std::vector<server::GrantSummary> grants_;
};

std::string colour(const ClientFace& face);  // the CSS class with the color of the client
// <a class="client">: a link to the client's page.
html::Writer client_link(const ClientFace& face);

// "Today, 07:30", "Sunday, 17:20" within a week, "4 November", "4 November 2025". Local time.
std::string moment_text(Instant at, Instant now);
std::string clock_text(Instant at);                   // "07:30:12"
std::string month_day_text(Instant at, Instant now);  // "4 November", with the year if it differs
Instant local_midnight(Instant at);                   // the start of the local day
Instant as_local(Instant at);                         // shifted, so that its UTC fields are the local date and time

// A bar that shows part/whole in the current color. `label` is the accessible text.
html::Writer meter(std::int64_t part, std::int64_t whole, std::string_view label);

using pages::source_icon;

}  // namespace ladder::console
