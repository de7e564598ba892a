// In-memory mailboxes and messages, and helpers that import them, for tests of the mail format.
#pragma once

#include "base/text/format.h"
#include "import/formats/format.h"
#include "import/testing/reading.h"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ladder::imports::testing {

inline constexpr std::string_view kFromLine = "From ann@example.org Mon Jan 05 10:00:00 2024\n";

inline CollectingSink read_mail(Files files, const Request& request = {}) {
  return read_files(mail_format(), std::move(files), request);
}

inline CollectingSink read_mbox(std::string text) { return read_mail({{"Mail/All.mbox", std::move(text)}}); }

inline std::string simple(std::string_view subject, std::string_view body, std::string_view more_headers = "") {
  return format(
      "From: Ann <ann@example.org>\nTo: Bob <bob@example.org>\nDate: Fri, 05 Jan 2024 10:00:00 +0100\nSubject: {}\n"
      "Message-ID: <{}@example.org>\n{}\n{}",
      subject, subject, more_headers, body);
}

inline std::string mbox_of(const std::vector<std::string>& messages) {
  std::string out;
  for (const std::string& each : messages) out += std::string(kFromLine) + each + "\n\n";
  return out;
}

inline Collected only(const CollectingSink& sink) { return only(sink, "messages"); }

inline Collected only_message(std::string_view message) {
  return only(read_mbox(std::string(kFromLine) + std::string(message) + "\n"));
}

inline std::vector<std::string> subjects(const CollectingSink& sink) {
  std::vector<std::string> out;
  for (const Collected& each : sink.of("messages")) out.push_back(member(each, "subject"));
  return out;
}

}  // namespace ladder::imports::testing
