#include "ask/passages.h"

#include "ask/ask_limits.h"
#include "base/text/format.h"
#include "base/text/utf8.h"

#include <algorithm>

namespace ladder::ask {
namespace {

// Joins the windows of a hit in the order of the text.
std::string text_of(const api::SearchHit& hit) {
  std::vector<const api::MatchWindow*> windows;
  for (const api::MatchWindow& window : hit.windows) {
    if (!window.complete || (window.text != hit.title && window.text != hit.author)) windows.push_back(&window);
  }
  std::ranges::stable_sort(windows, {}, [](const api::MatchWindow* window) {
    return std::pair(std::string_view(window->field_path), window->start_chars);
  });
  std::string text;
  for (const api::MatchWindow* window : windows) {
    if (!text.empty()) text += text.ends_with(" …") ? " " : "\n";
    if (window->start_chars > 0 && !text.ends_with("… ")) text += "… ";
    text += window->text;
    if (window->end_chars < window->size_chars) text += " …";
  }
  return std::string(utf8::slice(text, 0, limits::kAskPassageChars));
}

}  // namespace

Result<Passages> find_passages(server::Search& search, const server::Access& access, const std::string& question,
                               std::vector<std::string> connections) {
  if (question.find_first_not_of(" \t\r\n") == std::string::npos)
    return fail(Code::kInvalidRequest, "the question is empty; ask about your data in a few words", "q");
  if (!utf8::is_valid(question) || utf8::count(question) > limits::kAskQuestionChars) {
    return fail(Code::kInvalidRequest, format("a question has at most {} characters", limits::kAskQuestionChars), "q");
  }
  api::SearchRequest request;
  request.q = question;
  request.limit = static_cast<std::int64_t>(limits::kAskPassages);
  request.connections = std::move(connections);
  LADDER_TRY(api::SearchPage page, search.find(access, request));
  Passages made;
  made.found = page.count.value_or(0);
  made.exact = page.count_exact;
  made.warnings = std::move(page.warnings);
  for (api::SearchHit& hit : page.hits) {
    Passage& passage = made.passages.emplace_back();
    passage.number = static_cast<int>(made.passages.size());
    passage.text = text_of(hit);
    passage.hit = std::move(hit);
  }
  return made;
}

}  // namespace ladder::ask
