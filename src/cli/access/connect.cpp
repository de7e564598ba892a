// ladder connect: the line, link or setting by which a host connects to this server by its address. It changes nothing.
#include "base/text/format.h"
#include "cli/app/command.h"
#include "cli/app/failure.h"
#include "html/html.h"
#include "json/writer.h"

#include <array>

namespace ladder::cli {
namespace {

constexpr std::string_view kDefaultAddress = "http://localhost:7663";

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

struct HostLine {
  std::string_view host, what;
  std::string (*text)(const std::string& url);
};

std::string json_url(const std::string& url, bool typed) {
  json::Writer out;
  out.begin_object();
  if (typed) out.member("name", "ladder").member("type", "http");
  out.member("url", url).end_object();
  return out.take();
}

constexpr std::array kHosts = {
    HostLine{"claude-code", "type this, then /mcp in a session, or `claude mcp login ladder`",
             [](const std::string& url) { return "claude mcp add --transport http ladder " + url; }},
    HostLine{"claude", "open this in a browser; it needs a public https address",
             [](const std::string& url) {
               return "https://claude.ai/settings/connectors?modal=add-custom-connector&connectorName=Ladder&connectorUrl=" +
                      html::Url::encoded(url);
             }},
    HostLine{"chatgpt", "Settings, Connectors, Create; paste this address; it needs a public https address",
             [](const std::string& url) { return url; }},
    HostLine{"codex", "type these two lines",
             [](const std::string& url) { return "codex mcp add ladder --url " + url + "\ncodex mcp login ladder"; }},
    HostLine{"cursor", "open this on the computer where Cursor runs",
             [](const std::string& url) {
               return "cursor://anysphere.cursor-deeplink/mcp/install?name=ladder&config=" +
                      html::Url::encoded(base64(json_url(url, false)));
             }},
    HostLine{"vscode", "open this on the computer where VS Code runs",
             [](const std::string& url) { return "vscode:mcp/install?" + html::Url::encoded(json_url(url, true)); }},
    HostLine{"gemini", "put this into ~/.gemini/settings.json",
             [](const std::string& url) { return "{\"mcpServers\":{\"ladder\":{\"httpUrl\":\"" + url + "\"}}}"; }},
    HostLine{"opencode", "put this into opencode.json, then `opencode mcp auth ladder`",
             [](const std::string& url) { return "{\"mcp\":{\"ladder\":{\"type\":\"remote\",\"url\":\"" + url + "\"}}}"; }},
    HostLine{"windsurf", "put this into mcp_config.json",
             [](const std::string& url) { return "{\"mcpServers\":{\"ladder\":{\"serverUrl\":\"" + url + "\"}}}"; }},
};

class Connect final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.optional_word("HOST", host_, "claude-code, claude, chatgpt, codex, cursor, vscode, gemini, opencode, windsurf");
    arguments.value("--public-url", "URL", public_url_, "where the server is reached; http://localhost:7663 unless given");
    arguments.example("ladder connect claude-code");
    arguments.example("ladder connect claude --public-url https://data.example");
  }

  Result<int> run(Context& context) override {
    std::string base = public_url_.value_or(std::string(kDefaultAddress));
    while (base.ends_with('/')) base.pop_back();
    for (const char c : base) {
      const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                         std::string_view("-._~:/[]").find(c) != std::string_view::npos;
      if (!plain)
        return fail(Code::kInvalidRequest, "--public-url takes an address such as https://data.example", "--public-url");
    }
    const std::string url = base + "/mcp";
    if (!host_) {
      std::vector<std::vector<std::string>> rows = {{"HOST", "WHAT TO DO"}};
      for (const HostLine& line : kHosts) rows.push_back({std::string(line.host), std::string(line.what)});
      context.console.out(table_or_lines(context.console, rows));
      return kDone;
    }
    for (const HostLine& line : kHosts) {
      if (line.host != *host_) continue;
      if (context.console.json()) {
        json::Writer out;
        out.begin_object().member("host", line.host).member("what", line.what).member("text", line.text(url)).end_object();
        context.console.out(out.take() + "\n");
        return kDone;
      }
      context.console.err(format("{}:\n", line.what));
      context.console.out(line.text(url) + "\n");
      return kDone;
    }
    return fail(Code::kNotFound, "that host is not known; `ladder connect` lists those that are", "HOST");
  }

 private:
  std::optional<std::string> host_, public_url_;
};

}  // namespace

std::unique_ptr<Command> make_connect() { return std::make_unique<Connect>(); }

}  // namespace ladder::cli
