// ladder ingest: stores RECORD lines from a file or standard input in one stream of a connection. Acknowledged lines are on
// disk. Rejected lines are listed and the rest is stored. Ctrl-C stops between batches. Ingesting the same lines again changes
// nothing.
#include "app/stop_signal.h"
#include "base/limits.h"
#include "base/text/format.h"
#include "base/text/grouped.h"
#include "base/text/visible_text.h"
#include "cli/invocation/command.h"
#include "cli/invocation/failure.h"
#include "cli/terminal/input_file.h"
#include "cli/terminal/progress.h"
#include "json/writer.h"

#include <chrono>

namespace ladder::cli {
namespace {

constexpr std::size_t kShownRejections = 20;
// A sweep removes replaced and deleted long values from the files. If it exceeds this time, the next ingest continues it.
constexpr auto kSweepTime = std::chrono::seconds(5);

// Remembers and shows what is durable so far, since a failed ingest returns no report.
class DurableTracker final : public server::IngestObserver {
 public:
  DurableTracker(Console& console, Progress& progress, const app::StopSignal& stop, bool receipts)
      : console_(console), progress_(progress), stop_(stop), receipts_(receipts) {}

  void durable_through(std::int64_t line, const server::IngestReport& so_far) override {
    line_ = line;
    remember(so_far);
    progress_.durable(so_far.accepted, so_far.rejected);
    if (!receipts_) return;
    json::Writer out;
    out.begin_object().member("durable_through", line).member("accepted", so_far.accepted).member("rejected", so_far.rejected);
    out.end_object();
    console_.out(out.take() + "\n");
  }
  bool wants_stop() override { return stop_.requested(); }
  bool in_bulk() const override { return true; }

  std::int64_t line() const { return line_; }
  const server::IngestReport& report() const { return report_; }

 private:
  // The list of rejections only grows, so only its new tail is copied.
  void remember(const server::IngestReport& so_far) {
    std::vector<server::Rejection> listed = std::move(report_.rejections);
    listed.insert(listed.end(), so_far.rejections.begin() + static_cast<std::ptrdiff_t>(listed.size()), so_far.rejections.end());
    report_ = {so_far.stream,
               so_far.attempted,
               so_far.accepted,
               so_far.rejected,
               so_far.added,
               so_far.changed,
               so_far.unchanged,
               so_far.deleted,
               so_far.absent,
               so_far.erased,
               so_far.replaced_surrogates,
               std::move(listed)};
  }

  Console& console_;
  Progress& progress_;
  const app::StopSignal& stop_;
  bool receipts_;
  std::int64_t line_ = 0;
  server::IngestReport report_;
};

std::string count(std::int64_t number, std::string_view what) {
  return number == 0 ? "" : format(", {} {}", grouped(number), what);
}

std::string summary(const server::IngestTarget& target, const server::IngestReport& report, double seconds) {
  std::string text = format("{}/{}: {} of {} records stored", target.connection_id, visible_label(target.stream),
                            grouped(report.accepted), grouped(report.attempted));
  text += count(report.added, "new") + count(report.changed, "changed") + count(report.unchanged, "unchanged") +
          count(report.deleted, "deleted") + count(report.absent, "deletes of missing records") +
          count(report.rejected, "rejected") + count(report.replaced_surrogates, "lone surrogates replaced by U+FFFD");
  text += format(", {:.1f} s\n", seconds);
  for (std::size_t i = 0; i < std::min(report.rejections.size(), kShownRejections); ++i) {
    const server::Rejection& rejection = report.rejections[i];
    text += format("  line {}: {}: {}\n", rejection.line, rejection.code, visible_label(rejection.message));
  }
  if (report.rejected > static_cast<std::int64_t>(kShownRejections)) {
    text += format("  and {} more; --json lists them\n", grouped(report.rejected - static_cast<std::int64_t>(kShownRejections)));
  }
  return text;
}

class Ingest final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.required_value("--connection", "ID", target_.connection_id, "the connection of the records");
    arguments.required_value("--stream", "NAME", target_.stream, "the stream of its source");
    arguments.optional_word("FILE", file_, "RECORD lines (NDJSON); default or -: standard input");
    arguments.flag("--receipts", receipts_, "print a JSON line for every stored batch: durable_through, accepted, rejected");
    arguments.example("ladder ingest --connection notes-home --stream notes notes.ndjson");
    arguments.example("zcat mail.ndjson.gz | ladder ingest --connection mail-1 --stream messages --receipts");
  }

  Result<int> run(Context& context) override {
    const app::StopSignal stop;
    const auto begin = std::chrono::steady_clock::now();
    LADDER_TRY(const auto input, InputFile::open(file_.value_or("-"), stop));
    LADDER_TRY(const auto session, Session::open(context.settings));
    LADDER_TRY(const server::Access owner, session->owner());
    if (input->is_terminal()) context.console.err("ladder: reading RECORD lines from the terminal; Ctrl-D ends them\n");

    Progress progress(context.console, *input);
    DurableTracker tracker(context.console, progress, stop, receipts_);
    server::LineSource lines(*input, limits::kMaxLineBytes);
    const Result<server::IngestReport> result = session->server().ingest().put_records(owner, target_, lines, tracker);
    const Status swept = sweep_after(*session, owner, result ? *result : tracker.report());
    progress.finish();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();

    if (!result && result.error().code != Code::kCancelled) return broken_off(context, tracker, result.error());
    tell(context.console, result ? *result : tracker.report(), seconds);
    if (!swept)
      context.console.err("ladder: erased text could not be removed from the files yet: " + swept.error().message + "\n");
    if (stop.requested()) {
      context.console.err(format("ladder: stopped; lines up to {} are stored, run the same command again to continue\n",
                                 grouped(tracker.line())));
      return kFailed;
    }
    return result && result->rejected == 0 ? kDone : kFailed;
  }

 private:
  static Status sweep_after(Session& session, const server::Access& owner, const server::IngestReport& report) {
    if (report.changed + report.deleted == 0) return {};
    LADDER_CHECK(session.server().maintenance().sweep(owner, Deadline::after(kSweepTime)));
    return {};
  }

  void tell(Console& console, const server::IngestReport& report, double seconds) const {
    if (console.json()) {
      console.out(server::to_json(report) + "\n");
    } else {
      const std::string text = summary(target_, report, seconds);
      receipts_ ? console.err(text) : console.out(text);
    }
  }

  // Reports what is durable after the store or the input failed midway.
  static Result<int> broken_off(Context& context, const DurableTracker& tracker, const Error& error) {
    Console& console = context.console;
    if (tracker.line() == 0) return std::unexpected(error);
    if (console.json()) {
      console.out(format("{{\"error\":{},\"durable_through\":{},\"receipt\":{}}}\n", error_json(error), tracker.line(),
                         server::to_json(tracker.report())));
      return exit_code(error.code);
    }
    const int code = report(console, error);
    console.err(format("  lines up to {} are stored: {} accepted, {} rejected\n", grouped(tracker.line()),
                       grouped(tracker.report().accepted), grouped(tracker.report().rejected)));
    return code;
  }

  server::IngestTarget target_;
  std::optional<std::string> file_;
  bool receipts_ = false;
};

}  // namespace

std::unique_ptr<Command> make_ingest() { return std::make_unique<Ingest>(); }

}  // namespace ladder::cli
