// Checks the hosts that start `ladder mcp`: their settings, the program they name, and their token.
#include "base/limits.h"
#include "base/text/format.h"
#include "cli/doctor/finding.h"
#include "cli/flags/input_file.h"
#include "json/parse.h"

#include <unistd.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <array>
#include <filesystem>
#include <optional>
#include <system_error>

namespace ladder::cli {
namespace {

namespace fs = std::filesystem;

struct HostFile {
  std::string_view host, path;  // relative to HOME
};
constexpr std::array kJsonFiles = {
    HostFile{"Claude Code", ".claude.json"},
    HostFile{"Claude Desktop", ".config/Claude/claude_desktop_config.json"},
    HostFile{"Claude Desktop", "Library/Application Support/Claude/claude_desktop_config.json"},
    HostFile{"Cursor", ".cursor/mcp.json"},
    HostFile{"Gemini CLI", ".gemini/settings.json"},
    HostFile{"VS Code", ".config/Code/User/mcp.json"},
    HostFile{"opencode", ".config/opencode/opencode.json"},
    HostFile{"opencode", ".config/opencode/opencode.jsonc"},  // written by `opencode mcp add`
};
constexpr HostFile kCodex{"Codex", ".codex/config.toml"};
constexpr std::size_t kMaxFileBytes = 64 * limits::kMiB;  // Claude Code keeps its history in the same file
constexpr std::size_t kMaxDepth = 64;

// A server that a host starts.
struct Server {
  std::string program;
  std::string token;
  bool other_store = false;  // --db or LADDER_DB selects another store
};

bool is_ladder(std::string_view program) { return fs::path(program).filename() == "ladder"; }

std::string text_of(const boost::json::value* value) {
  return value && value->is_string() ? std::string(value->get_string()) : std::string();
}

// Reads "command": "ladder" with "args", or "command": ["ladder", …].
std::optional<Server> server_of(const boost::json::object& object) {
  const boost::json::value* command = object.if_contains("command");
  Server server;
  const boost::json::array* words = nullptr;
  if (command && command->is_array() && !command->get_array().empty()) {
    words = &command->get_array();
    server.program = text_of(&words->front());
  } else {
    server.program = text_of(command);
    if (const auto* args = object.if_contains("args"); args && args->is_array()) words = &args->get_array();
  }
  if (!is_ladder(server.program)) return std::nullopt;
  if (words) {
    for (const boost::json::value& word : *words) {
      const std::string text = text_of(&word);
      server.other_store = server.other_store || text.starts_with("--db") || text.starts_with("--provider-url");
    }
  }
  for (const char* name : {"env", "environment"}) {
    const auto* env = object.if_contains(name);
    if (!env || !env->is_object()) continue;
    server.token = text_of(env->get_object().if_contains("LADDER_TOKEN"));
    server.other_store = server.other_store || env->get_object().contains("LADDER_DB");
  }
  return server;
}

// Finds servers at any depth, because hosts nest them differently, some by project.
void collect(const boost::json::value& value, std::vector<Server>& servers) {
  if (value.is_array()) {
    for (const auto& element : value.get_array()) collect(element, servers);
  } else if (value.is_object()) {
    if (const auto server = server_of(value.get_object())) servers.push_back(*server);
    for (const auto& member : value.get_object()) collect(member.value(), servers);
  }
}

// Returns the quoted text after `key`, in a line like  command = "ladder"  or  env = { "KEY" = "…" }.
std::optional<std::string> toml_text(std::string_view line, std::string_view key) {
  const auto at = line.find(key);
  if (at == std::string_view::npos) return std::nullopt;
  const auto equals = line.find('=', at + key.size());
  const auto open = line.find('"', equals);
  if (equals == std::string_view::npos || open == std::string_view::npos) return std::nullopt;
  const auto close = line.find('"', open + 1);
  if (close == std::string_view::npos) return std::nullopt;
  return std::string(line.substr(open + 1, close - open - 1));
}

// Parses Codex sections [mcp_servers.NAME] and [mcp_servers.NAME.env].
std::vector<Server> servers_of_toml(std::string_view text) {
  std::vector<Server> servers;
  bool ours = false;
  while (!text.empty()) {
    const auto end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (line.starts_with('[')) {
      const bool goes_on = line.find(".env]") != std::string_view::npos;
      ours = ours && goes_on;
    } else if (const auto program = line.starts_with("command") ? toml_text(line, "command") : std::nullopt) {
      ours = is_ladder(*program);
      if (ours) servers.push_back({*program, {}, false});
    } else if (ours) {
      if (const auto token = toml_text(line, "LADDER_TOKEN")) servers.back().token = *token;
      if (line.find("--db") != std::string_view::npos || line.find("--provider-url") != std::string_view::npos ||
          line.find("LADDER_DB") != std::string_view::npos)
        servers.back().other_store = true;
    }
  }
  return servers;
}

bool is_there(const Context& context, const std::string& program) {
  if (program.find('/') != std::string::npos) return ::access(program.c_str(), X_OK) == 0;
  const std::string path = context.environment("PATH").value_or("");
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find(':', at), path.size());
    if (::access((path.substr(at, end - at) + "/" + program).c_str(), X_OK) == 0) return true;
    at = end + 1;
  }
  return false;
}

