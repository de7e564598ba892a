#include "console/home/hosts.h"

#include "base/text/format.h"
#include "console/parts.h"
#include "html/html.h"
#include "json/writer.h"

#include <algorithm>
#include <array>

namespace ladder::console {
namespace {

// Base64 with padding. The hosts do not accept base64url.
std::string base64(std::string_view bytes) {
  static constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t group = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      group = group << 8U | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      out += i + k <= bytes.size() ? kDigits[group >> (18U - 6U * static_cast<unsigned>(k)) & 0x3FU] : '=';
    }
  }
  return out;
}

std::string json_url(const std::string& url, bool typed) {
  json::Writer out;
  out.begin_object();
  if (typed) out.member("name", "ladder").member("type", "http");
  out.member("url", url).end_object();
  return out.take();
}

constexpr std::array kHosts = {
    HostLine{"claude-code", "Claude Code", "run this, then /mcp in a session, or `claude mcp login ladder`", HostForm::kCommand,
             false, [](const std::string& url) { return "claude mcp add --transport http ladder " + url; }},
    HostLine{"claude", "Claude", "open this in a browser; it needs a public https address", HostForm::kLink, true,
             [](const std::string& url) {
               return "https://claude.ai/settings/connectors?modal=add-custom-connector&connectorName=Ladder&connectorUrl=" +
                      html::Url::encoded(url);
             }},
    HostLine{"chatgpt", "ChatGPT", "Settings, Connectors, Create; paste this address; it needs a public https address",
             HostForm::kAddress, true, [](const std::string& url) { return url; }},
    HostLine{"codex", "Codex", "run this; it opens the page, and `codex mcp login ladder` opens it again", HostForm::kCommand,
             false, [](const std::string& url) { return "codex mcp add ladder --url " + url; }},
    HostLine{"cursor", "Cursor", "open this on the computer where Cursor runs", HostForm::kLink, false,
             [](const std::string& url) {
               return "cursor://anysphere.cursor-deeplink/mcp/install?name=ladder&config=" +
                      html::Url::encoded(base64(json_url(url, false)));
             }},
    HostLine{"vscode", "VS Code", "open this on the computer where VS Code runs", HostForm::kLink, false,
             [](const std::string& url) { return "vscode:mcp/install?" + html::Url::encoded(json_url(url, true)); }},
    HostLine{"gemini", "Gemini CLI", "add this to ~/.gemini/settings.json", HostForm::kSetting, false,
             [](const std::string& url) { return "{\"mcpServers\":{\"ladder\":{\"httpUrl\":\"" + url + "\"}}}"; }},
    HostLine{"opencode", "opencode", "add this to opencode.json, then `opencode mcp auth ladder`", HostForm::kSetting, false,
             [](const std::string& url) { return "{\"mcp\":{\"ladder\":{\"type\":\"remote\",\"url\":\"" + url + "\"}}}"; }},
    HostLine{"windsurf", "Windsurf", "add this to mcp_config.json", HostForm::kSetting, false,
             [](const std::string& url) { return "{\"mcpServers\":{\"ladder\":{\"serverUrl\":\"" + url + "\"}}}"; }},
};

}  // namespace

std::span<const HostLine> host_lines() { return kHosts; }

namespace {

Writer copied(std::string_view id, const std::string& text) {
  Writer out;
  out << Markup("<div class=\"copy\"><code") << Attribute("id", id) << Markup(">") << Text(std::string_view(text))
      << Markup("</code><button class=\"btn btn-s\" type=\"button\"") << Attribute("data-copy", id)
      << Markup(" hidden>Copy</button></div>");
  return out;
}

// Renders text between backticks as code.
Writer with_code(std::string_view text) {
  Writer out;
  for (bool is_code = false; !text.empty(); is_code = !is_code) {
    const std::size_t end = std::min(text.find('`'), text.size());
    const std::string_view part = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (is_code) out << Markup("<code>") << Text(part) << Markup("</code>");
    else out << Text(part);
  }
  return out;
}

}  // namespace

Writer connect_card(const auth::ServerUrl& server_url) {
  const std::string url = server_url.mcp();
  const bool is_public = server_url.base.starts_with("https:");
  Writer out, more;
  out << Markup(
             "<section aria-labelledby=\"connect\"><div class=\"block-head\"><h2 id=\"connect\">Connect an app</h2></div><div "
             "class=\"card stack\"><p class=\"small soft\">Give your AI app this address. It has to ask you before it can read "
             "anything.</p>")
      << copied("addr", url) << Markup("<div class=\"row\">");
  for (const HostLine& line : host_lines()) {
    if (line.form != HostForm::kLink || (line.needs_https && !is_public)) continue;
    const auto link = Url::checked(line.text(url));
    if (!link) continue;
    out << Markup("<a class=\"btn btn-s\" rel=\"noreferrer\"") << Attribute("href", *link) << Markup(">Add to ")
        << Text(line.name) << Markup("</a>");
  }
  out << Markup("</div>");
  for (const HostLine& line : host_lines()) {
    if (line.form == HostForm::kLink) continue;
    const bool is_command = line.form == HostForm::kCommand;
    Writer& into = is_command ? out : more;
    into << Markup("<p class=\"small soft\">") << Text(line.name) << Markup(": ") << with_code(line.what) << Markup("</p>");
    if (!line.needs_https || is_public) into << copied(format("host-{}", line.host), line.text(url));
  }
  out << Markup("<details><summary>Other apps</summary><div class=\"stack\">") << more << Markup("</div></details>");
  if (!is_public) {
    out << Markup(
        "<p class=\"small quiet\">Claude and ChatGPT on the web can connect only to a public https address. Set one with "
        "<code>ladder serve --public-url</code>.</p>");
  }
  out << Markup("</div></section>");
  return out;
}

}  // namespace ladder::console
