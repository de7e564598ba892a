// What a store needs around it: the program that reads exports, time zones, tokens kept for other servers, a free address.
#include "base/format.h"
#include "base/time_zone.h"
#include "cli/credential_cache.h"
#include "cli/extractor.h"
#include "cli/finding.h"
#include "cli/shell_word.h"
#include "cli/stop_signal.h"
#include "extract/messages.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <system_error>

namespace ladder::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::uint16_t kPort = 7663;  // of `ladder serve`

constexpr std::size_t kMaxProtections = 32;

std::string way_to(std::string_view protection) {
  if (protection == "landlock") return "a kernel of Linux 5.13 or later with Landlock; the other layers of the sandbox stand";
  if (protection == "file view")
    return "let users make user namespaces (sysctl kernel.unprivileged_userns_clone=1); the other layers of the sandbox stand";
  return "nothing: the other layers of the sandbox stand";
}

void check_extractor(const Context& context, Findings& findings) {
  const auto told = context.environment("LADDER_EXTRACT");
  const std::string program = extractor_program(told);
  const std::string mend = told ? "let LADDER_EXTRACT name the ladder-extract of this Ladder, or unset it"
                                : "install ladder-extract beside ladder; `./dev build` makes both";
  const StopSignal stop;
  auto child = Extractor::start(program, {"--protections"}, context.version, stop);
  if (!child) return findings.problem("imports", program, "cannot be started, so nothing can be imported", mend);
  std::vector<extract::Protection> protections;
  while (protections.size() < kMaxProtections) {
    const auto frame = (*child)->next();
    if (frame && frame->kind == extract::Kind::kFailed)
      return findings.problem("imports", program, extract::read_sentence(frame->payload), mend);
    if (!frame && protections.empty()) return findings.problem("imports", program, frame.error().message, mend);
    if (!frame) break;
    if (auto protection = extract::read_protection(frame->payload)) protections.push_back(*std::move(protection));
  }
  findings.ok("imports", program, "runs, and keeps within its limits");
  for (const extract::Protection& each : protections) {
    if (each.held) findings.ok("sandbox", each.name, each.detail);
    else findings.warn("sandbox", each.name, format("not on this machine: {}", each.detail), way_to(each.name));
  }
}

void check_zones(Findings& findings) {
  if (const auto zone = TimeZone::load("Europe/Berlin"); !zone) {
    return findings.problem("time zones", std::string(kZoneFolder), zone.error().message, "install the package tzdata");
  }
  findings.ok("time zones", std::string(kZoneFolder), "are there");
}

void check_credentials(const Context& context, Findings& findings) {
  std::string root = ".pdpp";
  for (const char* variable : {"PDPP_CACHE_ROOT", "LADDER_CACHE_ROOT"}) root = context.environment(variable).value_or(root);
  std::error_code error;
  const fs::path folder = fs::path(root) / "clients";
  if (!fs::is_directory(folder, error)) return;
  for (const auto& file : fs::directory_iterator(folder, error)) {
    if (file.path().extension() != ".json") continue;
    const auto credential = read_credential(file.path(), Clock::system().now());
    const std::string name = file.path().native();
    if (credential) findings.ok("credentials", name, "only its owner may read it");
    else if (credential.error().fault == CredentialFault::kExposed)
      findings.problem("credentials", name, credential.error().message, format("chmod 600 {}", shell_word(name)));
    else findings.warn("credentials", name, credential.error().message, "connect to that server again");
  }
}

void check_address(Findings& findings) {
  const std::string thing = format("127.0.0.1:{}", kPort);
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return;
  const int yes = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(kPort);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool free = ::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  const int why = errno;
  ::close(socket);
  if (free) return findings.ok("address", thing, "is free for `ladder serve`");
  if (why == EADDRINUSE) return findings.ok("address", thing, "is in use, by `ladder serve` or by another program");
  findings.warn("address", thing, format("cannot be listened on: {}", std::generic_category().message(why)),
                "give another with `ladder serve --listen ADDRESS:PORT`");
}

}  // namespace

void check_programs(const Context& context, Findings& findings) {
  check_extractor(context, findings);
  check_zones(findings);
}

void check_surroundings(const Context& context, Findings& findings) {
  check_credentials(context, findings);
  check_address(findings);
}

}  // namespace ladder::cli
