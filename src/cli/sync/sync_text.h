// How the commands of `ladder sync` show sources and runs, and the run of a source that they share.
#pragma once

#include "app/sync/sync_runner.h"
#include "cli/invocation/command.h"
#include "json/writer.h"

#include <stop_token>
#include <string>
#include <string_view>
#include <thread>

namespace ladder::cli {

// A stop token that Ctrl-C and SIGTERM set.
class StopToken {
 public:
  StopToken();
  std::stop_token get() const { return source_.get_token(); }
  const app::Stop& signal() const { return signal_; }

 private:
  app::StopSignal signal_;
  std::stop_source source_;
  std::jthread watcher_;
};

app::SyncRunner make_runner(const Context& context, Session& session);

std::string state_word(const sync::Source& source, const sync::SourceStatus& status, Instant now);  // "ok", "failing", …
void write(json::Writer& out, const sync::Source& source, const sync::SourceStatus& status, Instant now);
void write(json::Writer& out, const sync::RunReport& report);
std::string report_text(const std::string& name, const sync::RunReport& report);

// Parses 15m, 1h or 2d, at least a minute. kInvalidRequest.
Result<std::int64_t> parse_every(std::string_view text);
std::string every_text(std::int64_t seconds);

}  // namespace ladder::cli
