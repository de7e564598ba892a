// ladder search: finds records by words in their text and shows the matching text; the same read as GET /v1/search.
#include "base/text/format.h"
#include "base/text/grouped.h"
#include "base/text/visible_text.h"
#include "cli/flags/read_flags.h"
#include "cli/flags/time_words.h"
#include "cli/invocation/command.h"
#include "cli/invocation/command_line.h"
#include "cli/invocation/failure.h"
#include "cli/terminal/last_list.h"
#include "cli/terminal/search_results.h"
#include "cli/terminal/short_ids.h"
#include "model/quote.h"
#include "rest/arguments.h"
#include "rest/render.h"

#include <algorithm>

namespace ladder::cli {
namespace {

class Search final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.words("WORDS", words_, "what to look for: words, '\"a phrase\"', 'prefix*'; -- and then -excluded");
    arguments.each_value(
        "--stream", "NAME",
        [this](const std::string& name) -> Status {
          streams_.push_back(name);
          return {};
        },
        "only this stream; may be repeated (default: all readable streams)");
    arguments.each_value(
        "--also", "WORDS",
        [this](const std::string& wording) -> Status {
          also_.push_back(wording);
          return {};
        },
        "another wording or a translation to search as well; up to four times");
    arguments.value("--connection", "ID", connection_, "only this connection");
    filters_.declare(arguments, "only records with this value, in one stream; FIELD.gte=, .gt=, .lte= and .lt= compare");
    arguments.value("--since", "TIME", since_, "only records from this time on: a time, a date, or a span such as 30d");
    arguments.value("--until", "TIME", until_, "only records before this time");
    arguments.value("--order", "relevance|newest|oldest", order_, "the order of the hits (default relevance)");
    arguments.flag("--all", all_, "only records that have every word");
    arguments.value("--group", "ID", group_, "only the hits in this conversation or thread, with the id shown for a hit");
    arguments.value("--limit", "N", limit_, "hits per page, 1 to 100 (default 25, on a terminal 10)");
    arguments.value("--cursor", "C", cursor_, "continue after an earlier page");
    caller_.declare(arguments);
    arguments.example("ladder search hotel reservation");
    arguments.example("ladder search hotel reservation --since 90d --order newest");
    arguments.example("ladder search '\"third clock\"' --stream notes -- -cellar     # what begins with - comes after --");
    arguments.example("ladder search 'quart*' --stream messages --filter sent_at.gte=2026-01-01 --limit 5");
    arguments.example("LADDER_TOKEN=… ladder search 東京 --token env --json");
  }

  Result<int> run(Context& context) override {
    LADDER_CHECK(check_page_limit(limit_));
    LADDER_CHECK(settle_times());
    if (!limit_ && !context.console.json() && context.console.out_is_terminal()) limit_ = kHitsOnTerminal;
    const RestTarget target = make_target();
    std::vector<api::Warning> warnings;
    LADDER_TRY(const auto query, http::Query::parse(target.query()));
    LADDER_TRY(const auto request, rest::search_request(query, warnings));
    LADDER_TRY(const auto session, Session::open(context.settings));
    LADDER_TRY(const server::Access access, caller_.who(context, *session));
    LADDER_TRY(api::SearchPage page, session->server().search().find(access, request));
    if (context.console.json()) {
      context.console.out(
          rest::render(page, access.is_owner(), target.path(), {.self = target.text(), .warnings = std::move(warnings)}) + "\n");
    } else {
      if (!page.count) LADDER_CHECK(explain_nothing_searched(session->server(), access));
      name_hits(session->server().reads(), access, page.hits);
      show(context, page);
    }
    return kDone;
  }

 private:
  std::string query_text() const {
    std::string text;
    for (const std::string& word : words_) text += (text.empty() ? "" : " ") + word;
    return text;
  }

  // Resolves time spans once, so that the command for the next page repeats the same times.
  Status settle_times() {
    for (const auto& [text, flag] : {std::pair{&since_, "since"}, {&until_, "until"}}) {
      if (!*text) continue;
      LADDER_TRY(const Instant time, parse_time_word(**text, flag, Direction::kAgo, Clock::system().now()));
      *text = format_time(time);
    }
    return {};
  }

  // Explains why nothing was searched: a named stream does not exist, or there is no data yet.
  Status explain_nothing_searched(server::ResourceServer& server, const server::Access& access) {
    if (access.is_owner() && streams_.empty()) {
      api::SchemaRequest request;
      request.counted = false;
      LADDER_TRY(const auto view, server.reads().schema(access, request));
      has_data_ = !view.sources.empty();
    }
    for (const std::string& name : streams_) {
      api::SchemaRequest request;
      request.stream = name;
      request.counted = false;
      LADDER_TRY(const auto view, server.reads().schema(access, request));
      if (view.sources.empty())
        return fail(Code::kNotFound, format("unknown stream {}; ladder schema lists the streams", model::in_quotes(name)),
                    "streams");
    }
    return {};
  }

  RestTarget make_target() const {
    RestTarget target("/v1/search");
    const auto add = [&](std::string_view name, const std::optional<std::string>& value) {
      if (value) target.add(name, *value);
    };
    target.add("q", query_text());
    for (const std::string& wording : also_) target.add("also", wording);
    for (const std::string& name : streams_) target.add("streams", name);
    filters_.add_to(target);
    add("since", since_);
    add("until", until_);
    add("order", order_);
    if (all_) target.add("match", "all");
    add("group", group_);
    add("limit", limit_);
    add("cursor", cursor_);
    add("connection_id", connection_);
    return target;
  }

