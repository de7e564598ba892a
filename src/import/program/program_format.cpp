// Reads the lines of the program. A line that cannot be understood is a loss, and the next one is read.
#include "base/limits.h"
#include "base/text/format.h"
#include "import/io/limits.h"
#include "import/io/lines.h"
#include "import/json/json_members.h"
#include "import/program/program.h"
#include "import/text/loose_base64.h"
#include "import/text/text.h"
#include "json/scan/scan.h"
#include "json/writer.h"
#include "model/declaration/declaration.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <map>
#include <optional>
#include <utility>

namespace ladder::imports {
namespace {

constexpr std::size_t kMaxWaitingBlobs = 1000;  // stored blobs that no record has used yet

class PipeBytes final : public Bytes {
 public:
  explicit PipeBytes(int descriptor) : descriptor_(descriptor) {}
  Result<std::size_t> read(char* buffer, std::size_t capacity) override {
    for (;;) {
      const ssize_t count = ::read(descriptor_, buffer, capacity);
      if (count >= 0) return static_cast<std::size_t>(count);
      if (errno != EINTR) return fail(Code::kInternal, "the output of the program cannot be read");
    }
  }

 private:
  int descriptor_;
};

std::string end_text(int status) {
  if (WIFEXITED(status)) return format("ended with code {}", WEXITSTATUS(status));
  return format("was ended by signal {}", WTERMSIG(status));
}

class Conversation {
 public:
  explicit Conversation(RunningProgram program) : program_(std::move(program)), bytes_(program_.output), lines_(bytes_) {
    lines_.end_with_lf_only();
  }

  // The first line.
  Result<std::string> declaration() {
    if (declaration_) return *declaration_;
    LADDER_TRY(const bool more, lines_.next());
    if (!more) return fail(Code::kInvalidRequest, format("{} {} without a declaration", program_.name, wait()));
    const std::string_view line = trim(lines_.text());
    const bool is_json = json::check(line, ladder::limits::kMaxJsonDepth).has_value();
    const json::Value declared = is_json ? member_of(json::value_of(line), "declaration") : json::Value{};
    if (declared.kind != json::Kind::kObject)
      return fail(Code::kInvalidRequest, format("the first line of {} is not a declaration", program_.name));
    LADDER_TRY(const model::SourceDeclaration parsed, model::parse_declaration(declared.text));
    for (const model::Stream& stream : parsed.streams) times_[stream.name] = stream.consent_time_field;
    declaration_ = std::string(declared.text);
    return *declaration_;
  }

  Status read(const Tree& tree, std::string_view position, Sink& sink) {
    if (std::exchange(was_read_, true)) return fail(Code::kInvalidRequest, "the program can be read only once; import again");
    send_start(position);
    for (;;) {
      LADDER_TRY(const bool more, lines_.next());
      if (!more) return fail(Code::kInvalidRequest, format("{} {} before it was done", program_.name, wait()));
      const std::string_view line = trim(lines_.text());
      if (line.empty()) continue;
      const wire::FileLocation here{program_.name, lines_.offset()};
      if (!json::check(line, ladder::limits::kMaxJsonDepth)) {
        LADDER_CHECK(sink.lost(here, "the program wrote a line that is not JSON"));
        continue;
      }
      const json::Value value = json::value_of(line);
      if (is_true(member_of(value, "done"))) return is_true(member_of(value, "complete")) ? sink.complete() : Status{};
      if (const json::Value bytes = member_of(value, "progress"); !bytes.text.empty()) {
        const std::int64_t so_far = integer_or(bytes, 0);
        tree.add_progress(std::max<std::int64_t>(1, so_far - std::exchange(reported_, std::max(reported_, so_far))));
        continue;
      }
      LADDER_CHECK(take(value, here, sink));
    }
  }

  const std::string& name() const { return program_.name; }

 private:
  void send_start(std::string_view position) const {
    json::Writer out;
    out.begin_object().member("path", program_.path).key("position");
    if (position.empty()) out.null();
    else out.string(position);
    const std::string line = out.end_object().take() + "\n";
    static_cast<void>(!write(program_.input, line.data(), line.size()));  // the program need not read it
    // From now on, this process ends when ladder is gone, even if the program sends only signs of life; the program ends with it.
    std::signal(SIGPIPE, SIG_DFL);
  }

  Status take(const json::Value& line, const wire::FileLocation& here, Sink& sink) {
    for (json::Members members(line.text); line.kind == json::Kind::kObject && members.next();) {
      const json::Value& value = members.value();
      const std::string_view kind = members.raw_name();
      if (kind == "record") return take_record(value, here, sink);
      if (kind == "blob") return take_blob(value, here, sink);
      if (kind == "lost") return sink.lost(place_of(value, here), reason_of(value));
      if (kind == "deleted") return take_deleted(value, here, sink);
      if (kind == "skipped") return sink.skipped(text_of(value, "stream"), reason_of(value));
      if (kind == "checkpoint") {
        const std::string position = text_of(value);
        return position.size() <= kMaxPositionBytes ? sink.checkpoint(position) : sink.lost(here, "a checkpoint is too long");
      }
    }
    return sink.lost(here, "the program wrote a line that Ladder does not know");
  }

