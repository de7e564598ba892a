#include "child.h"
#include "ledger_cost.h"
#include "mcp_parts.h"

#include "base/text/format.h"
#include "mcp/tools/tools.h"
#include "server/local_port.h"
#include "server/resource_server.h"

#include <boost/json/parse.hpp>

namespace ladder::bench {
namespace {

constexpr int kRounds = 3'000, kWarmUp = 300, kStarts = 200;
constexpr double kMaxOverhead = 1.5, kMaxStart = 20;
constexpr std::int64_t kMaxMemory = 30 << 20;
constexpr const char* kToolsList = R"({"jsonrpc":"2.0","id":1,"method":"tools/list"})"
                                   "\n";

// Calls the tool's function directly, as the server does.
class InProcess {
 public:
  explicit InProcess(McpScene& scene)
      : scene_(scene.place(), Scene::Set::kAlready),
        reader_(must(scene_.server().accesses().authenticate(scene.token()))),
        port_(scene_.server().read_roles(), reader_) {
    options_.fence_key = scene_.server().fence_key();
  }
  mcp::ToolResult call(const mcp::Tool& tool, const boost::json::object& arguments) {
    return tool.call({port_, options_, {}, {}}, arguments);
  }
  LedgerCost ledger_cost(const std::string& journals) {
    const api::FieldWindow window =
        must(scene_.server().windows().read(reader_, {{"work", "notes", McpScene::long_note()}, "body", {}}));
    return measure_ledger(scene_, reader_, window, journals);
  }

 private:
  Scene scene_;
  server::Access reader_;
  server::LocalPort port_;
  mcp::Options options_;
};

struct Asked {
  std::string line;
  boost::json::object arguments;
};

// Returns the round trips.
Samples compare(const std::string& what, const std::vector<ToolRequest>& requests, Child& ladder, InProcess& here,
                Report& report) {
  std::vector<Asked> all;
  for (const ToolRequest& request : requests) {
    all.push_back({request.message(Wire::kModern) + "\n", boost::json::parse(request.arguments).as_object()});
  }
  const auto ask = [](Child& child, const std::string& line) {
    child.write(line);
    return child.read_line();
  };
  const mcp::Tool& tool = *mcp::find_tool(requests.front().tool);
  const std::string first = ask(ladder, all.front().line);
  if (first.find(R"("isError":true)") != first.npos || first.find(R"("structuredContent":)") == first.npos) {
    give_up("ladder mcp said " + first);
  }
  Child echo({ECHO_PROGRAM, std::to_string(first.size())});
  Samples warm_up, round_trip, echoed, called;
  for (int i = 0; i < kWarmUp + kRounds; ++i) {
    if (i % 500 == 0) progress(format("{} over standard input and output: {} of {}", what, i, kWarmUp + kRounds));
    const Asked& one = all[static_cast<std::size_t>(i) % all.size()];
    const bool counts = i >= kWarmUp;
    (counts ? echoed : warm_up).time([&] { return ask(echo, one.line); });
    (counts ? called : warm_up).time([&] { return here.call(tool, one.arguments); });
    (counts ? round_trip : warm_up).time([&] { return ask(ladder, one.line); });
  }
  report.at_most(format("{}, stdio, {} bytes, over echo + call", what, first.size()), round_trip.text(),
                 format("{:.0f} + {:.0f} us", echoed.p50(), called.p50()), round_trip.p50() / (echoed.p50() + called.p50()),
                 kMaxOverhead);
  return round_trip;
}

}  // namespace

void measure_stdio(McpScene& scene, Report& report) {
  stay_on_one_core();
  const test_support::ScratchFolder folder;
  Child ladder({LADDER_PROGRAM, "mcp"}, (folder / "log").string());
  ladder.write(kToolsList);
  ladder.read_line();
  const auto memory = [&](const char* when) {
    const std::int64_t bytes = anonymous_memory(ladder.id());
    report.below(format("anonymous memory of ladder mcp, {}", when), megabytes(bytes), bytes <= kMaxMemory, "<= 30 MB");
  };
  memory("idle");
  {
    InProcess here(scene);
    const Samples windows = compare("window", McpScene::windows(), ladder, here, report);
    report_ledger(report, "window, stdio", windows, here.ledger_cost((folder / "journals").string()));
    compare("search", McpScene::searches(), ladder, here, report);
  }
  memory("after these calls");
}

void measure_start(McpScene&, Report& report) {
  stay_on_one_core();
  const test_support::ScratchFolder folder;
  const std::string log = (folder / "log").string();
  Samples ladder, nothing;
  for (int i = 0; i < kStarts; ++i) {
    if (i % 50 == 0) progress(format("starts: {} of {}", i, kStarts));
    nothing.time([&] { Child({"/bin/true"}).wait(); });
    std::unique_ptr<Child> started;
    ladder.time([&] {
      started = std::make_unique<Child>(std::vector<std::string>{LADDER_PROGRAM, "mcp"}, log);
      started->write(kToolsList);
      started->read_line();
    });
  }
  report.at_most("start to tools/list, over /bin/true", ladder.text(), nothing.text(), ladder.p50() / nothing.p50(), kMaxStart);
}

}  // namespace ladder::bench
