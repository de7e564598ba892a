// How each host connects to this server: a command, a link or a setting. Shared by `ladder connect` and the pages.
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
  std::string_view host;  // the argument of `ladder connect`
  std::string_view name;  // display name
  std::string_view what;  // instructions
  HostForm form = HostForm::kCommand;
  bool needs_https = false;  // a remote host that needs a public https address
  std::string (*text)(const std::string& url) = nullptr;
};

std::span<const HostLine> host_lines();

// The "Connect an app" card: the address to copy, and links and commands for each host.
html::Writer connect_card(const auth::ServerUrl& server_url);

}  // namespace ladder::console
