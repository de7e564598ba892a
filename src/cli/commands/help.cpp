// ladder help TOPIC: shows a topic of the documentation. The command line turns `ladder help` and the help of a command into
// the option --help.
#include "base/text/format.h"
#include "base/text/visible_text.h"
#include "cli/help/markdown_text.h"
#include "cli/help/topics.h"
#include "cli/invocation/command.h"
#include "cli/invocation/failure.h"
#include "json/writer.h"

#include <algorithm>
#include <filesystem>

namespace ladder::cli {
namespace {

constexpr std::size_t kMostColumns = 100;  // longer lines are hard to read

// Returns where the page is on this machine, or in the source.
std::string place_of(std::string_view page) {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  const auto installed = program.parent_path().parent_path() / "share/doc/ladder" / page;
  return std::filesystem::exists(installed, error) ? installed.string() : format("docs/{}", page);
}

bool is_command(std::string_view name) {
  return std::ranges::find(all_groups(), name, &GroupEntry::name) != all_groups().end() ||
         std::ranges::any_of(all_commands(), [&](const CommandEntry& entry) {
           return entry.group.empty() && entry.name == name && !entry.hidden;
         });
}

// Adds the topic of another page to a link.
std::string link_text(const Topic& topic, std::string_view text, std::string_view target) {
  if (target.starts_with("http")) return text.empty() ? std::string(target) : format("{} ({})", text, target);
  const std::string_view file = target.substr(target.rfind('/') + 1, target.substr(target.rfind('/') + 1).find('#'));
  for (const Topic& other : topics()) {
    if (other.page != topic.page && other.page.substr(other.page.rfind('/') + 1) == file)
      return text.empty() ? format("ladder help {}", other.name()) : format("{} (ladder help {})", text, other.name());
  }
  return std::string(text.empty() ? target : text);
}

class Help final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.any_words("TOPIC", words_, "a topic, or a command");
    arguments.facts("Topics", facts());
    arguments.example("ladder help import");
    arguments.example("ladder help grant create");
  }

  bool needs_settings() const override { return false; }

  Result<int> run(Context& context) override {
    const std::string word = words_.empty() ? "" : words_.front();
    const Topic* const topic = words_.size() == 1 ? find_topic(word) : nullptr;
    if (topic == nullptr) return unknown(word);
    Console& console = context.console;
    if (console.json()) {
      json::Writer out;
      out.begin_object().member("topic", topic->name()).member("title", topic->title).member("text", topic->text);
      out.member("page", topic->page).end_object();
      console.out(out.take() + "\n");
      return kDone;
    }
    console.page_long_output();
    const auto strong = [&](std::string_view text) { return console.paint_out(Tone::kStrong, text); };
    const MarkdownStyle style = {std::min(console.out_is_terminal() ? console.out_columns() : kMostColumns, kMostColumns), strong,
                                 [&](std::string_view text, std::string_view target) { return link_text(*topic, text, target); }};
    std::string page = strong(topic->title) + "\n\n" + markdown_text(topic->text, style) + "\n";
    if (is_command(topic->name())) page += format("Options: ladder {} --help\n", topic->name());
    console.out(page + format("Read on: {}\n", place_of(topic->page)));
    return kDone;
  }

 private:
  static std::span<const Arguments::Fact> facts() {
    static const std::vector<Arguments::Fact> list = [] {
      std::vector<Arguments::Fact> all;
      for (const Topic& topic : topics()) all.push_back({topic.name(), topic.title});
      return all;
    }();
    return list;
  }

  static Result<int> unknown(std::string_view word) {
    std::string near;
    for (const std::string_view name : topics_near(word)) near += format("{}ladder help {}", near.empty() ? "" : ", ", name);
    return fail(Code::kInvalidRequest,
                format("no help topic '{}'; {}", visible_label(word),
                       near.empty() ? "ladder help topics lists them" : format("try {}; ladder help topics lists all", near)));
  }

  std::vector<std::string> words_;
};

}  // namespace

std::unique_ptr<Command> make_help() { return std::make_unique<Help>(); }

}  // namespace ladder::cli
