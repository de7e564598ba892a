// Plays an agent without a model: reads the text of a response and makes the calls printed in it.
//   agent URL ask        a question of the demo, from a search to a window of a field and an answer that cites it
//   agent URL answers    prints the output of every tool as Markdown, for docs/reference/mcp.md
// The token is in LADDER_TOKEN.
#include "client.h"

#include "base/text/columns.h"
#include "base/text/format.h"

#include <boost/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <regex>
#include <sstream>

namespace {

using demo::Call;
using ladder::format;

[[noreturn]] void give_up(const std::string& why) {
  std::cerr << "agent: " << why << '\n';
  std::exit(1);
}

// --- the question ---

constexpr std::string_view kQuestion = "Which hotel did I book, and what is the reservation number?";
constexpr std::string_view kWords = "hotel reservation";  // the search words that a model would choose
constexpr std::size_t kShownHits = 5;
constexpr std::int64_t kHitColumns = 84;
constexpr std::int64_t kTitleColumns = 36;

std::string in_tone(const char* tone, const std::string& text) {
  return std::getenv("LADDER_DEMO_COLOURS") == nullptr ? text : format("\x1b[{}m{}\x1b[0m", tone, text);
}
std::string strong(const std::string& text) { return in_tone("1", text); }
std::string faint(const std::string& text) { return in_tone("2", text); }

std::string one_line(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const bool blank = c == '\n' || c == '\r' || c == '\t' || c == ' ';
    if (!blank) line += c;
    else if (!line.empty() && line.back() != ' ') line += ' ';
  }
  return line;
}

// The evidence for an answer: a passage of a field, and the line in it that answers the question.
struct Passage {
  std::string id, field, text, line, number;
  std::int64_t start_chars = 0, end_chars = 0;
};

std::string text_of(const boost::json::object& object, std::string_view name) {
  const auto* const value = object.if_contains(name);
  return value != nullptr && value->is_string() ? std::string(value->as_string()) : std::string();
}

// Reads the window around the word as the tool returns it, if a number follows "reservation".
std::optional<Passage> read_passage(demo::Client& client, const std::string& id) {
  static const std::regex number("[Rr]eservation( number)?( is|:)? ([A-Z]{2}-?[0-9]+)");
  const std::string answer = client.structured(
      {"read_record_field", format(R"({{"id":{},"field_path":"text","q":"reservation","before_chars":240,"after_chars":120}})",
                                   boost::json::serialize(boost::json::string(id)))});
  if (answer.empty()) return std::nullopt;
  const auto window = boost::json::parse(answer).at("window").as_object();
  Passage passage{id, "text", text_of(window, "text"), {}, {}};
  passage.start_chars = window.at("start_chars").to_number<std::int64_t>();
  passage.end_chars = window.at("end_chars").to_number<std::int64_t>();
  std::smatch found;
  if (!std::regex_search(passage.text, found, number)) return std::nullopt;
  passage.number = found[3];
  std::istringstream lines(passage.text);
  for (std::string line; std::getline(lines, line);) {
    if (line.find("Hotel") != line.npos && passage.line.empty()) passage.line = one_line(line);
  }
  return passage;
}

std::string shortened(const std::string& text, std::int64_t columns) {
  return ladder::columns_of(text) <= columns ? text : ladder::cut_to_columns(text, columns);
}

void show_hits(const boost::json::array& hits) {
  for (std::size_t i = 0; i < std::min(hits.size(), kShownHits); ++i) {
    const auto& hit = hits[i].as_object();
    std::string snippet;
    if (const auto* const excerpts = hit.if_contains("evidence_excerpts"); excerpts != nullptr && !excerpts->as_array().empty())
      snippet = one_line(text_of(excerpts->as_array().front().as_object(), "preview_text"));
    const std::string date = text_of(hit, "authored_at").substr(0, 10);
    const std::string title = shortened(one_line(text_of(hit, "title")), kTitleColumns);
    std::cout << format("  {}. {}  {}: {}\n", i + 1, date, title, shortened(snippet, kHitColumns - ladder::columns_of(title)));
  }
  if (hits.size() > kShownHits) std::cout << format("  … {} more\n", hits.size() - kShownHits);
}

