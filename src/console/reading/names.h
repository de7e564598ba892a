// Names of people in lines such as "Tomas Reuter <tomas@reuter.example>, nora@example.org".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ladder::console {

struct Mailbox {
  std::string name;     // the address if there is no name
  std::string address;  // empty if there is none

  friend bool operator==(const Mailbox&, const Mailbox&) = default;
};

Mailbox mailbox_of(std::string_view text);
std::vector<Mailbox> mailboxes_of(std::string_view list);  // separated by commas outside quotes and angle brackets

// One or two capital letters for an avatar: "Tomas Reuter" is "TR".
std::string initials_of(std::string_view name);

}  // namespace ladder::console