  Status take_deleted(const json::Value& record, const wire::FileLocation& here, Sink& sink) {
    const std::string stream = text_of(record, "stream"), key = text_of(record, "key");
    if (!times_.contains(stream) || key.empty() || key.size() > ladder::limits::kMaxRecordKeyBytes)
      return sink.lost(here, format("a deleted record without a declared stream and a key ('{}')", replace_invalid(stream)));
    return sink.gone(stream, key);
  }

  static std::string reason_of(const json::Value& value) {
    const std::string reason = text_of(value, "reason");
    return reason.empty() ? "the program gave no reason" : reason;
  }

  static wire::FileLocation place_of(const json::Value& value, const wire::FileLocation& otherwise) {
    std::string file = text_of(value, "file");
    if (file.empty()) return otherwise;
    return {std::move(file), integer_or(member_of(value, "byte"), -1)};
  }

  Status take_record(const json::Value& record, const wire::FileLocation& here, Sink& sink) {
    const std::string stream = text_of(record, "stream");
    const json::Value data = member_of(record, "data");
    const auto declared = times_.find(stream);
    if (declared == times_.end())
      return sink.lost(here, format("a record of the stream '{}', which is not declared", replace_invalid(stream)));
    if (data.kind != json::Kind::kObject) return sink.lost(here, "a record without data");
    std::string text = compact(data.text);
    if (const std::string blob = text_of(record, "blob"); !blob.empty()) {
      const auto found = blobs_.find(blob);
      if (found == blobs_.end()) return sink.lost(here, format("a record with the blob '{}', which was not sent", blob));
      text.pop_back();
      text += format("{}\"blob_ref\":{}}}", text.size() > 1 ? "," : "", found->second);
      blobs_.erase(found);
    }
    std::optional<Instant> time;
    if (const auto value = json::member(text, declared->second); value && value->kind == json::Kind::kString)
      time = parse_field_time(json::decode_string(json::raw_content(*value)));
    return sink.record({stream, text, place_of(record, here), time});
  }

  Status take_blob(const json::Value& blob, const wire::FileLocation& here, Sink& sink) {
    const std::string id = text_of(blob, "id"), encoded = text_of(blob, "base64");
    if (id.empty() || blobs_.size() >= kMaxWaitingBlobs) return sink.lost(here, "a blob without an id, or too many of them");
    std::string bytes(LooseBase64::most(encoded.size()), '\0');
    LooseBase64 decoder;
    std::size_t size = decoder.decode(encoded, bytes.data());
    size += decoder.finish(bytes.data() + size);
    BytesInMemory source(std::string_view(bytes).substr(0, size));
    auto reference = sink.blob(text_of(blob, "mime_type"), source);
    if (!reference && reference.error().code == Code::kCancelled) return std::unexpected(reference.error());
    if (!reference) return sink.lost(here, reference.error().message);
    blobs_[id] = *std::move(reference);
    return {};
  }

  // How the program ended.
  std::string wait() {
    int status = 0;
    if (program_.process < 0 || waitpid(std::exchange(program_.process, -1), &status, 0) < 0) return "ended";
    return end_text(status);
  }

  RunningProgram program_;
  PipeBytes bytes_;
  Lines lines_;
  std::optional<std::string> declaration_;
  std::map<std::string, std::string> times_;  // stream → the field with the time
  std::map<std::string, std::string> blobs_;  // id → blob_ref
  std::int64_t reported_ = 0;                 // bytes, by the program's own count
  bool was_read_ = false;
};

class ProgramFormat final : public Format {
 public:
  explicit ProgramFormat(RunningProgram program) : conversation_(std::move(program)) {}

  std::string_view name() const override { return "program"; }
  std::string_view summary() const override { return "a program of your own (--with)"; }
  Result<std::string> declaration(const Request& /*request*/) const override { return conversation_.declaration(); }

  std::vector<Unit> detect(Tree& tree, const Request& /*request*/) const override {
    Unit unit;
    unit.confidence = Confidence::kCertain;
    unit.what = format("what {} reads", conversation_.name());
    for (EntryNo i = 0; i < tree.entries().size(); ++i) unit.entries.push_back(i);
    return {std::move(unit)};
  }

  Status read(Tree& tree, const Unit& /*unit*/, const Request& request, std::string_view position, Sink& sink) const override {
    LADDER_TRY(const std::string declared, declaration(request));
    return conversation_.read(tree, position, sink);
  }

 private:
  mutable Conversation conversation_;
};

}  // namespace

std::unique_ptr<Format> program_format(RunningProgram program) { return std::make_unique<ProgramFormat>(std::move(program)); }

}  // namespace ladder::imports