class ClientCheck {
 public:
  ClientCheck(const Context& context, Session* session, Findings& findings)
      : context_(context), session_(session), findings_(findings) {}

  void check(const HostFile& host, const std::string& home) {
    const std::string path = home + "/" + std::string(host.path);
    std::error_code ignored;
    if (!fs::exists(path, ignored)) return;
    const auto text = read_whole_file(path, kMaxFileBytes);
    if (!text) return findings_.warn("clients", path, text.error().message, "run ladder as the user who owns these settings");
    std::vector<Server> servers;
    if (host.path.ends_with(".toml")) {
      servers = servers_of_toml(*text);
    } else if (const auto document = json::parse(*text, kMaxFileBytes, kMaxDepth)) {
      collect(*document, servers);
    } else if (text->find("ladder") != std::string::npos) {
      findings_.warn("clients", path, format("the settings of {} cannot be parsed", host.host),
                     "check manually that it starts this machine's ladder");
    }
    for (const Server& server : servers) tell(host, path, server);
  }

 private:
  void tell(const HostFile& host, const std::string& path, const Server& server) {
    if (!is_there(context_, server.program)) {
      return findings_.problem("clients", path, format("{} starts '{}', which does not exist", host.host, server.program),
                               "use the full path of ladder");
    }
    const std::string remedy = "create a new one with `ladder grant create` and set LADDER_TOKEN to it there";
    if (server.token.empty() || server.other_store || !session_)
      return findings_.ok("clients", path, format("{} starts {}", host.host, server.program));
    const auto owner = session_->owner();
    if (!owner) return;
    const auto facts = session_->server().introspect(*owner, server.token);
    if (!facts) return findings_.warn("clients", path, facts.error().message, "try again");
    if (!facts->active) {
      return findings_.problem("clients", path,
                               format("the token of {} is {}", host.host,
                                      facts->inactive_reason.empty() ? "not from this store" : facts->inactive_reason),
                               remedy);
    }
    if (facts->kind == store::TokenKind::kOwner)
      return findings_.problem("clients", path, format("{} has an owner's token, which MCP does not accept", host.host), remedy);
    findings_.ok("clients", path, format("{} starts {}, and its token is valid", host.host, server.program));
  }

  const Context& context_;
  Session* session_;
  Findings& findings_;
};

}  // namespace

void check_clients(const Context& context, Session* session, Findings& findings) {
  const auto home = context.environment("HOME");
  if (!home) return;
  ClientCheck check(context, session, findings);
  for (const HostFile& file : kJsonFiles) check.check(file, *home);
  check.check(kCodex, *home);
}

}  // namespace ladder::cli
