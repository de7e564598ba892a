// ladder connect: prints the command, link or setting that connects an MCP host to this server. It changes nothing.
#include "base/text/format.h"
#include "cli/invocation/command.h"
#include "cli/invocation/failure.h"
#include "console/home/hosts.h"
#include "json/writer.h"

namespace ladder::cli {
namespace {

constexpr std::string_view kDefaultAddress = "http://localhost:7663";

class Connect final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.optional_word("HOST", host_, "claude-code, claude, chatgpt, codex, cursor, vscode, gemini, opencode, windsurf");
    arguments.value("--public-url", "URL", public_url_, "the server's address (default: http://localhost:7663)");
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
        return fail(Code::kInvalidRequest, "--public-url must be an address such as https://data.example", "--public-url");
    }
    const std::string url = base + "/mcp";
    if (!host_) {
      std::vector<std::vector<std::string>> rows = {{"HOST", "WHAT TO DO"}};
      for (const console::HostLine& line : console::host_lines())
        rows.push_back({std::string(line.host), std::string(line.what)});
      context.console.out(table_or_lines(context.console, rows));
      return kDone;
    }
    for (const console::HostLine& line : console::host_lines()) {
      if (line.host != *host_) continue;
      if (context.console.json()) {
        json::Writer out;
        out.begin_object().member("host", line.host).member("what", line.what).member("text", line.text(url)).end_object();
        context.console.out(out.take() + "\n");
        return kDone;
      }
      context.console.err(format("{}:\n", line.what));
      context.console.out(line.text(url) + "\n");
      if (!public_url_) context.console.err("Ladder has to run meanwhile: `ladder open` or `ladder serve` starts it.\n");
      return kDone;
    }
    return fail(Code::kNotFound, "unknown host; `ladder connect` lists the known hosts", "HOST");
  }

 private:
  std::optional<std::string> host_, public_url_;
};

}  // namespace

std::unique_ptr<Command> make_connect() { return std::make_unique<Connect>(); }

}  // namespace ladder::cli
