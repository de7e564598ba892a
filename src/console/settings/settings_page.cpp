// The settings page: sign-in, sessions, keys, public address, activity and storage, each with its form.
#include "auth/text_formatting.h"
#include "base/text/format.h"
#include "console/console.h"
#include "console/parts.h"
#include "console/settings/settings.h"
#include "console/settings/settings_nav.h"

#include <algorithm>
#include <array>

namespace ladder::console {
namespace {

constexpr std::int64_t kAlways = 36'500;  // days; the maximum

struct Confirmation {
  std::string_view done, text;
};
constexpr std::array<Confirmation, 5> kConfirmations = {{{"passphrase", "Passphrase changed."},
                                                         {"session", "Signed out of that session."},
                                                         {"others", "Signed out everywhere else."},
                                                         {"token", "Key deleted."},
                                                         {"ledger", "Activity settings saved."}}};

Writer confirmation(const std::string& done) {
  Writer out;
  const auto found = std::ranges::find(kConfirmations, done, &Confirmation::done);
  if (found == kConfirmations.end()) return out;
  out << Markup("<div class=\"notice notice-ok\" role=\"status\">") << icon(Icon::kOk) << Markup("<p>") << Text(found->text)
      << Markup("</p></div>");
  return out;
}

Writer fault_of(const SettingsResult& result, std::string_view section) {
  Writer out;
  if (!result.fault || result.at != section) return out;
  out << Markup("<p class=\"error\" role=\"alert\">") << icon(Icon::kWarn) << Text(result.fault->message) << Markup("</p>");
  return out;
}

std::string storage_size_text(std::int64_t bytes) {
  constexpr std::array<std::string_view, 4> kUnits = {"KB", "MB", "GB", "TB"};
  if (bytes < 1'000) return format("{} bytes", bytes);
  double size = static_cast<double>(bytes) / 1'000;
  std::size_t unit = 0;
  for (; size >= 1'000 && unit + 1 < kUnits.size(); ++unit) size /= 1'000;
  return size < 10 ? format("{:.1f} {}", size, kUnits[unit]) : format("{:.0f} {}", size, kUnits[unit]);
}

// --- sign-in ---

Writer passphrase_form(const std::string& csrf, const std::string& owner, const SettingsResult& result) {
  Writer out;
  out << Markup(
             "<form class=\"card stack\" action=\"/settings\" method=\"post\" aria-labelledby=\"np\"><h3 id=\"np\">New "
             "passphrase</h3>")
      << hidden("csrf", csrf) << hidden("do", "passphrase")
      << Markup("<input type=\"text\" class=\"unseen\" autocomplete=\"username\" tabindex=\"-1\" aria-hidden=\"true\" readonly")
      << Attribute("value", owner) << Markup(">") << pages::new_passphrase_fields(fault_of(result, "signin"))
      << Markup(
             "<label "
             "class=\"tick\"><input type=\"checkbox\" name=\"others\" value=\"yes\" checked><span>Sign out everywhere else"
             "</span></label><div class=\"row\"><button class=\"btn btn-act\">Change passphrase</button><a class=\"btn\" "
             "href=\"/settings#signin\">Cancel</a></div></form>");
  return out;
}

Writer sign_in_section(const auth::Credentials& known, const pages::Visit& visit, const SettingsResult& result, Instant now) {
  Writer out;
  out << Markup(
             "<section id=\"signin\" class=\"stack\" aria-labelledby=\"h1s\"><div class=\"block-head\"><h2 "
             "id=\"h1s\">Sign-in</h2>")
      << Markup("</div><ul class=\"card card-flush list\">");
  for (const auth::Passkey& key : known.passkeys) {
    out << Markup("<li><span class=\"glyph\">") << icon(Icon::kKey) << Markup("</span><div class=\"what\"><b>Passkey “<bdi>")
        << Text(key.label) << Markup("</bdi>”</b><p>Added on ") << Text(month_day_text(key.created_at, now))
        << Markup(".</p></div><a class=\"btn btn-s\" href=\"/passkeys\">Remove…</a></li>");
  }
  const bool has_one = !known.passphrase_hash.empty();
  out << Markup("<li><span class=\"glyph\">") << icon(Icon::kLock) << Markup("</span><div class=\"what\"><b>Passphrase</b><p>")
      << (has_one ? Markup("Works on every device.") : Markup("Not set."))
      << Markup(
             "</p></div><a class=\"btn btn-s\" "
             "href=\"/settings?change=passphrase#signin\">")
      << (has_one ? Markup("Change…") : Markup("Set one…")) << Markup("</a></li><li><span class=\"glyph\">") << icon(Icon::kKey)
      << (known.passkeys.empty() ? Markup("</span><div class=\"what\"><b>A passkey</b><p>")
                                 : Markup("</span><div class=\"what\"><b>Another passkey</b><p>"))
      << Markup(
             "On this device or on a security key.</p></div><a class=\"btn btn-s\" href=\"/passkeys\">Add a "
             "passkey…</a></li></ul>");
  if (visit.form.one("change") == "passphrase" || (result.fault && result.at == "signin")) {
    out << passphrase_form(visit.csrf(), visit.session->owner_name, result);
  }
  out << Markup("</section>");
  return out;
}

// --- sessions ---

std::string where_text(const std::string& address) {
  const bool here = address == "127.0.0.1" || address == "::1" || address.starts_with("127.");
  return here ? "This computer" : address.empty() ? "Unknown location" : address;
}

Writer sessions_section(const std::vector<auth::Session>& sessions, const pages::Visit& visit, Instant now) {
  Writer out;
  out << Markup(
      "<section id=\"sessions\" class=\"stack\" aria-labelledby=\"h2s\"><div class=\"block-head\"><h2 id=\"h2s\">Sessions</h2>");
  if (sessions.size() > 1) {
    out << button_form(Url::path("/settings"), visit.csrf(), "do", "others", "Sign out everywhere else", "btn btn-s");
  }
  out << Markup("</div><ul class=\"card card-flush list\">");
  const auto write = [&](const auth::Session& session) {
    const bool is_this = session.id == visit.session->id;
    out << Markup("<li><span class=\"glyph\">") << icon(Icon::kComputer) << Markup("</span><div class=\"what\"><b>");
    if (is_this) out << Markup("This session</b> <span class=\"badge badge-ok\">Now</span>");
    else out << Text(auth::browser_name(session.visitor.agent)) << Markup("</b>");
    out << Markup("<p>");
    if (is_this) out << Text(auth::browser_name(session.visitor.agent)) << Markup(". ");
    out << Text(where_text(session.visitor.address)) << Markup(". Signed in: ") << Text(moment_text(session.created_at, now));
    if (!is_this) out << Markup(". Last active: ") << Text(moment_text(session.seen_at, now));
    out << Markup(".</p></div>");
    if (is_this) out << Markup("<span></span>");
    else out << button_form(Url::path("/settings"), visit.csrf(), "session", session.id, "Sign out", "btn btn-s");
    out << Markup("</li>");
  };
  for (const auth::Session& session : sessions) {
    if (session.id == visit.session->id) write(session);
  }
  for (const auth::Session& session : sessions) {
    if (session.id != visit.session->id) write(session);
  }
  out << Markup("</ul></section>");
  return out;
}

// --- keys of the owner's own programs ---

Writer tokens_section(const std::vector<server::OwnerToken>& tokens, const pages::Visit& visit, const SettingsResult& result,
                      Instant now) {
  Writer out;
  out << Markup(
             "<section id=\"tokens\" class=\"stack\" aria-labelledby=\"h6s\"><div class=\"block-head\"><h2 id=\"h6s\">API keys "
             "for your own programs</h2></div>")
      << fault_of(result, "tokens");
  if (!result.new_token.empty()) {
    out << Markup("<div class=\"notice notice-ok\" role=\"status\">") << icon(Icon::kOk)
        << Markup(
               "<div class=\"stack\"><p><b>Copy your key now. You won't see it again.</b> Anyone with this key can read and "
               "change all your data.</p><div class=\"copy\"><code id=\"newkey\">")
        << Text(result.new_token)
        << Markup(
               "</code><button class=\"btn btn-s\" type=\"button\" data-copy=\"newkey\" hidden>Copy</button></div></div></div>");
  }
  const auto active = std::ranges::count(tokens, "active", &server::OwnerToken::status);
  if (active > 0) out << Markup("<ul class=\"card card-flush list\">");
  for (const server::OwnerToken& token : tokens) {
    if (token.status != "active") continue;
    out << Markup("<li><span class=\"glyph\">") << icon(Icon::kKey) << Markup("</span><div class=\"what\"><b><code>")
        << Text(token.token_id) << Markup("</code></b><p>Created on ") << Text(month_day_text(token.created_at, now))
        << Markup(", expires ");
    if (token.expires_at) out << Markup("on ") << Text(month_day_text(*token.expires_at, now));
    else out << Markup("when you delete it");
    out << Markup(".</p></div>")
        << button_form(Url::path("/settings"), visit.csrf(), "token", token.token_id, "Delete", "btn btn-s") << Markup("</li>");
  }
  if (active > 0) out << Markup("</ul>");
  out << Markup("<form class=\"card stack\" action=\"/settings\" method=\"post\">") << hidden("csrf", visit.csrf())
      << hidden("do", "new-token");
  if (active == 0) out << Markup("<p class=\"soft\">No keys. Your own programs need one to use the REST API.</p>");
  out << Markup(
             "<div class=\"field\"><label for=\"tl\">New key, valid for</label><select class=\"input\" id=\"tl\" name=\"life\">")
      << Markup(
             "<option value=\"30\">30 days</option><option value=\"365\">a year</option><option value=\"never\">until I delete "
             "it</option></select><p class=\"hint\">A key has full access, like your sign-in. For AI apps, use Connect instead: "
             "an app sees only what you allow.</p></div><div><button class=\"btn\">Create key</button></div></form></section>");
  return out;
}

// --- the address ---

Writer finding_row(const ServerEnvironment::Finding& finding) {
  using Health = ServerEnvironment::Health;
  Writer out;
  const bool ok = finding.health == Health::kOk;
  // The text continues the name of the check, for example "… has PKCE S256".
  out << Markup("<tr><th scope=\"row\">") << Text(auth::at_start(finding.text)) << Markup("<br><span class=\"quiet addr\">")
      << Text(finding.thing) << Markup("</span>");
  if (!ok && !finding.fix.empty()) {
    out << Markup("<p class=\"soft\">") << Text(auth::at_start(finding.fix)) << Markup(".</p>");
  }
  out << Markup("</th><td data-name=\"Result\"><span")
      << Attribute("class", ok                                   ? "check check-yes"
                            : finding.health == Health::kWarning ? "check check-warn"
                                                                 : "check check-no")
      << Markup(">")
      << icon(ok                                   ? Icon::kOk
              : finding.health == Health::kWarning ? Icon::kWarn
                                                   : Icon::kBad)
      << (ok                                   ? Markup("Yes")
          : finding.health == Health::kWarning ? Markup("Warning")
                                               : Markup("No"))
      << Markup("</span></td></tr>");
  return out;
}

Writer address_section(const pages::Visit& visit, const SettingsResult& result, bool can_check) {
  const std::string& base = visit.server_url.base;
  Writer out;
  out << Markup(
             "<section id=\"address\" class=\"stack\" aria-labelledby=\"h3s\"><div class=\"block-head\"><h2 id=\"h3s\">Public ")
      << Markup("address</h2>");
  if (can_check) {
    out << button_form(Url::path("/settings"), visit.csrf(), "do", "check", result.findings ? "Check again" : "Check",
                       "btn btn-s");
  }
  out << Markup("</div><div class=\"card card-flush\"><div class=\"pad stack\"><div class=\"copy\"><code id=\"pa\">")
      << Text(visit.server_url.mcp())
      << Markup("</code><button class=\"btn btn-s\" type=\"button\" data-copy=\"pa\" hidden>Copy</button></div>");
  if (!base.starts_with("https://")) {
    out << Markup("<div class=\"notice notice-warn\">") << icon(Icon::kWarn)
        << Markup(
               "<p><b>Apps on this computer can connect. Claude and ChatGPT on the web can't.</b> They need an https address. "
               "Set up a proxy or a tunnel to Ladder, and start it with <code>ladder serve --public-url "
               "https://…</code>.</p></div>");
  }
  if (result.findings) {
    const auto wrong =
        std::ranges::count(*result.findings, ServerEnvironment::Health::kProblem, &ServerEnvironment::Finding::health);
    out << (wrong == 0 ? Markup("<p role=\"status\">The address works.</p>")
                       : Markup("<p role=\"status\"><b>Apps can't connect.</b> See below what to do.</p>"));
  }
  out << Markup("<p class=\"hint\">In a terminal: <code>ladder doctor --public-url ") << Text(base)
      << Markup("</code></p></div>");
  if (result.findings) {
    out << Markup(
               "<table class=\"table table-cards\"><caption class=\"unseen\">Checks of the public "
               "address</caption><thead><tr><th ")
        << Markup("scope=\"col\">Check</th><th scope=\"col\">Result</th></tr></thead><tbody>");
    for (const ServerEnvironment::Finding& finding : *result.findings) out << finding_row(finding);
    out << Markup("</tbody></table>");
  }
  out << Markup("</div></section>");
  return out;
}

// --- the ledger ---

struct Choice {
  std::int64_t days;
  std::string_view label;
};

void write_choices(Writer& out, std::span<const Choice> choices, std::int64_t chosen) {
  bool known = false;
  const auto write = [&](std::int64_t days, const std::string& label) {
    out << Markup("<option") << Attribute("value", std::to_string(days)) << (days == chosen ? Markup(" selected>") : Markup(">"))
        << Text(label) << Markup("</option>");
  };
  for (const Choice& choice : choices) {
    known = known || choice.days == chosen;
    write(choice.days, std::string(choice.label));
  }
  if (!known) write(chosen, format("{} days", grouped(chosen)));
}

Writer ledger_section(const server::LedgerSettings& settings, const pages::Visit& visit, const SettingsResult& result) {
  constexpr std::array<Choice, 4> kDetails = {{{30, "30 days"}, {90, "90 days"}, {365, "a year"}, {kAlways, "forever"}}};
  constexpr std::array<Choice, 3> kSeen = {
      {{0, "until I erase the record"}, {365, "for a year after the last read"}, {3'650, "for ten years after the last read"}}};
  Writer out;
  out << Markup(
             "<section id=\"keep\" class=\"stack\" aria-labelledby=\"h4s\"><div class=\"block-head\"><h2 "
             "id=\"h4s\">Activity</h2></div>")
      << Markup("<form class=\"card stack\" action=\"/settings\" method=\"post\">") << hidden("csrf", visit.csrf())
      << hidden("do", "ledger") << fault_of(result, "keep")
      << Markup(
             "<div class=\"field\"><label for=\"kd\">Keep details of reads for</label><select class=\"input\" id=\"kd\" "
             "name=\"days\">");
  write_choices(out, kDetails, settings.detail_days);
  out << Markup("</select></div><div class=\"field\"><label for=\"ks\">Keep what an app has seen of a record</label><select ")
      << Markup("class=\"input\" id=\"ks\" name=\"seen\">");
  write_choices(out, kSeen, settings.seen_days);
  out << Markup("</select></div><label class=\"tick\"><input type=\"checkbox\" name=\"words\" value=\"yes\"")
      << (settings.keeps_queries ? Markup(" checked>") : Markup(">"))
      << Markup(
             "<span>Keep search queries<br><span class=\"hint\">They can reveal a lot about you. Without them Activity still "
             "lists every text range.</span></span></label><div><button class=\"btn\">Save</button></div></form></section>");
  return out;
}

Writer backup_fact(const std::optional<store::BackupNote>& backup, Instant now) {
  Writer out;
  out << Markup("<dt>Last backup</dt>");
  if (!backup) {
    out << Markup("<dd>No backup yet</dd>");
    return out;
  }
  out << Markup("<dd>") << Text(moment_text(backup->made_at, now)) << Markup(", ") << Text(storage_size_text(backup->bytes))
      << (backup->encrypted ? Markup(", encrypted") : Markup(", not encrypted"))
      << Markup("<br><span class=\"quiet addr\" dir=\"auto\">") << Text(backup->target) << Markup("</span></dd>");
  return out;
}

Writer store_section(const std::string& store, const std::optional<ServerEnvironment::Storage>& storage,
                     const std::optional<store::BackupNote>& backup, Instant now) {
  Writer out;
  out << Markup(
             "<section id=\"store\" class=\"stack\" aria-labelledby=\"h5s\"><div class=\"block-head\"><h2 id=\"h5s\">Storage "
             "and ")
      << Markup("backup</h2></div><div class=\"card stack\"><dl class=\"facts\"><dt>Database</dt><dd>") << Text(store);
  if (storage && storage->bytes) out << Markup(", ") << Text(storage_size_text(*storage->bytes));
  out << Markup("</dd>");
  if (storage) out << Markup("<dt>Location</dt><dd class=\"addr\" dir=\"auto\">") << Text(storage->location) << Markup("</dd>");
  if (storage && storage->free_bytes)
    out << Markup("<dt>Free</dt><dd>") << Text(storage_size_text(*storage->free_bytes)) << Markup("</dd>");
  out << backup_fact(backup, now)
      << Markup(
             "</dl><p><a href=\"/settings/backups\">Backups</a>: make one now, schedule them, and restore.</p></div></section>");
  return out;
}

Writer about_section(const std::string& version) {
  Writer out;
  out << Markup(
             "<section id=\"about\" class=\"stack\" aria-labelledby=\"h7s\"><div class=\"block-head\"><h2 "
             "id=\"h7s\">About</h2></div><div ")
      << Markup("class=\"card stack small\"><p><b>Ladder ") << Text(version)
      << Markup("</b>, Apache License 2.0. The package lists its dependencies and their licenses.</p><p>")
      << Markup(
             "These pages load nothing from other servers, and Ladder sends no usage data. The only data that leaves this "
             "computer is what apps read with your permission; <a href=\"/ledger\">Activity</a> lists it. If an app publishes "
             "its description at its own address, Ladder fetches it.</p></div></section>");
  return out;
}

}  // namespace

Result<http::Response> Console::settings_page(Visit& visit, const SettingsResult& result) {
  server::ResourceServer& server = authorization_.server();
  const Instant now = authorization_.now();
  LADDER_TRY(const auto known, authorization_.owners().credentials(visit.session->owner_name));
  LADDER_TRY(const auto sessions, authorization_.owners().sessions(*visit.owner));
  LADDER_TRY(const auto tokens, server.owner_tokens().list(*visit.owner));
  LADDER_TRY(const auto state, server.ledger().state(*visit.owner));
  LADDER_TRY(const std::string store, server.maintenance().describe_store());
  LADDER_TRY(const auto backup, server.maintenance().last_backup(*visit.owner));
  std::optional<ServerEnvironment::Storage> storage;
  if (about_.environment != nullptr) storage = about_.environment->storage();

  pages::Frame frame = visit.frame;
  frame.title = "Settings";
  Writer main;
  main << settings_nav(SettingsPage::kGeneral) << Markup("<div class=\"page-head\"><div><p class=\"lead\"><b>");
  if (known.passkeys.empty()) main << Markup("No passkey");
  else main << plural(static_cast<std::int64_t>(known.passkeys.size()), "passkey", "passkeys");
  main << (known.passphrase_hash.empty() ? Markup(", no passphrase</b>, ") : Markup(", a passphrase</b>, "))
       << plural(static_cast<std::int64_t>(sessions.size()), "session", "sessions") << Markup(". Apps connect to <b>")
       << Text(visit.server_url.base)
       << Markup(
              "</b>.</p></div></div>"

              "<nav class=\"seg\" aria-label=\"On this page\"><a href=\"#signin\">Sign-in</a><a "
              "href=\"#sessions\">Sessions</a><a ")
       << Markup(
              "href=\"#tokens\">Keys</a><a href=\"#address\">Public address</a><a href=\"#keep\">Activity</a><a "
              "href=\"#store\">Storage ")
       << Markup("and backup</a><a href=\"#about\">About</a></nav>") << confirmation(visit.form.one("done"))
       << Markup("<div class=\"cols\">") << sign_in_section(known, visit, result, now) << sessions_section(sessions, visit, now)
       << Markup("</div>") << address_section(visit, result, about_.environment != nullptr) << Markup("<div class=\"cols\">")
       << ledger_section(state.settings, visit, result) << tokens_section(tokens, visit, result, now)
       << Markup(
              "</div>"
              "<div class=\"cols\">")
       << store_section(store, storage, backup, now) << about_section(about_.version) << Markup("</div>");
  return pages::page(result.fault ? result.fault->http_status() : 200, frame, main);
}

}  // namespace ladder::console