int ask(demo::Client& client) {
  std::cout << "Connected to " << client.server() << ".\n\n" << strong("question  ") << kQuestion << "\n\n";
  std::cout << strong("search    ") << kWords << '\n';
  const std::string found = client.structured({"search", format(R"({{"query":"{}"}})", kWords)});
  if (found.empty()) give_up("the search was refused");
  const auto results = boost::json::parse(found).at("results").as_array();
  show_hits(results);
  std::vector<Passage> passages;
  for (const auto& hit : results) {
    if (auto passage = read_passage(client, text_of(hit.as_object(), "id"))) passages.push_back(*std::move(passage));
  }
  const auto booked = std::ranges::find_if(passages, [](const Passage& passage) { return !passage.line.empty(); });
  if (booked == passages.end()) give_up("no passage tells a reservation number");
  std::cout << '\n'
            << strong("read      ")
            << format("{} {}, chars {} to {}\n", booked->id, booked->field, booked->start_chars, booked->end_chars);
  std::istringstream lines(booked->text);
  for (std::string line; std::getline(lines, line);) {
    if (!one_line(line).empty()) std::cout << faint("  | ") << line << '\n';
  }
  std::cout << '\n' << strong("answer    ") << booked->line << ": reservation number " << strong(booked->number) << '\n';
  std::cout << format("          [{} {}, chars {} to {}]\n", booked->id, booked->field, booked->start_chars, booked->end_chars);
  return 0;
}

// --- the answers for the documentation ---

// Removes cursors and fence keys, which differ from store to store and mean nothing to a reader.
std::string without_secrets(const std::string& text) {
  static const std::regex cursor(R"(A[QgwA][A-Za-z0-9_-]{48,})"), fence("owner-data [0-9a-f]{12}");
  return std::regex_replace(std::regex_replace(text, cursor, "A…"), fence, "owner-data 72095a55002b");
}

int answers(demo::Client& client) {
  const std::vector<std::pair<std::string, Call>> shown = {
      {"What is there: every source and stream that the grant names.", {"schema", "{}"}},
      {"One stream: its fields and what each may be asked.", {"schema", R"({"stream":"notes"})"}},
      {"Records, the newest first. What is cut says how to read on.", {"query_records", R"({"stream":"notes","limit":2})"}},
      {"Counts and sums without reading anything.", {"aggregate", R"({"stream":"notes","metric":"count","group_by":"folder"})"}},
      {"Evidence first: the field, the words around the match, and the call that reads them.",
       {"search", R"({"query":"spare key"})"}},
      {"One record as a document. The same JSON is its structured content.", {"fetch", R"({"id":"notes-home/notes:n1"})"}},
      {"A window of one field: a header, the ways on, and the owner's words in a fence whose key no text can know.",
       {"read_record_field", R"({"id":"notes-home/notes:n3","field_path":"body","limit_chars":160})"}},
      {"An error is one JSON line, and a sentence that says what to do.",
       {"read_record_field", R"({"id":"notes-home/notes:n3","field_path":"body","q":"wombat"})"}},
  };
  for (const auto& [what, call] : shown) {
    std::cout << "\n" << what << "\n\n```text\n> " << call.tool << ' ' << call.arguments << "\n";
    std::cout << without_secrets(client.call(call)) << "\n```\n";
  }
  return 0;
}

}  // namespace

int main(int count, char** words) {
  const std::string what = count == 3 ? words[2] : "";
  const char* const token = std::getenv("LADDER_TOKEN");
  if ((what != "ask" && what != "answers") || token == nullptr) {
    std::cerr << "usage: LADDER_TOKEN=… agent URL ask|answers\n";
    return 64;
  }
  demo::Client client(words[1], token);
  return what == "ask" ? ask(client) : answers(client);
}
