#include "auth/text_formatting.h"

#include "base/text/format.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <initializer_list>
#include <utility>

namespace ladder::auth {

std::string day_text(Instant at) {
  static constexpr std::array<std::string_view, 12> kMonths = {
      "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"};
  const std::chrono::sys_days days{std::chrono::floor<std::chrono::days>(std::chrono::microseconds(at))};
  const std::chrono::year_month_day date(days);
  return format("{} {} {}", static_cast<unsigned>(date.day()), kMonths[static_cast<unsigned>(date.month()) - 1],
                static_cast<int>(date.year()));
}

std::string at_start(std::string_view text) {
  std::string out(text);
  // Domain names keep their spelling.
  if (text.substr(0, text.find(' ')).find('.') != std::string_view::npos) return out;
  if (!out.empty() && out.front() >= 'a' && out.front() <= 'z') out.front() = static_cast<char>(out.front() - 'a' + 'A');
  return out;
}

std::string inside(std::string_view label) {
  std::string out(label);
  const bool ordinary = out.size() > 1 && out[0] >= 'A' && out[0] <= 'Z' && out[1] >= 'a' && out[1] <= 'z';
  if (ordinary) out.front() = static_cast<char>(out.front() - 'A' + 'a');
  return out;
}

std::string browser_name(std::string_view agent) {
  const auto first_of = [&](std::initializer_list<std::pair<std::string_view, std::string_view>> known) {
    for (const auto& [mark, name] : known) {
      if (agent.find(mark) != std::string_view::npos) return std::string(name);
    }
    return std::string();
  };
  // Most browsers also name others, so the order matters.
  const std::string browser =
      first_of({{"Firefox/", "Firefox"}, {"Edg/", "Edge"}, {"OPR/", "Opera"}, {"Chrome/", "Chrome"}, {"Safari/", "Safari"}});
  const std::string system = first_of({{"Android", "Android"},
                                       {"iPhone", "an iPhone"},
                                       {"iPad", "an iPad"},
                                       {"Windows", "Windows"},
                                       {"Mac OS X", "a Mac"},
                                       {"Linux", "Linux"}});
  if (browser.empty()) return "A browser";
  return system.empty() ? browser : format("{} on {}", browser, system);
}

std::string terms_text(const grant::Grant& grant) {
  constexpr std::string_view kPurposes = "https://pdpp.dev/purpose/";
  std::string purpose = grant.purpose_code;
  // The usual purpose says nothing that the owner does not know.
  if (purpose == grant::kDefaultPurpose) purpose.clear();
  if (purpose.starts_with(kPurposes)) {
    purpose.erase(0, kPurposes.size());
    std::ranges::replace(purpose, '_', ' ');
  }
  return format("{}until {}{}{}", grant.single_use ? "once, " : "",
                grant.expires_at ? day_text(*grant.expires_at) : "you revoke it", purpose.empty() ? "" : ", for ", purpose);
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  }
  return text;
}

}  // namespace ladder::auth
