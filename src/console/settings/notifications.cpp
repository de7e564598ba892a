// The page of the notifications: the channels, what each one is told, and the forms that add one.
#include "auth/text_formatting.h"
#include "base/text/base64.h"
#include "base/text/format.h"
#include "base/text/number.h"
#include "console/console.h"
#include "console/settings/settings_nav.h"
#include "crypto/random.h"
#include "notify/delivery.h"

#include <algorithm>

namespace ladder::console {
namespace {

using notify::Channel;
using notify::ChannelKind;

constexpr std::size_t kKeyBytes = 24;

// A channel with the outcome of its last deliveries.
struct Shown {
  Channel channel;
  notify::ChannelStatus status;
};

// The message of the page after an action.
struct Said {
  std::string text = {};
  std::string key = {};                       // of a new webhook, shown once
  std::optional<notify::Delivery> test = {};  // of the channel `about`
  std::string about = {};
  std::optional<Error> fault = {};  // of the form that adds a channel of kind `kind`
  std::string kind = {};
};

std::string_view label_of(ChannelKind kind) {
  return kind == ChannelKind::kEmail ? "Email" : kind == ChannelKind::kNtfy ? "Phone (ntfy)" : "Webhook";
}

Icon icon_of(ChannelKind kind) {
  return kind == ChannelKind::kEmail ? Icon::kMail : kind == ChannelKind::kNtfy ? Icon::kPhone : Icon::kPlug;
}

Writer state_of(const Shown& shown, const Said& said, Instant now) {
  Writer out;
  const notify::ChannelStatus& status = shown.status;
  if (said.test && said.about == shown.channel.name) {
    const bool sent = said.test->outcome == notify::Outcome::kSent;
    out << (sent ? Markup("<p role=\"status\" class=\"ok\">") : Markup("<p role=\"alert\" class=\"error\">"))
        << icon(sent ? Icon::kOk : Icon::kWarn) << Text(sent ? std::string("The test was sent.") : said.test->error.message)
        << Markup("</p>");
    return out;
  }
  out << Markup("<p>");
  if (status.failures > 0) {
    out << icon(Icon::kWarn) << Markup(" <span dir=\"auto\">") << Text(status.error) << Markup("</span> Error code: <code>")
        << Text(status.error_code) << Markup("</code>");
  } else if (status.sent_at > 0) {
    out << Markup("Last sent: ") << Text(auth::inside(moment_text(status.sent_at, now))) << Markup(".");
  } else {
    out << Markup("Nothing sent yet.");
  }
  if (status.lost > 0) out << Markup(" ") << plural(status.lost, "message was", "messages were") << Markup(" given up.");
  out << Markup("</p>");
  return out;
}

Writer channel_row(const Shown& shown, const Said& said, const std::string& csrf, Instant now) {
  const Channel& channel = shown.channel;
  const auto button = [&](std::string_view action, Markup look, Markup label) {
    Writer out;
    out << Markup("<button class=\"") << look << Markup("\" name=\"do\"") << Attribute("value", action) << Markup(">") << label
        << Markup("<span class=\"unseen\"> ") << Text(channel.name) << Markup("</span></button>");
    return out;
  };
  Writer out;
  out << Markup("<li><span class=\"glyph\">") << icon(icon_of(channel.kind)) << Markup("</span><div class=\"what\"><b>")
      << Text(channel.name) << Markup("</b> <span class=\"quiet\">") << Text(label_of(channel.kind))
      << Markup("</span><p class=\"addr\" dir=\"auto\">") << Text(channel.shown_target()) << Markup("</p>")
      << state_of(shown, said, now) << Markup("</div><form class=\"row act\" action=\"/settings/notifications\" method=\"post\">")
      << hidden("csrf", csrf) << hidden("channel", channel.name) << button("test", "btn btn-s", "Send a test")
      << button("remove", "btn btn-s btn-bare", "Remove") << Markup("</form></li>");
  return out;
}

Writer channels_section(const std::vector<Shown>& all, const Said& said, const std::string& csrf, Instant now) {
  Writer out;
  out << Markup("<section aria-labelledby=\"ch\"><div class=\"block-head\"><h2 id=\"ch\">Where to send them</h2></div>");
  if (all.empty()) out << Markup("<p class=\"soft\">Nowhere yet. Add a channel below.</p>");
  else {
    out << Markup("<ul class=\"card card-flush list\">");
    for (const Shown& shown : all) out << channel_row(shown, said, csrf, now);
    out << Markup("</ul>");
  }
  out << Markup("</section>");
  return out;
}

Writer events_section(const std::vector<Shown>& all, const std::string& csrf) {
  Writer out;
  if (all.empty()) return out;
  out << Markup(
             "<section aria-labelledby=\"wh\"><div class=\"block-head\"><h2 id=\"wh\">What to tell me</h2></div><form "
             "class=\"stack\" action=\"/settings/notifications\" method=\"post\">")
      << hidden("csrf", csrf)
      << Markup(
             "<div class=\"card card-flush\"><table class=\"table table-cards matrix\"><thead><tr><th scope=\"col\">Event</th>");
  for (const Shown& shown : all) {
    out << Markup("<th scope=\"col\" class=\"c\">") << Text(shown.channel.name) << Markup("</th>");
  }
  out << Markup("</tr></thead><tbody>");
  for (const notify::EventInfo& event : notify::kEvents) {
    out << Markup("<tr><th scope=\"row\">") << Text(event.label) << Markup("<br><span class=\"quiet\">") << Text(event.hint)
        << Markup("</span></th>");
    for (const Shown& shown : all) {
      out << Markup("<td class=\"c\"") << Attribute("data-name", shown.channel.name)
          << Markup("><input type=\"checkbox\" name=\"event\"")
          << Attribute("value", format("{} {}", shown.channel.name, event.word))
          << Attribute("aria-label", format("{}: {}", shown.channel.name, event.label))
          << (shown.channel.events.contains(event.event) ? Markup(" checked></td>") : Markup("></td>"));
    }
    out << Markup("</tr>");
  }
  out << Markup(
      "</tbody></table></div><div><button class=\"btn\" name=\"do\" value=\"events\">Save</button></div></form></section>");
  return out;
}

// --- the forms that add a channel ---

Writer field(std::string_view id, std::string_view name, std::string_view label, std::string_view value, std::string_view hint,
             Markup attributes) {
  Writer out;
  out << Markup("<div class=\"field\"><label") << Attribute("for", id) << Markup(">") << Text(label)
      << Markup("</label><input class=\"input\"") << Attribute("id", id) << Attribute("name", name) << Attribute("value", value)
      << attributes;
  if (!hint.empty()) out << Attribute("aria-describedby", format("{}h", id));
  out << Markup(">");
  if (!hint.empty())
    out << Markup("<p class=\"hint\"") << Attribute("id", format("{}h", id)) << Markup(">") << Text(hint) << Markup("</p>");
  out << Markup("</div>");
  return out;
}

Writer form_open(const Said& said, ChannelKind kind, const std::string& csrf, Markup summary) {
  const bool is_open = said.kind == notify::word_for(kind);
  Writer out;
  out << (is_open ? Markup("<details class=\"card\" open><summary>") : Markup("<details class=\"card\"><summary>")) << summary
      << Markup("</summary><form class=\"stack\" action=\"/settings/notifications\" method=\"post\" autocomplete=\"off\">")
      << hidden("csrf", csrf) << hidden("kind", notify::word_for(kind));
  return out;
}

Writer form_close(const Said& said, ChannelKind kind) {
  Writer out;
  if (said.fault && said.kind == notify::word_for(kind)) out << fault_line(said.fault->message);
  out << Markup("<div><button class=\"btn btn-act\" name=\"do\" value=\"add\">Add</button></div></form></details>");
  return out;
}

constexpr Markup kRequired = " required";
constexpr Markup kSecret = " type=\"password\" autocomplete=\"new-password\"";

Writer add_section(const pages::Form& form, const Said& said, const std::string& csrf) {
  const auto entered = [&](ChannelKind kind, std::string_view name, std::string_view initial) {
    return said.fault && said.kind == notify::word_for(kind) ? form.one(name) : std::string(initial);
  };
  const auto of_email = [&](std::string_view name, std::string_view initial) {
    return entered(ChannelKind::kEmail, name, initial);
  };
  Writer out;
  out << Markup(
             "<section class=\"stack\" aria-labelledby=\"ad\"><div class=\"block-head\"><h2 id=\"ad\">Add a channel</h2></div>")
      << form_open(said, ChannelKind::kEmail, csrf, "Email")
      << field("em-n", "name", "Name", of_email("name", "email"), "", kRequired)
      << field("em-t", "to", "To", of_email("to", ""), "", " type=\"email\" required") << Markup("<div class=\"grid-2\">")
      << field("em-h", "host", "Mail server", of_email("host", ""), "Such as smtp.example.org.", kRequired)
      << field("em-p", "port", "Port", of_email("port", "465"), "465 with TLS, 587 with STARTTLS.",
               " inputmode=\"numeric\" required")
      << Markup(
             "</div><div class=\"field\"><label for=\"em-s\">Encryption</label><select class=\"input\" id=\"em-s\" "
             "name=\"security\">");
  const std::string security = of_email("security", "tls");
  for (const auto& [value, label] : std::array<std::pair<std::string_view, std::string_view>, 3>{
           {{"tls", "TLS"}, {"starttls", "STARTTLS"}, {"plain", "None, only on this computer"}}}) {
    out << Markup("<option") << Attribute("value", value) << (value == security ? Markup(" selected>") : Markup(">"))
        << Text(label) << Markup("</option>");
  }
  out << Markup("</select></div><div class=\"grid-2\">")
      << field("em-u", "user", "User name", of_email("user", ""), "Leave empty if the server needs no sign-in.", "")
      << field("em-w", "secret", "Password", "", "Many providers need an app password.", kSecret) << Markup("</div>")
      << field("em-f", "from", "From", of_email("from", ""), "Empty: the same as To.", " type=\"email\"")
      << form_close(said, ChannelKind::kEmail) << form_open(said, ChannelKind::kNtfy, csrf, "Phone (ntfy)")
      << field("nt-n", "name", "Name", entered(ChannelKind::kNtfy, "name", "phone"), "", kRequired)
      << field("nt-u", "url", "Address of your topic", entered(ChannelKind::kNtfy, "url", ""),
               "Such as https://ntfy.sh/ and a name that is hard to guess. Subscribe to it in the ntfy app.",
               " type=\"url\" required")
      << field("nt-s", "secret", "Access token", "", "Only if the server needs one.", kSecret)
      << form_close(said, ChannelKind::kNtfy) << form_open(said, ChannelKind::kWebhook, csrf, "Webhook, for your own programs")
      << field("wh-n", "name", "Name", entered(ChannelKind::kWebhook, "name", "webhook"), "", kRequired)
      << field("wh-u", "url", "Address", entered(ChannelKind::kWebhook, "url", ""),
               "Ladder posts JSON there, signed with a key that you get next.", " type=\"url\" required")
      << form_close(said, ChannelKind::kWebhook) << Markup("</section>");
  return out;
}

// --- actions ---

Result<Channel> channel_in(const pages::Form& form) {
  Channel channel;
  LADDER_TRY(channel.kind, notify::channel_kind(form.one("kind")));
  channel.name = form.one("name");
  for (const notify::EventInfo& event : notify::kEvents) channel.events.insert(event.event);
  if (channel.kind != ChannelKind::kEmail) {
    channel.url = form.one("url");
    return channel;
  }
  channel.server.host = form.one("host");
  const auto port = parse_number<std::uint16_t>(form.one("port"));
  channel.server.port = port.value_or(0);
  LADDER_TRY(channel.server.security, notify::security_named(form.one("security")));
  channel.user = form.one("user");
  channel.to = form.one("to");
  channel.from = form.one("from").empty() ? channel.to : form.one("from");
  return channel;
}

Status add(notify::NotifyStore& store, const pages::Visit& visit, Said& said) {
  said.kind = visit.form.one("kind");
  LADDER_TRY(const Channel channel, channel_in(visit.form));
  const bool is_webhook = channel.kind == ChannelKind::kWebhook;
  const std::string secret = is_webhook ? base64url::encode(crypto::random_bytes(kKeyBytes)) : visit.form.one("secret");
  LADDER_CHECK(store.add(*visit.owner, channel, secret));
  if (is_webhook) said.key = secret;
  said.text = format("{} is added. Send a test to see whether it arrives.", channel.name);
  said.kind.clear();
  return {};
}

Status save_events(notify::NotifyStore& store, const pages::Visit& visit) {
  LADDER_TRY(const auto channels, store.list(*visit.owner));
  const std::vector<std::string> chosen = visit.form.all("event");
  for (const Channel& channel : channels) {
    std::set<notify::Event> events;
    for (const notify::EventInfo& event : notify::kEvents) {
      if (std::ranges::find(chosen, format("{} {}", channel.name, event.word)) != chosen.end()) events.insert(event.event);
    }
    if (events != channel.events) LADDER_CHECK(store.set_events(*visit.owner, channel.name, events));
  }
  return {};
}

Status test(notify::NotifyStore& store, const pages::Visit& visit, Said& said) {
  said.about = visit.form.one("channel");
  LADDER_TRY(const Channel channel, store.find(*visit.owner, said.about));
  LADDER_TRY(const std::string secret, store.secret(*visit.owner, channel));
  said.test = notify::deliver(channel, secret, store.test_notice(), visit.server_url.base, store.now(), {});
  return store.note(*visit.owner, channel.name, *said.test, false);
}

Status act(notify::NotifyStore& store, const pages::Visit& visit, Said& said) {
  const std::string wanted = visit.form.one("do");
  if (wanted == "add") return add(store, visit, said);
  if (wanted == "test") return test(store, visit, said);
  if (wanted == "remove") {
    LADDER_CHECK(store.remove(*visit.owner, visit.form.one("channel")));
    said.text = format("{} is removed.", visit.form.one("channel"));
  }
  if (wanted == "events") {
    LADDER_CHECK(save_events(store, visit));
    said.text = "Saved.";
  }
  return {};
}

Writer said_notice(const Said& said) {
  Writer out;
  if (said.text.empty()) return out;
  if (said.key.empty()) return done_notice(said.text);
  out << Markup("<div class=\"notice notice-ok\" role=\"status\">") << icon(Icon::kOk) << Markup("<div class=\"stack\"><p>")
      << Text(said.text)
      << Markup(
             " <b>Copy the key for the signatures now. You won't see it again.</b></p><div class=\"copy\"><code id=\"newkey\">")
      << Text(said.key)
      << Markup("</code><button class=\"btn btn-s\" type=\"button\" data-copy=\"newkey\" hidden>Copy</button></div></div></div>");
  return out;
}

}  // namespace

Result<http::Response> Console::notifications(Visit& visit) {
  if (about_.notifications == nullptr) return fail(Code::kNotFound, "this server sends no notifications");
  notify::NotifyStore& store = *about_.notifications;
  // Only what the owner who runs the server chose is sent.
  const bool is_served = about_.backups == nullptr || about_.backups->is_administrator(*visit.owner);
  Said said;
  if (visit.is_post && is_served) {
    // A channel makes the server connect to an address, so an old session must not add one.
    if (gate_.has_to_sign_in_again(visit)) return pages::Gate::sign_in_again("/settings/notifications");
    if (const Status done = act(store, visit, said); !done) {
      if (done.error().http_status() >= 500 || said.kind.empty()) return std::unexpected(done.error());
      said.fault = done.error();
    }
  }
  std::vector<Shown> all;
  LADDER_TRY(const auto channels, store.list(*visit.owner));
  for (const Channel& channel : channels) {
    LADDER_TRY(const auto status, store.status(*visit.owner, channel.name));
    all.push_back({channel, status});
  }
  pages::Frame frame = visit.frame;
  frame.title = "Notifications";
  Writer main;
  main << settings_nav(SettingsPage::kNotifications)
       << Markup(
              "<div class=\"page-head\"><div><h2 class=\"big-2\">Notifications</h2><p class=\"lead\">Ladder can tell you when an "
              "app "
              "asks for access or something goes wrong. Messages contain names, counts and a link, never your "
              "data.</p></div></div>");
  if (is_served) {
    main << said_notice(said) << channels_section(all, said, visit.csrf(), authorization_.now())
         << events_section(all, visit.csrf()) << add_section(visit.form, said, visit.csrf());
  } else {
    main << Markup("<p class=\"soft\">Only the owner who runs this server can get notifications.</p>");
  }
  return pages::page(said.fault ? said.fault->http_status() : 200, frame, main);
}

}  // namespace ladder::console
