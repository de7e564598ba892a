#include "auth/wording.h"

#include "base/text/format.h"

#include <array>
#include <chrono>
#include <string_view>

namespace ladder::auth {

std::string day_text(Instant at) {
  static constexpr std::array<std::string_view, 12> kMonths = {
      "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"};
  const std::chrono::sys_days days{std::chrono::floor<std::chrono::days>(std::chrono::microseconds(at))};
  const std::chrono::year_month_day date(days);
  return format("{} {} {}", static_cast<unsigned>(date.day()), kMonths[static_cast<unsigned>(date.month()) - 1],
                static_cast<int>(date.year()));
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == names.size() ? " and " : ", ") + names[i];
  }
  return text;
}

}  // namespace ladder::auth
