// PDPP-Version: one version is spoken here. Absent means that one; any other is refused before anything is read.
#pragma once

#include "base/error/error.h"
#include "http/message/message.h"

#include <string_view>

namespace ladder::http {

inline constexpr std::string_view kPdppVersion = "2026-04-06";

Status check_version(const Request& request);  // kUnsupportedVersion
void send_version(Response& response);

}  // namespace ladder::http
