// How each host is connected to this server by its address: a line, a link or a setting. `ladder connect` and the pages say the
// same.
#pragma once

#include "auth/authorization.h"
#include "html/html.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace ladder::console {

enum class HostForm : std::uint8_t { kCommand, kLink, kAddress, kSetting };

struct HostLine {
  std::string_view host;  // the word of `ladder connect`
  std::string_view name;  // as people call it
  std::string_view what;  // what to do with the text
  HostForm form = HostForm::kCommand;
  bool needs_https = false;  // a host elsewhere, which reaches public addresses only
  std::string (*text)(const std::string& url) = nullptr;
};

std::span<const HostLine> host_lines();

// How an agent is connected: the address to copy, links and lines of each host.
html::Writer connect_card(const auth::Place& place);

}  // namespace ladder::console
