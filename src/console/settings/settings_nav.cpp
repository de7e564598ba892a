#include "console/settings/settings_nav.h"

#include "auth/text_formatting.h"

namespace ladder::console {

Writer settings_nav(SettingsPage current) {
  Writer out;
  const auto link = [&](SettingsPage page, const Url& to, Markup label) {
    out << Markup("<a") << Attribute("href", to) << (page == current ? Markup(" aria-current=\"page\">") : Markup(">")) << label
        << Markup("</a>");
  };
  out << Markup("<div class=\"settings-head\"><h1>Settings</h1><nav class=\"subnav\" aria-label=\"Settings\">");
  link(SettingsPage::kGeneral, Url::path("/settings"), "General");
  link(SettingsPage::kPhone, Url::path("/settings/phone"), "Your phone");
  link(SettingsPage::kBackups, Url::path("/settings/backups"), "Backups");
  link(SettingsPage::kNotifications, Url::path("/settings/notifications"), "Notifications");
  out << Markup("</nav></div>");
  return out;
}

Writer done_notice(std::string_view text) {
  Writer out;
  out << Markup("<div class=\"notice notice-ok\" role=\"status\">") << icon(Icon::kOk) << Markup("<p>") << Text(text)
      << Markup("</p></div>");
  return out;
}

Writer fault_line(std::string_view message) {
  Writer out;
  out << Markup("<p class=\"error\" role=\"alert\">") << icon(Icon::kWarn) << Text(auth::at_start(message)) << Markup("</p>");
  return out;
}

}  // namespace ladder::console
