#include "console/home/hosts.h"

#include "html/html.h"
#include "json/writer.h"

#include <array>

namespace ladder::console {
namespace {

// Encodes for links: hosts read base64 with padding, not base64url.
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
    HostLine{"claude-code", "Claude Code", "type this, then /mcp in a session, or `claude mcp login ladder`", HostForm::kCommand,
             false, [](const std::string& url) { return "claude mcp add --transport http ladder " + url; }},
    HostLine{"claude", "Claude", "open this in a browser; it needs a public https address", HostForm::kLink, true,
             [](const std::string& url) {
               return "https://claude.ai/settings/connectors?modal=add-custom-connector&connectorName=Ladder&connectorUrl=" +
                      html::Url::encoded(url);
             }},
    HostLine{"chatgpt", "ChatGPT", "Settings, Connectors, Create; paste this address; it needs a public https address",
             HostForm::kAddress, true, [](const std::string& url) { return url; }},
    HostLine{"codex", "Codex", "type this; it opens the page, and `codex mcp login ladder` opens it again", HostForm::kCommand,
             false, [](const std::string& url) { return "codex mcp add ladder --url " + url; }},
    HostLine{"cursor", "Cursor", "open this on the computer where Cursor runs", HostForm::kLink, false,
             [](const std::string& url) {
               return "cursor://anysphere.cursor-deeplink/mcp/install?name=ladder&config=" +
                      html::Url::encoded(base64(json_url(url, false)));
             }},
    HostLine{"vscode", "VS Code", "open this on the computer where VS Code runs", HostForm::kLink, false,
             [](const std::string& url) { return "vscode:mcp/install?" + html::Url::encoded(json_url(url, true)); }},
    HostLine{"gemini", "Gemini CLI", "put this into ~/.gemini/settings.json", HostForm::kSetting, false,
             [](const std::string& url) { return "{\"mcpServers\":{\"ladder\":{\"httpUrl\":\"" + url + "\"}}}"; }},
    HostLine{"opencode", "opencode", "put this into opencode.json, then `opencode mcp auth ladder`", HostForm::kSetting, false,
             [](const std::string& url) { return "{\"mcp\":{\"ladder\":{\"type\":\"remote\",\"url\":\"" + url + "\"}}}"; }},
    HostLine{"windsurf", "Windsurf", "put this into mcp_config.json", HostForm::kSetting, false,
             [](const std::string& url) { return "{\"mcpServers\":{\"ladder\":{\"serverUrl\":\"" + url + "\"}}}"; }},
};

}  // namespace

std::span<const HostLine> host_lines() { return kHosts; }

}  // namespace ladder::console
