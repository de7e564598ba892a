// The parts that several pages of the console share: how a client, a moment, a source and a share of a whole are shown.
#pragma once

#include "auth/authorization.h"
#include "html/html.h"
#include "pages/page.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::console {

// The words that every page is written in.
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

// A client as every page shows it: always the same colour, its address first, the name that it gives itself as a claim.
struct ClientFace {
  std::string client_id;
  int slot = 1;            // of the colours c1 to c6, in order of the first connection
  std::string redirect;    // where its answers went when the owner last allowed it; empty for devices and tokens made by hand
  std::string address;     // the same in words ("claude.ai", "a program on this computer"), or its id
  std::string name;        // its own claim; empty when it makes none
  bool connected = false;  // a grant of it stands

  std::string short_name() const { return name.empty() ? address : name; }  // where a claim stands beside its address elsewhere
};

// All clients that this owner has ever granted something.
class ClientFaces {
 public:
  static Result<ClientFaces> of(auth::AuthorizationServer& authorization, const server::Access& owner);

  const ClientFace& at(std::string_view client_id);                            // one that has no grant any more has a face, too
  const std::vector<ClientFace>& all() const { return faces_; }                // in order of the first connection
  const std::vector<server::GrantSummary>& grants() const { return grants_; }  // of every status

 private:
  std::vector<ClientFace> faces_;
  std::vector<server::GrantSummary> grants_;
};

std::string colour(const ClientFace& face);  // "c3": the class that sets a client's colour for what is inside
// <a class="client">: its mark, its name, a link to its page.
html::Writer client_link(const ClientFace& face);

// "Today, 07:30", "Sunday, 17:20" within a week, "4 November", "4 November 2025"; by the clock of this machine.
std::string moment_text(Instant at, Instant now);
std::string clock_text(Instant at);                   // "07:30:12"
std::string month_day_text(Instant at, Instant now);  // "4 November", with the year when it is another
Instant local_midnight(Instant at);                   // of the day that it is on this machine's clock

// Part of a whole as a bar, in the colour of what is around it. `label` says it in words.
html::Writer meter(std::int64_t part, std::int64_t whole, std::string_view label);

// Of a shipped source by its key; layers for one that the owner declared.
pages::Icon source_icon(std::string_view source_key);

std::string grouped(std::int64_t number);  // "12,411"

}  // namespace ladder::console