  void show(const Context& context, const api::SearchPage& page) const {
    Console& console = context.console;
    console.page_long_output();
    const std::optional<std::size_t> first = console.out_is_terminal() ? keep_list(context, page) : std::nullopt;
    console.out(first ? numbered_hits_text(console, page.hits, *first)
                      : hits_text(console, page.hits, caller_.flags() + context.store_flags(), [&](const std::string& group) {
                          return "ladder" + shell_words(command(context, {"--group", group}, std::nullopt));
                        }));
    std::string said;
    for (const api::Warning& warning : page.warnings) {
      if (is_worth_reading(warning)) said += format("note: {}\n", visible_text(warning.message).text);
    }
    said += summary(page);
    if (first && !page.hits.empty()) said += format("open   ladder show {}\n", *first);
    if (page.has_more)
      said += format("{:<6} {}\n", first ? "more" : "next",
                     first ? "ladder more" : "ladder" + shell_words(command(context, {"--cursor", page.next_cursor}, group_)));
    if (!page.hits.empty()) said += caller_.hint();
    console.out_is_terminal() ? console.out(said) : console.err(said);  // data lines for other programs stay unchanged
  }

  // Reports streams without searchable fields only if the command names streams.
  bool is_worth_reading(const api::Warning& warning) const {
    return warning.code != "source_skipped_not_applicable" || !streams_.empty();
  }

  std::string summary(const api::SearchPage& page) const {
    std::string said;
    if (!page.count) {
      said = has_data_ ? "Nothing was searched: no readable stream has searchable fields (query.search.lexical_fields in its "
                         "source).\n"
                       : "No data yet: ladder import FILE imports mail, chats, notes, calendars and files.\n";
    } else if (page.hits.empty()) {
      said = cursor_ ? "No more matches.\n" : "No matches.\n";
    } else {
      const std::string count = format("{}{} {}", page.count_exact ? "" : "at least ", grouped(*page.count),
                                       *page.count == 1 ? "record matches" : "records match");
      const std::string whole = page.count_all_words && *page.count_all_words < *page.count
                                    ? format(", {} with all words", grouped(*page.count_all_words))
                                    : "";
      said = format("{} shown; {}{}.\n", page.hits.size(), count, whole);
    }
    for (const api::SearchedWord& word : page.searched_words) {
      if (word.records > 0 || word.corrected) continue;
      std::string near;
      for (const std::string& one : word.near) near += (near.empty() ? "; near it: " : ", ") + visible_label(one);
      said +=
          format("No record{} contains \"{}\"{}.\n", since_ || until_ ? " in that period" : "", visible_label(word.word), near);
    }
    if (page.recall.truncated) {
      said += format("Only the newest {} were ranked; the rest follow by time.\n",
                     grouped(page.recall.ranked_candidates.value_or(0)));
    }
    if (page.pending_scopes > 0) {
      said += format("{} streams are still being indexed, so some matches may be missing.\n", page.pending_scopes);
    }
    return said;
  }

  // Keeps the hits under numbers for `ladder show` and `ladder more`. Returns the number of the first; nullopt if they cannot
  // be kept.
  std::optional<std::size_t> keep_list(const Context& context, const api::SearchPage& page) const {
    const std::string store = location_digest(context.settings.location);
    LastList list{.store = store,
                  .entries = entries_before(context.settings.state_folder, store, cursor_),
                  .next = {},
                  .cursor = page.next_cursor};
    const std::size_t first = list.entries.size() + 1;
    for (const api::SearchHit& hit : page.hits) {
      LastList::Entry& entry = list.entries.emplace_back(hit.ref.stream.empty() ? hit.other_id : shown_id(hit.ref));
      if (hit.group && hit.group->more > 0) entry.group = command(context, {"--group", hit.group->id}, std::nullopt);
    }
    if (page.has_more) list.next = command(context, {"--cursor", page.next_cursor}, group_);
    return keep_last_list(context.settings.state_folder, list) ? std::optional(first) : std::nullopt;
  }

  // Returns this search command with one more flag.
  Words command(const Context& context, const Words& flag, const std::optional<std::string>& group) const {
    Words line = {"search"};
    const auto add = [&](const Words& words) { line.insert(line.end(), words.begin(), words.end()); };
    const auto repeat = [&](const std::string& name, const std::optional<std::string>& given) {
      if (given) add({name, *given});
    };
    const bool excludes = std::ranges::any_of(words_, [](const std::string& word) { return word.starts_with('-'); });
    if (!excludes) add(words_);
    for (const std::string& wording : also_) add({"--also", wording});
    for (const std::string& name : streams_) add({"--stream", name});
    repeat("--connection", connection_);
    add(filters_.words());
    repeat("--since", since_);
    repeat("--until", until_);
    repeat("--order", order_);
    if (all_) add({"--all"});
    repeat("--group", group);
    repeat("--limit", limit_);
    add(flag);
    add(caller_.words());
    add(context.store_words());
    if (excludes) add({"--"});
    if (excludes) add(words_);
    return line;
  }

  static constexpr const char* kHitsOnTerminal = "10";

  std::vector<std::string> words_, also_, streams_;
  std::optional<std::string> connection_, since_, until_, order_, group_, limit_, cursor_;
  bool has_data_ = true;
  bool all_ = false;
  FilterWords filters_;
  Caller caller_;
};

}  // namespace

std::unique_ptr<Command> make_search() { return std::make_unique<Search>(); }

}  // namespace ladder::cli
