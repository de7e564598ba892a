// The Ask page: the passages that may answer a question, and the answer that the owner's model writes from them. A link to the
// page only searches; a model is asked by a form alone, so no other page can cause it.
#include "base/text/format.h"
#include "base/text/utf8.h"
#include "console/asking/ask_box.h"
#include "console/console.h"
#include "console/explore/explore.h"
#include "console/parts.h"

#include <algorithm>
#include <set>

namespace ladder::console {
namespace {

using ask::Passage;
using ask::Passages;
using ask::WrittenAnswer;

std::string title_of(const api::SearchHit& hit) {
  if (!hit.title.empty()) return hit.title;
  return hit.author.empty() ? heading_of(hit.ref.stream) : hit.author;
}

Writer notice(Markup kind, Icon of, std::string_view strong, std::string_view text) {
  Writer out;
  out << Markup("<div class=\"notice ") << kind << Markup("\">") << icon(of) << Markup("<p><b>") << Text(strong)
      << Markup("</b> <span dir=\"auto\">") << Text(text) << Markup("</span></p></div>");
  return out;
}

// The windows of a hit, in the order of the text, with the matches marked.
Writer quotation(const api::SearchHit& hit) {
  std::vector<const api::MatchWindow*> windows;
  for (const api::MatchWindow& window : hit.windows) {
    if (!window.complete || (window.text != hit.title && window.text != hit.author)) windows.push_back(&window);
  }
  std::ranges::stable_sort(windows, {}, [](const api::MatchWindow* window) {
    return std::pair(std::string_view(window->field_path), window->start_chars);
  });
  Writer out;
  for (const api::MatchWindow* window : windows) {
    out << Markup("<blockquote dir=\"auto\">") << (window->start_chars > 0 ? Markup("… ") : Markup("")) << marked(*window)
        << (window->end_chars < window->size_chars ? Markup(" …") : Markup("")) << Markup("</blockquote>");
  }
  return out;
}

Writer passage_item(const Passage& passage, const ShownStreams& streams, const ExploreQuery& query, Instant now) {
  const api::SearchHit& hit = passage.hit;
  Writer out;
  out << Markup("<li") << Attribute("id", format("p{}", passage.number))
      << Markup("><span class=\"cite-no\"><span class=\"unseen\">Passage </span>") << Text(passage.number)
      << Markup("</span><div><h3 dir=\"auto\"><a") << Attribute("href", hit_address(streams, query, hit)) << Markup(">")
      << Text(title_of(hit)) << Markup("</a></h3><p class=\"meta\"><span class=\"row\">") << icon(source_icon(hit.connector_key))
      << Markup("<bdi>")
      << Text(hit.title.empty() || hit.author.empty() ? streams.connection_name(hit.ref.connection_id) : hit.author)
      << Markup("</bdi></span>");
  if (const auto at = parse_field_time(hit.authored_at)) {
    out << Markup("<time") << Attribute("datetime", format_time(*at)) << Markup(">") << Text(moment_text(*at, now))
        << Markup("</time>");
  }
  out << Markup("</p>") << quotation(hit) << Markup("</div></li>");
  return out;
}

Writer passage_list(const Passages& found, const std::set<int>* only, const ShownStreams& streams, const ExploreQuery& query,
                    Instant now) {
  Writer out;
  out << Markup("<ol class=\"card card-flush passages\">");
  for (const Passage& passage : found.passages) {
    if (!only || only->contains(passage.number)) out << passage_item(passage, streams, query, now);
  }
  out << Markup("</ol>");
  return out;
}

Writer search_link(const Passages& found, const ExploreQuery& query) {
  Writer out;
  out << Markup("<p class=\"row more\"><a class=\"btn btn-s\"") << Attribute("href", query.address()) << Markup(">See all ")
      << (found.exact ? Markup("") : Markup("of at least ")) << plural(found.found, "search result", "search results")
      << Markup("</a></p>");
  return out;
}

Writer passages_section(const Passages& found, const ShownStreams& streams, const ExploreQuery& query, Instant now) {
  Writer out;
  if (found.passages.empty()) {
    out << Markup(
               "<section class=\"card empty\" aria-labelledby=\"found\"><h2 id=\"found\">No passages found</h2><p>No record has "
               "the words of this question. Try other words, or <a")
        << Attribute("href", query.address()) << Markup(">search for them</a>.</p></section>");
    return out;
  }
  out << Markup("<section aria-labelledby=\"found\"><div class=\"block-head\"><h2 id=\"found\">")
      << plural(std::ssize(found.passages), "passage that may answer this", "passages that may answer this")
      << Markup("</h2><span class=\"quiet\">best match first</span></div>") << passage_list(found, nullptr, streams, query, now)
      << search_link(found, query) << Markup("</section>");
  return out;
}

Writer removed_notice(const ask::CheckedAnswer& answer) {
  Writer out;
  if (answer.removed.empty()) return out;
  const auto removed = std::ssize(answer.removed);
  out << Markup("<div class=\"notice\">") << icon(Icon::kInfo) << Markup("<div><p><b>")
      << plural(removed, "sentence was removed", "sentences were removed") << Markup("</b> because no passage supports ")
      << (removed == 1 ? Markup("it") : Markup("them"))
      << Markup(".</p><details><summary>Show what was removed</summary><ul class=\"stack-2 small\">");
  for (const ask::RemovedSentence& one : answer.removed) {
    out << Markup("<li><span class=\"unsure\" dir=\"auto\">") << Text(one.text) << Markup("</span> <span class=\"quiet\">(")
        << Text(ask::reason_of(one.why)) << Markup(")</span></li>");
  }
  out << Markup("</ul></details></div></div>");
  return out;
}

std::string seconds_text(std::chrono::milliseconds took) {
  const auto seconds = (took.count() + 999) / 1000;
  return seconds == 1 ? "1 second" : format("{} seconds", seconds);
}

Writer answer_section(const WrittenAnswer& written, const ask::LanguageModel& model, const ExploreQuery& query) {
  Writer out;
  out << Markup(
             "<section class=\"card stack\" aria-labelledby=\"ans\"><div class=\"block-head\"><h2 id=\"ans\">Answer</h2><span "
             "class=\"quiet\"><bdi>")
      << Text(model.name()) << Markup("</bdi> · ") << Text(seconds_text(written.took)) << Markup("</span></div>");
  if (written.answer.sentences.empty()) {
    out << Markup("<p class=\"soft\">The model found no answer that the passages support. The passages are below.</p>");
  } else {
    out << Markup("<div class=\"answer\" dir=\"auto\">");
    bool open = false;
    for (const ask::Sentence& sentence : written.answer.sentences) {
      if (!open || sentence.begins_paragraph) out << (open ? Markup("</p><p>") : Markup("<p>"));
      else out << Markup(" ");
      open = true;
      out << Text(sentence.text);
      for (const int number : sentence.citations) {
        out << Markup("<a class=\"cite\"") << Attribute("href", Url::path("").at("p", number))
            << Attribute("aria-label", format("Passage {}", number)) << Markup(">") << Text(number) << Markup("</a>");
      }
    }
    out << Markup("</p></div>");
  }
  out << removed_notice(written.answer);
  if (written.answer.cut) out << Markup("<p class=\"hint\">The answer was too long. The rest was not read.</p>");
  out << Markup(
             "<p class=\"hint\">A model can be wrong. Ladder checked that the cited passages contain the words and numbers of "
             "each sentence; "
             "open a passage to read it in full. <a")
      << Attribute("href", query.address()) << Markup(">Search results instead</a></p></section>");
  return out;
}

Writer cited_section(const WrittenAnswer& written, const ShownStreams& streams, const ExploreQuery& query, Instant now) {
  std::set<int> cited;
  for (const ask::Sentence& sentence : written.answer.sentences)
    cited.insert(sentence.citations.begin(), sentence.citations.end());
  const Passages& given = written.passages;
  Writer out;
  if (cited.empty()) return passages_section(given, streams, query, now);
  out << Markup(
             "<section aria-labelledby=\"src\"><div class=\"block-head\"><h2 id=\"src\">Passages it cites</h2><span "
             "class=\"quiet\">")
      << Text(std::ssize(cited)) << Markup(" of the ") << Text(std::ssize(given.passages)) << Markup(" it was given</span></div>")
      << passage_list(given, &cited, streams, query, now);
  if (cited.size() < given.passages.size()) {
    std::set<int> others;
    for (const Passage& passage : given.passages) {
      if (!cited.contains(passage.number)) others.insert(passage.number);
    }
    out << Markup("<details class=\"more\"><summary>The other passages</summary>")
        << passage_list(given, &others, streams, query, now) << Markup("</details>");
  }
  out << search_link(given, query) << Markup("</section>");
  return out;
}

Writer sent_card(const WrittenAnswer& written, const std::string& question, const ask::LanguageModel& model) {
  std::set<std::string> records;
  std::int64_t chars = 0;
  for (const Passage& passage : written.passages.passages) {
    records.insert(model::format_record_id(passage.hit.ref));
    chars += utf8::count(passage.text);
  }
  Writer out;
  out << Markup(
             "<section class=\"card stack\" aria-labelledby=\"given\"><h2 id=\"given\">What the model was given</h2><dl "
             "class=\"facts\"><dt>Your question</dt><dd>")
      << plural(utf8::count(question), "character", "characters") << Markup("</dd><dt>Passages</dt><dd>")
      << Text(std::ssize(written.passages.passages)) << Markup(", from ") << plural(std::ssize(records), "record", "records")
      << Markup("</dd><dt>Text</dt><dd>") << plural(chars, "character", "characters") << Markup("</dd><dt>Sent to</dt><dd><code>")
      << Text(model.address())
      << Markup(
             "</code></dd></dl><details><summary>Show exactly what was sent</summary><pre class=\"window\" tabindex=\"0\" "
             "dir=\"auto\">")
      << html::Prose(written.sent) << Markup("</pre></details><p><a class=\"small\"")
      << Attribute("href", Url::path("/ledger?client=", ask::kAskClient)) << Markup(">See it in Activity</a></p></section>");
  return out;
}

// The model's state, and the form that allows it.
Writer model_card(const ask::Ask* ask, const ask::ModelAccess& access, const std::string& csrf, const std::string& question) {
  const ask::LanguageModel* const model = ask ? ask->model() : nullptr;
  Writer out;
  out << Markup("<section class=\"card stack-2\" aria-labelledby=\"mod\">");
  if (!model) {
    out << Markup(
        "<h2 id=\"mod\">No model is connected</h2><p class=\"small soft\">Ladder shows you the passages word for word. It "
        "doesn’t "
        "write an answer by itself.</p><p class=\"small soft\">A model that runs on this computer can write one, with a citation "
        "for every sentence. Set <code>ask_endpoint</code> and <code>ask_model</code> in ladder.toml and restart "
        "Ladder.</p></section>");
    return out;
  }
  out << Markup("<h2 id=\"mod\">Model</h2><p class=\"small soft\"><bdi>") << Text(model->name()) << Markup("</bdi>, at <code>")
      << Text(model->address())
      << Markup("</code>. It gets only the passages of each question and can’t search or read anything else.</p>");
  const auto allow_form = [&](std::string_view label, std::string_view look) {
    out << Markup("<form action=\"/ask\" method=\"post\">") << pages::hidden("csrf", csrf) << pages::hidden("q", question)
        << Markup("<button name=\"do\" value=\"allow\"") << Attribute("class", look) << Markup(">") << Text(label)
        << Markup("</button></form>");
  };
  if (!access.allowed) {
    out << Markup(
        "<p class=\"small\"><b>It has no access yet.</b> If you allow it, it counts as an app: it is listed under Apps, "
        "where you can reduce or revoke its access, and Activity shows what it was given.</p>");
    allow_form("Allow it to use all my data", "btn btn-s btn-act");
  } else {
    if (!access.not_shared.empty()) {
      out << Markup("<p class=\"small\"><b>") << plural(std::ssize(access.not_shared), "source isn’t", "sources aren’t")
          << Markup(" shared with it.</b></p>");
      allow_form("Share all sources", "btn btn-s");
    }
    out << Markup("<p><a class=\"small\"") << Attribute("href", Url::path("/client?id=", ask::kAskClient))
        << Markup(">Change or revoke its access</a></p>");
  }
  out << Markup("</section>");
  return out;
}

}  // namespace

Writer ask_box(const std::string& question, const std::string& csrf, bool writes, bool is_home) {
  Writer out;
  out << Markup("<form class=\"askbox\" action=\"/ask\" role=\"search\"")
      << (writes ? Markup(" method=\"post\">") : Markup(" method=\"get\">"));
  if (writes) out << pages::hidden("csrf", csrf) << pages::hidden("do", "ask");
  out << Markup("<div class=\"join find find-l\">") << icon(Icon::kAsk)
      << Markup(
             "<input class=\"input\" name=\"q\" dir=\"auto\" required maxlength=\"500\" autocomplete=\"off\" aria-label=\"Ask "
             "about your "
             "data\" placeholder=\"Ask a question about your data\"")
      << Attribute("value", question) << (!is_home && question.empty() ? Markup(" autofocus>") : Markup(">"))
      << (is_home ? Markup("<button class=\"btn btn-l\">Ask</button></div></form>")
                  : Markup("<button class=\"btn btn-l btn-act\">Ask</button></div></form>"));
  return out;
}

Result<http::Response> Console::ask(Visit& visit) {
  server::ResourceServer& server = authorization_.server();
  const Instant now = authorization_.now();
  const std::string question = visit.form.one("q");
  ask::Ask* const asking = about_.asking != nullptr && about_.asking->model() != nullptr ? about_.asking : nullptr;
  if (visit.is_post && visit.form.one("do") == "allow" && asking) {
    LADDER_CHECK(asking->allow(*visit.owner));
    return pages::redirect_to(Url::path("/ask").with("q", question).text());
  }
  ask::ModelAccess access;
  if (asking) {
    LADDER_TRY(access, asking->access(*visit.owner));
  }
  const bool writes = asking && access.allowed;
  LADDER_TRY(const ShownStreams streams, ShownStreams::arranged(server, *visit.owner));
  ExploreQuery query;
  query.q = question;

  pages::Frame frame = visit.frame;
  frame.title = question.empty() ? "Ask" : question + " - Ask";
  Writer main, side;
  main << Markup("<div class=\"page-head\"><div><h1>Ask</h1></div></div>") << ask_box(question, visit.csrf(), writes, false)
       << Markup("<div class=\"cols cols-main\"><div class=\"stack-5\">");
  std::optional<WrittenAnswer> written;
  if (writes && visit.is_post && visit.form.one("do") == "ask" && !question.empty()) {
    auto answer = asking->answer(*visit.owner, question, "console", streams.searched_connections());
    if (answer) written = *std::move(answer);
    else main << notice("notice-warn", Icon::kWarn, "No answer was written.", answer.error().message);
  }
  if (written) {
    if (!written->passages.passages.empty()) main << answer_section(*written, *asking->model(), query);
    main << cited_section(*written, streams, query, now);
    if (!written->passages.passages.empty()) side << sent_card(*written, question, *asking->model());
  } else if (!question.empty()) {
    const auto found = ask::find_passages(server.search(), *visit.owner, question, streams.searched_connections());
    if (!found && found.error().http_status() >= 500) return std::unexpected(found.error());
    if (found) main << passages_section(*found, streams, query, now);
    else main << notice("notice-warn", Icon::kWarn, "This question isn’t possible.", found.error().message);
  } else {
    main << Markup(
        "<section class=\"card stack-2\" aria-labelledby=\"about\"><h2 id=\"about\">Ask in your own words</h2><p "
        "class=\"soft\">For example "
        "“Which hotel did I book?” or “What did Tomas say about the kitchen?”. You get the passages that may answer it, "
        "and each opens at the match.</p></section>");
  }
  main << Markup("</div><aside class=\"stack-5\" aria-label=\"About the answer\">") << side
       << model_card(asking, access, visit.csrf(), question) << Markup("</aside></div>\n");
  return pages::page(200, frame, main);
}

}  // namespace ladder::console
