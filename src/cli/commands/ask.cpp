// ladder ask: shows the passages that may answer a question, and the answer of the configured model with its citations.
#include "ask/ask.h"

#include "base/text/format.h"
#include "base/text/visible_text.h"
#include "cli/flags/ask_flags.h"
#include "cli/invocation/command.h"
#include "cli/terminal/search_results.h"
#include "cli/terminal/short_ids.h"
#include "json/writer.h"
#include "model/record_id.h"

namespace ladder::cli {
namespace {

using ask::CheckedAnswer;
using ask::Passage;
using ask::Passages;

void write_passages(json::Writer& out, const Passages& found) {
  out.member("found", found.found).member("found_exact", found.exact).key("passages").begin_array();
  for (const Passage& passage : found.passages) {
    const api::SearchHit& hit = passage.hit;
    out.begin_object().member("number", passage.number).member("record", model::format_record_id(hit.ref));
    out.optional_member("title", hit.title).optional_member("author", hit.author).optional_member("time", hit.authored_at);
    out.member("text", passage.text).key("parts").begin_array();
    for (const api::MatchWindow& window : hit.windows) {
      out.begin_object().member("field", window.field_path).member("start_chars", window.start_chars);
      out.member("end_chars", window.end_chars).end_object();
    }
    out.end_array().end_object();
  }
  out.end_array();
}

void write_answer(json::Writer& out, const CheckedAnswer& answer) {
  out.key("answer").begin_array();
  for (const ask::Sentence& sentence : answer.sentences) {
    out.begin_object().member("text", sentence.text).key("passages").begin_array();
    for (const int number : sentence.citations) out.number(number);
    out.end_array().end_object();
  }
  out.end_array().key("removed").begin_array();
  for (const ask::RemovedSentence& one : answer.removed)
    out.begin_object().member("text", one.text).member("reason", ask::reason_of(one.why)).end_object();
  out.end_array().member("cut", answer.cut);
}

std::string passages_text(const Console& console, const Passages& found) {
  std::string text;
  for (const Passage& passage : found.passages) {
    const api::SearchHit& hit = passage.hit;
    std::string head = format("[{}] {}", passage.number, visible_label(hit.title.empty() ? hit.author : hit.title));
    if (!hit.title.empty() && !hit.author.empty()) head += ", " + visible_label(hit.author);
    if (!hit.authored_at.empty()) head += ", " + visible_label(read_time(hit.authored_at));
    text += console.paint_out(Tone::kStrong, head) + "\n";
    std::string body = visible_text(passage.text).text;
    for (std::size_t at = 0; (at = body.find('\n', at)) != std::string::npos; at += 5) body.insert(at + 1, "    ");
    text += "    " + body + "\n    " + console.paint_out(Tone::kFaint, "ladder show " + shown_id(hit.ref)) + "\n";
  }
  return text;
}

std::string answer_text(const CheckedAnswer& answer, std::string_view model) {
  std::string text;
  for (const ask::Sentence& sentence : answer.sentences) {
    if (!text.empty()) text += sentence.begins_paragraph ? "\n" : " ";
    text += visible_label(sentence.text);
    for (const int number : sentence.citations) text += format(" [{}]", number);
  }
  if (text.empty()) text = format("{} found no answer that the passages support.", visible_label(model));
  text += "\n";
  if (!answer.removed.empty()) {
    const auto removed = std::ssize(answer.removed);
    text += format("{} {} removed because no passage supports {}.\n", removed, removed == 1 ? "sentence was" : "sentences were",
                   removed == 1 ? "it" : "them");
  }
  if (answer.cut) text += "The answer was too long; the rest was not read.\n";
  return text + "\n";
}

class AskCommand final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.words("QUESTION", words_, "a question about your data");
    arguments.flag("--passages", only_passages_, "show the passages without asking the model");
    arguments.flag("--allow", allow_, "first give the model access to all your data; revoke it like the access of any app");
    flags_.declare(arguments);
    arguments.example("ladder ask which hotel did I book");
    arguments.example(
        "ladder ask 'what does the kitchen cost?' --ask-endpoint http://localhost:11434 --ask-model gemma3:12b --allow");
  }

  Result<int> run(Context& context) override {
    std::string question;
    for (const std::string& word : words_) question += (question.empty() ? "" : " ") + word;
    LADDER_TRY(auto model, flags_.model(context));
    const bool uses_model = model && !only_passages_;
    LADDER_TRY(const auto session, Session::open(context.settings));
    LADDER_TRY(const server::Access owner, session->owner());
    ask::Ask asking(session->server(), std::move(model));
    if (allow_) LADDER_CHECK(asking.allow(owner));
    if (!uses_model) {
      LADDER_TRY(const Passages found, ask::find_passages(session->server().search(), owner, question));
      show(context.console, question, found, nullptr, {});
      return kDone;
    }
    LADDER_TRY(const ask::ModelAccess access, asking.access(owner));
    if (!access.allowed) {
      return fail(Code::kGrantRevoked,
                  format("{} has no access to your data; add --allow to give it access, or --passages to show the passages only",
                         asking.model()->name()));
    }
    LADDER_TRY(const ask::WrittenAnswer written, asking.answer(owner, question, "cli"));
    show(context.console, question, written.passages, &written.answer, asking.model()->name());
    return kDone;
  }

 private:
  static void show(Console& console, const std::string& question, const Passages& found, const CheckedAnswer* answer,
                   std::string_view model) {
    if (console.json()) {
      json::Writer out;
      out.begin_object().member("question", question);
      if (answer) out.member("model", model);
      if (answer) write_answer(out, *answer);
      write_passages(out, found);
      out.end_object();
      console.out(out.take() + "\n");
      return;
    }
    console.page_long_output();
    if (found.passages.empty()) return console.out("No passages match the question.\n");
    if (answer) console.out(answer_text(*answer, model));
    console.out(passages_text(console, found));
  }

  std::vector<std::string> words_;
  bool only_passages_ = false, allow_ = false;
  AskFlags flags_;
};

}  // namespace

std::unique_ptr<Command> make_ask() { return std::make_unique<AskCommand>(); }

}  // namespace ladder::cli
