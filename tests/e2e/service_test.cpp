// `ladder serve` under a service manager (socket activation, readiness and stopping notifications), `ladder health`,
// and serve settings from ladder.toml and variables.
#include "base/text/format.h"
#include "owner.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <array>
#include <csignal>
#include <cstring>
#include <fstream>
#include <thread>

namespace ladder::e2e {
namespace {

class Manager {
 public:
  explicit Manager(const std::string& path) : socket_(::socket(AF_UNIX, SOCK_DGRAM, 0)) {
    sockaddr_un name{};
    name.sun_family = AF_UNIX;
    std::memcpy(name.sun_path, path.data(), std::min(path.size(), sizeof name.sun_path - 1));
    if (::bind(socket_, reinterpret_cast<const sockaddr*>(&name), sizeof name) != 0) throw std::runtime_error("bind");
    const timeval receive_timeout{.tv_sec = 30, .tv_usec = 0};
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &receive_timeout, sizeof receive_timeout);
  }
  ~Manager() { ::close(socket_); }
  Manager(const Manager&) = delete;
  Manager& operator=(const Manager&) = delete;

  // Returns the next notification that is not the watchdog's.
  std::string note() const {
    for (;;) {
      std::array<char, 512> buffer{};
      const ssize_t size = ::recv(socket_, buffer.data(), buffer.size(), 0);
      const std::string text = size < 0 ? "" : std::string(buffer.data(), static_cast<std::size_t>(size));
      if (text != "WATCHDOG=1\n") return text;
    }
  }
  std::string any_note() const {
    std::array<char, 512> buffer{};
    const ssize_t size = ::recv(socket_, buffer.data(), buffer.size(), 0);
    return size < 0 ? "" : std::string(buffer.data(), static_cast<std::size_t>(size));
  }

 private:
  int socket_;
};

TEST(Service, NotifiesReadyReloadAndStop) {
  Owner owner;
  owner.set_up();
  const Manager manager(owner.file("notify"));
  owner.surroundings().environment["NOTIFY_SOCKET"] = owner.file("notify");
  Process server(owner.surroundings(), {"serve", "--listen", "127.0.0.1:0"});
  EXPECT_TRUE(manager.note().starts_with("READY=1\nSTATUS=serving http://127.0.0.1:"));
  server.signal(SIGHUP);
  EXPECT_TRUE(manager.note().starts_with("RELOADING=1\n"));
  EXPECT_TRUE(manager.note().starts_with("READY=1\n"));
  server.signal(SIGTERM);
  EXPECT_EQ(manager.note(), "STOPPING=1\n");
  EXPECT_EQ(server.wait().exit_code, 0);
}

TEST(Service, NotifiesTheWatchdog) {
  Owner owner;
  owner.set_up();
  const Manager manager(owner.file("notify"));
  owner.surroundings().environment["NOTIFY_SOCKET"] = owner.file("notify");
  owner.surroundings().environment["WATCHDOG_USEC"] = "2000000";
  Process server(owner.surroundings(), {"serve", "--listen", "127.0.0.1:0"});
  EXPECT_TRUE(manager.any_note().starts_with("READY=1\n"));
  EXPECT_EQ(manager.any_note(), "WATCHDOG=1\n");
  EXPECT_EQ(manager.any_note(), "WATCHDOG=1\n");
  server.signal(SIGTERM);
  EXPECT_EQ(server.wait().exit_code, 0);
}

// env(1) cannot set LISTEN_PID to the program's own pid; a shell that execs the program can.
TEST(Service, TakesOverASocket) {
  Owner owner;
  owner.set_up();
  const int made = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int listener = ::fcntl(made, F_DUPFD, 100);  // not 3, which the shell opens for it
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof name;
  ASSERT_EQ(::bind(listener, reinterpret_cast<const sockaddr*>(&name), size), 0);
  ASSERT_EQ(::listen(listener, 16), 0);
  ASSERT_EQ(::getsockname(listener, reinterpret_cast<sockaddr*>(&name), &size), 0);
  const int port = ntohs(name.sin_port);
  Surroundings shell = owner.surroundings();
  shell.program = "/bin/bash";
  const std::string line =
      format("exec 3<&{} {}<&-; export LISTEN_PID=$$ LISTEN_FDS=1; exec {} serve --json", listener, listener, LADDER_BINARY);
  Process server(shell, {"-c", line});
  const auto announced = server.read_line();
  ::close(listener);
  ::close(made);
  ASSERT_TRUE(announced);
  EXPECT_NE(announced->find(format("\"port\":{}", port)), std::string::npos) << *announced;
  const Outcome health = owner.ladder({"health", format("http://127.0.0.1:{}", port)});
  EXPECT_EQ(health.exit_code, 0) << health.summary();
  server.signal(SIGTERM);
  EXPECT_EQ(server.wait().exit_code, 0);
  EXPECT_EQ(owner.ladder({"health", format("http://127.0.0.1:{}", port)}).exit_code, 1);
}

// The unit may contain a database password, so only its owner can read it, and command lines, which all users see,
// contain none. The unit is written even if systemd's user manager does not answer, as here.
TEST(ServiceInstall, HidesADatabasePasswordFromOtherUsers) {
  constexpr std::string_view kPassword = "hunter22";
  Owner owner("postgres");
  std::string address = owner.place().location();
  const std::size_t query = address.find('?');
  address += format("{}password={}", query == std::string::npos ? "?" : "&", kPassword);
  owner.surroundings().environment["LADDER_DB"] = address;
  owner.surroundings().environment["XDG_CONFIG_HOME"] = owner.file("config");
  owner.surroundings().environment["PATH"] = owner.file("no-programs");
  owner.set_up();
  const std::filesystem::path unit = owner.file("config") / "systemd/user/ladder.service";
  std::filesystem::create_directories(unit.parent_path());
  std::ofstream(unit) << "of an older Ladder, for everybody to read";
  ASSERT_EQ(::chmod(unit.c_str(), 0644), 0);
  const Outcome installed = owner.ladder({"service", "install"});
  EXPECT_NE(installed.err.find("the unit file was written"), std::string::npos) << installed.summary();
  EXPECT_EQ(installed.summary().find(kPassword), std::string::npos) << installed.summary();

  struct stat about{};
  ASSERT_EQ(::stat(unit.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777U, 0600U);
  std::ifstream file(unit);
  bool in_environment = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("Environment=\"LADDER_DB=")) in_environment = line.find(kPassword) != std::string::npos;
    else EXPECT_EQ(line.find(kPassword), std::string::npos) << line;
  }
  EXPECT_TRUE(in_environment);

