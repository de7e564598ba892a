// ladder complete: what may stand at the cursor, for the scripts of `ladder completions`. The first line says whether files or
// folders fit too, then comes a candidate a line, with a tab and a short help behind it. It never fails: where there is nothing
// to offer, nothing is offered.
#include "cli/command.h"
#include "cli/completion.h"
#include "cli/exit_code.h"
#include "cli/shell_word.h"
#include "cli/visible_text.h"

#include <algorithm>

namespace ladder::cli {
namespace {

// The names in a store, read once and only when they are needed.
class StoreNames {
 public:
  StoreNames(const Context& context, const std::vector<std::string>& words) : context_(context), words_(words) {}

  // The shell puts a name on the command line as it is: what it would read as more than a word stays out.
  std::vector<Candidate> find(Values values, std::string_view before) {
    if (!open()) return {};
    std::vector<Candidate> found = names(values, before);
    std::erase_if(found, [](const Candidate& one) { return shell_word(one.text) != one.text; });
    return found;
  }

 private:
  std::vector<Candidate> names(Values values, std::string_view before) {
    switch (values) {
      case Values::kConnections:
        return connections();
      case Values::kSources:
        return sources();
      case Values::kGrants:
        return grants();
      case Values::kStreams:
        return streams("");
      case Values::kRecords:
        return streams_of_connections(":");
      case Values::kFieldOf:
        return fields_of(before);
      case Values::kStreamFields:
        return stream_fields(before);
      default:
        return {};
    }
  }

  bool open() {
    CommonFlags flags;
    for (std::size_t i = 0; i < words_.size(); ++i) {
      const auto take = [&](std::string_view name, std::optional<std::string>& into) {
        if (words_[i] == name && i + 1 < words_.size()) into = words_[i + 1];
        if (words_[i].starts_with(std::string(name) + "=")) into = words_[i].substr(name.size() + 1);
      };
      take("--db", flags.db);
      take("--owner", flags.owner);
    }
    const auto settings = resolve_settings(flags, context_.environment);
    if (!settings) return false;
    auto session = Session::open(*settings);
    if (!session) return false;
    auto owner = (*session)->owner();
    if (!owner) return false;
    session_ = std::move(*session);
    owner_.emplace(std::move(*owner));
    return true;
  }

  std::vector<Candidate> connections() {
    std::vector<Candidate> found;
    if (const auto all = session_->server().connections(*owner_)) {
      for (const auto& one : *all)
        found.push_back({one.connection_id, one.display_name.empty() ? one.source_key : one.display_name});
    }
    return found;
  }

  std::vector<Candidate> sources() {
    std::vector<Candidate> found;
    if (const auto all = session_->server().connections(*owner_)) {
      for (const auto& one : *all) {
        if (std::ranges::find(found, one.source_key, &Candidate::text) == found.end()) found.push_back({one.source_key, one.source_id});
      }
    }
    return found;
  }

  std::vector<Candidate> grants() {
    std::vector<Candidate> found;
    if (const auto all = session_->server().grants(*owner_)) {
      for (const auto& one : *all) found.push_back({one.row.grant_id, one.row.client_id + ", " + one.status});
    }
    return found;
  }

  template <class Use>  // Use(source, stream)
  void each_stream(const Use& use) {
    port::SchemaRequest request;
    request.counted = false;
    const auto view = session_->server().schema(*owner_, request);
    if (!view) return;
    for (const port::SourceView& source : view->sources) {
      for (const port::StreamView& stream : source.streams) use(source, stream);
    }
  }

  std::vector<Candidate> streams(const std::string& behind) {
    std::vector<Candidate> found;
    each_stream([&](const auto&, const port::StreamView& stream) {
      if (std::ranges::find(found, stream.name + behind, &Candidate::text) == found.end())
        found.push_back({stream.name + behind, stream.label});
    });
    return found;
  }

  std::vector<Candidate> streams_of_connections(const std::string& behind) {
    std::vector<Candidate> found;
    each_stream([&](const auto&, const port::StreamView& stream) {
      for (const port::ConnectionView& connection : stream.connections)
        found.push_back({connection.connection_id + "/" + stream.name + behind, stream.label});
    });
    return found;
  }

  // Of CONNECTION/STREAM:KEY or STREAM:KEY.
  std::vector<Candidate> fields_of(std::string_view record) {
    const std::string_view whole = record.substr(0, record.find(':'));
    const std::string_view name = whole.substr(whole.find('/') == std::string_view::npos ? 0 : whole.find('/') + 1);
    std::vector<Candidate> found;
    each_stream([&](const auto&, const port::StreamView& stream) {
      if (stream.name != name) return;
      for (const port::FieldView& field : stream.fields) {
        if (std::ranges::find(found, field.name, &Candidate::text) == found.end()) found.push_back({field.name, field.type});
      }
    });
    return found;
  }

  std::vector<Candidate> stream_fields(std::string_view typed) {
    const std::size_t colon = typed.find(':');
    if (colon == std::string_view::npos) {
      std::vector<Candidate> found = streams("");
      for (Candidate& one : streams_of_connections("")) found.push_back(std::move(one));
      return found;
    }
    const std::string front(
        typed.substr(0, std::max(colon, typed.rfind(',') == std::string_view::npos ? 0 : typed.rfind(',')) + 1));
    std::vector<Candidate> found = fields_of(typed.substr(0, colon));
    const std::string before = "," + front.substr(colon + 1);
    std::erase_if(found, [&](const Candidate& one) { return before.find("," + one.text + ",") != std::string::npos; });
    for (Candidate& one : found) one.text.insert(0, front);
    return found;
  }

  const Context& context_;
  const std::vector<std::string>& words_;
  std::unique_ptr<Session> session_;
  std::optional<rs::Access> owner_;
};

class Complete final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.words("WORDS", words_, "those after ladder, up to the cursor; put -- before them");
    arguments.example("ladder complete -- connection ''");
  }

  Result<int> run(Context& context) override {
    StoreNames names(context, words_);
    const Completion found = complete(words_, [&](Values values, std::string_view before) { return names.find(values, before); });
    std::string out = found.files == Completion::Files::kFiles     ? "files\n"
                      : found.files == Completion::Files::kFolders ? "folders\n"
                                                                   : "none\n";
    for (const Candidate& candidate : found.candidates) out += candidate.text + "\t" + visible_label(candidate.help) + "\n";
    context.console.out(out);
    return kDone;
  }

 private:
  std::vector<std::string> words_;
};

}  // namespace

std::unique_ptr<Command> make_complete() { return std::make_unique<Complete>(); }

}  // namespace ladder::cli
