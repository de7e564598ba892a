// What an agent does, without the model: it reads the text of an answer and makes the call that stands in it.
//   agent URL walk       from a search to its evidence, and on through the field
//   agent URL answers    what every tool says, as Markdown, for docs/mcp.md
// The token is in LADDER_TOKEN.
#include "client.h"

#include <boost/json.hpp>

#include "base/format.h"

#include <cstdlib>
#include <iostream>
#include <regex>

namespace {

using demo::Call;
using ladder::format;

[[noreturn]] void give_up(const std::string& why) {
  std::cerr << "agent: " << why << '\n';
  std::exit(1);
}

// --- the walk ---

bool colours() { return std::getenv("LADDER_DEMO_COLOURS") != nullptr; }

std::string show(demo::Client& client, const std::string& why, const Call& call) {
  std::cout << '\n' << why << '\n';
  std::cout << (colours() ? "\x1b[36m" : "") << "> " << call.tool << ' ' << call.arguments << (colours() ? "\x1b[0m" : "")
            << '\n';
  std::string text = client.call(call);
  std::cout << text << std::endl;
  return text;
}

// The call behind a word at the start of a line, such as "next: read_record_field args={…}".
Call call_after(const std::string& text, const std::string& word) {
  const std::size_t at = text.find("\n" + word + ": ");
  const auto calls = demo::calls_in(at == text.npos ? std::string_view() : std::string_view(text).substr(at));
  if (calls.empty()) give_up("the answer offers no " + word);
  return calls.front();
}

// The call that a window's header leads back by: its cursor, with the record and field that it names.
Call call_back(const std::string& text) {
  const auto header = boost::json::parse(text.substr(0, text.find('\n')));
  if (!header.at("previous_cursor").is_string()) give_up("the answer offers no way back");
  return {"read_record_field", boost::json::serialize(boost::json::object{{"id", header.at("id")},
                                                                          {"field_path", header.at("field_path")},
                                                                          {"cursor", header.at("previous_cursor")},
                                                                          {"limit_chars", 400}})};
}

// The same call for a window that fits on a screen; the calls that follow keep its length.
Call shorter(Call call) {
  call.arguments.insert(call.arguments.size() - 1, R"(,"limit_chars":400)");
  return call;
}

int walk(demo::Client& client) {
  std::string names;
  for (const std::string& name : client.tools()) names += (names.empty() ? "" : ", ") + name;
  std::cout << "Connected to " << client.server() << ". Its tools: " << names << ".\n";
  const std::string found =
      show(client, "Where is the spare key? Search the owner's words.", {"search", R"({"query":"spare key"})"});
  const auto calls = demo::calls_in(found);
  if (calls.empty()) give_up("the search offers no evidence");
  std::string window =
      show(client, "The hit says which field, which chars of how many, and how to read it there.", shorter(calls.front()));
  for (const char* why : {"The window says how to go on. So it does.", "And on."})
    window = show(client, why, call_after(window, "next"));
  show(client, "And back.", call_back(window));
  show(client, "What was not granted stays closed, and the answer says so.",
       {"read_record_field", R"({"id":"notes-home/documents:ledger-of-tides","field_path":"private_remark"})"});
  return 0;
}

// --- the answers for the documentation ---

// Cursors and the keys of fences differ from store to store and mean nothing to a reader.
std::string without_secrets(const std::string& text) {
  static const std::regex cursor(R"(A[QgA][A-Za-z0-9_-]{40,})"), fence("owner-data [0-9a-f]{12}");
  return std::regex_replace(std::regex_replace(text, cursor, "Ag…"), fence, "owner-data 72095a55002b");
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
  if ((what != "walk" && what != "answers") || token == nullptr) {
    std::cerr << "usage: LADDER_TOKEN=… agent URL walk|answers\n";
    return 64;
  }
  demo::Client client(words[1], token);
  return what == "walk" ? walk(client) : answers(client);
}