  // A SQLite file has no password, and the command line may contain its path.
  Owner with_file;
  with_file.set_up();
  with_file.surroundings().environment["XDG_CONFIG_HOME"] = with_file.file("config");
  with_file.surroundings().environment["PATH"] = with_file.file("no-programs");
  with_file.ladder({"service", "install"});
  const std::filesystem::path second = with_file.file("config") / "systemd/user/ladder.service";
  ASSERT_EQ(::stat(second.c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 0777U, 0600U);
}

// An older Ladder kept the uploads of all databases in one folder. A newer one has a folder for each, and reports what
// it leaves there.
TEST(Service, ReportsUploadsOfAnOlderLadder) {
  Owner owner("postgres");
  owner.set_up();
  owner.surroundings().environment["XDG_STATE_HOME"] = owner.file("state");
  const std::filesystem::path earlier = owner.file("state") / "ladder/uploads/0123/dropped";
  const auto said = [&] {
    Process server(owner.surroundings(), {"serve", "--listen", "127.0.0.1:0", "--json"});
    EXPECT_TRUE(server.read_line());
    server.signal(SIGTERM);
    return server.wait().err;
  };
  EXPECT_EQ(said().find("older Ladder"), std::string::npos);
  std::filesystem::create_directories(earlier);
  std::ofstream(earlier / "mail.mbox") << "From a\n";
  const std::string told = said();
  EXPECT_NE(told.find((owner.file("state") / "ladder/uploads").native() + " contains files"), std::string::npos) << told;
  EXPECT_TRUE(std::filesystem::exists(earlier / "mail.mbox"));
}

TEST(SettingsOfServe, ComeFromTheFileAndFromVariables) {
  Owner owner;
  owner.set_up();
  owner.surroundings().environment["LADDER_CONFIG"] = owner.write_file(
      "ladder.toml",
      "listen = \"127.0.0.1:0\"\nissuer = \"https://issuer.example\"\nallow_host = [\"a.example\", \"b.example\"]\n");
  {
    Process server(owner.surroundings(), {"serve", "--json"});
    const auto announced = server.read_line();
    ASSERT_TRUE(announced);
    EXPECT_EQ(announced->find("7663"), std::string::npos) << *announced;
    server.signal(SIGTERM);
    EXPECT_EQ(server.wait().exit_code, 0);
  }
  owner.surroundings().environment["LADDER_LISTEN"] = "nonsense";
  EXPECT_EQ(owner.ladder({"serve"}).exit_code, 64) << "the variable wins over the file";
  const boost::json::value shown = owner.json({"config", "show"});
  for (const auto& setting : shown.at("settings").as_array()) {
    const std::string key = text_at(setting, "/key"), from = text_at(setting, "/from");
    if (key == "listen") {
      EXPECT_EQ(from, "LADDER_LISTEN");
    }
    if (key == "issuer") {
      EXPECT_TRUE(from.ends_with("ladder.toml:2")) << from;
    }
    if (key == "allow_host") {
      EXPECT_EQ(text_at(setting, "/value"), "a.example,b.example");
    }
    if (key == "tls_key") {
      EXPECT_EQ(from, "default");
    }
  }
  owner.surroundings().environment.erase("LADDER_LISTEN");
  // Each invalid value is rejected with its line number; the server does not start.
  for (const char* bad : {"allow_origin = \"app.example\"", "allow_origin = \"https://app.example/\"", "allow_origin = \"*\"",
                          "allow_host = \"https://data.example\"", "log = \"yaml\"", "ledger = \"maybe\"", "result_bytes = 10",
                          "public_url = \"data.example\"", "otlp_endpoint = \"grpc://x\"", "server_name = \"a b\"",
                          "issuer = \"login.example\"", "tls_key = \"/nowhere/key.pem\""}) {
    owner.surroundings().environment["LADDER_CONFIG"] =
        owner.write_file("bad.toml", format("listen = \"127.0.0.1:0\"\n{}\n", bad));
    const Outcome refused = owner.ladder({"serve"});
    EXPECT_EQ(refused.exit_code, 64) << bad << "\n" << refused.summary();
    EXPECT_NE(refused.err.find("bad.toml, line 2"), std::string::npos) << bad << "\n" << refused.summary();
  }
  owner.surroundings().environment["LADDER_CONFIG"] =
      owner.write_file("bad.toml", "tls_certificate = \"~/none.pem\"\ntls_key = \"~/none.pem\"\n");
  const Outcome missing = owner.ladder({"serve"});
  EXPECT_NE(missing.err.find((owner.surroundings().folder / "none.pem: No such file or directory").native()), std::string::npos)
      << missing.summary();
  EXPECT_NE(missing.err.find("bad.toml, line 1"), std::string::npos) << missing.summary();
  owner.surroundings().environment["LADDER_IMPORT_DRY_RUN"] = "yes";
  const Outcome neither = owner.ladder({"import", "."});
  EXPECT_EQ(neither.exit_code, 64) << neither.summary();
  EXPECT_NE(neither.err.find("(from LADDER_IMPORT_DRY_RUN)"), std::string::npos) << neither.summary();
  owner.surroundings().environment.erase("LADDER_IMPORT_DRY_RUN");
  owner.surroundings().environment["LADDER_CONFIG"] = owner.write_file("bad.toml", "lisen = \"x\"\n");
  const Outcome refused = owner.ladder({"config", "show"});
  EXPECT_EQ(refused.exit_code, 64);
  EXPECT_NE(refused.err.find("did you mean 'listen'?"), std::string::npos) << refused.summary();
}

// OpenTelemetry's own variable sets the collector if nothing else does; the settings show it, and the unit contains it.
TEST(SettingsOfServe, TheVariableOfOpenTelemetryIsShownAndKept) {
  Owner owner;
  owner.set_up();
  owner.surroundings().environment["PATH"] = "/nonexistent";
  owner.surroundings().environment["OTEL_EXPORTER_OTLP_ENDPOINT"] = "http://127.0.0.1:4318";
  const auto shown = [&] {
    const boost::json::value told = owner.json({"config", "show"});
    for (const boost::json::value& setting : told.at("settings").as_array()) {
      if (text_at(setting, "/key") == "otlp_endpoint") return text_at(setting, "/value") + " " + text_at(setting, "/from");
    }
    return std::string("not there");
  };
  EXPECT_EQ(shown(), "http://127.0.0.1:4318 OTEL_EXPORTER_OTLP_ENDPOINT");
  (void)owner.ladder({"service", "install"});
  std::ifstream unit(owner.surroundings().folder / ".config/systemd/user/ladder.service");
  const std::string text{std::istreambuf_iterator<char>(unit), {}};
  EXPECT_NE(text.find("Environment=\"OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4318\"\n"), std::string::npos) << text;
  owner.surroundings().environment["LADDER_OTLP_ENDPOINT"] = "http://127.0.0.1:4319";
  EXPECT_EQ(shown(), "http://127.0.0.1:4319 LADDER_OTLP_ENDPOINT");
}

// Some programs answer every path with 200.
TEST(Health, RejectsTheResponseOfAnotherServer) {
  const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ASSERT_EQ(::bind(listener, reinterpret_cast<const sockaddr*>(&address), size), 0);
  ASSERT_EQ(::listen(listener, 1), 0);
  ASSERT_EQ(::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size), 0);
  const std::jthread other([listener] {
    const int client = ::accept(listener, nullptr, nullptr);
    std::array<char, 4096> request{};
    (void)::recv(client, request.data(), request.size(), 0);
    constexpr std::string_view kAnswer = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\n<html>";
    (void)::send(client, kAnswer.data(), kAnswer.size(), MSG_NOSIGNAL);
    ::close(client);
  });
  const Outcome outcome = Owner().ladder({"health", format("http://127.0.0.1:{}", ntohs(address.sin_port))});
  EXPECT_EQ(outcome.exit_code, 1) << outcome.summary();
  EXPECT_NE(outcome.out.find("another server is running at this address"), std::string::npos) << outcome.summary();
  ::close(listener);
}

TEST(ServiceUnit, ServesTheStoreOfItsCreatorsVariables) {
  Owner owner;
  owner.set_up();
  owner.surroundings().environment["PATH"] = "/nonexistent";
  owner.surroundings().environment["LADDER_CONFIG"] = owner.write_file("my \"100%\" $HOME.toml", "log = \"json\"\n");
  owner.surroundings().environment["LADDER_LISTEN"] = "127.0.0.1:7999";
  owner.surroundings().environment["LADDER_TOKEN"] = "ldr_c_secret";
  (void)owner.ladder({"service", "install"});
  std::ifstream unit(owner.surroundings().folder / ".config/systemd/user/ladder.service");
  const std::string text{std::istreambuf_iterator<char>(unit), {}};
  EXPECT_NE(text.find("Environment=\"LADDER_LISTEN=127.0.0.1:7999\"\n"), std::string::npos) << text;
  EXPECT_NE(text.find("/my \\\"100%%\\\" $HOME.toml\"\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("LADDER_LOG"), std::string::npos) << "settings of the file stay in the file: " << text;
  EXPECT_EQ(text.find("secret"), std::string::npos) << text;
}

TEST(ServiceUnit, IsWrittenAndRemovedForAUserService) {
  Owner owner;
  owner.surroundings().environment["PATH"] = "/nonexistent";
  EXPECT_EQ(owner.ladder({"service", "install"}).exit_code, 78) << "it cannot serve without a store";
  owner.set_up();
  const Outcome installed = owner.ladder({"service", "install"});
  EXPECT_EQ(installed.exit_code, 1) << installed.summary();
  EXPECT_NE(installed.err.find("systemctl --user enable --now ladder"), std::string::npos) << installed.summary();
  std::ifstream unit(owner.surroundings().folder / ".config/systemd/user/ladder.service");
  const std::string text{std::istreambuf_iterator<char>(unit), {}};
  EXPECT_NE(text.find(format("ExecStart=\"{}\"", LADDER_BINARY)), std::string::npos) << text;
  EXPECT_NE(text.find("Type=notify"), std::string::npos);
  // The user manager has none of this shell's variables.
  EXPECT_NE(text.find(format("--db \"{}\"", owner.place().location())), std::string::npos) << text;
  EXPECT_EQ(owner.ladder({"service", "status"}).exit_code, 1);
  owner.done({"service", "remove"});
  EXPECT_FALSE(std::filesystem::exists(owner.surroundings().folder / ".config/systemd/user/ladder.service"));
}

}  // namespace
}  // namespace ladder::e2e
