#include "relevance_collection.h"

#include "child.h"
#include "report.h"

#include "api/schema.h"
#include "base/text/format.h"
#include "json/scan/scan.h"
#include "json/writer.h"

#include <algorithm>
#include <fstream>

namespace ladder::bench {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDeclaration = R"({"protocol_version": "0.1.0",
  "source": {"kind": "connector", "id": "https://sources.example/papers"}, "declaration_version": "1",
  "publisher": {"id": "https://sources.example/"}, "display": {"name": "Papers"},
  "streams": [{"name": "papers", "semantics": "mutable_state", "primary_key": ["id"], "selection": {"fields": true, "resources": true},
    "query": {"search": {"lexical_fields": ["title", "text"]}},
    "schema": {"type": "object", "required": ["id"], "properties": {
      "id": {"type": "string"}, "title": {"type": "string", "x_pdpp_role": "primary-title"}, "text": {"type": "string"}}}}]})";

std::vector<std::string> lines_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) give_up("there is no " + file.string());
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) {
    if (!line.empty()) lines.push_back(line);
  }
  return lines;
}

// Returns a member as text, whatever its type.
std::string member(const std::string& object, std::string_view name) {
  const auto value = json::member(object, name);
  if (!value || value->kind == json::Kind::kNull) return {};
  return value->kind == json::Kind::kString ? json::decode_string(json::raw_content(*value)) : std::string(value->text);
}

// Judgments name imported records by names that no import changes: a Message-ID, a path, an attached file's name, or
// sender and time in a chat.
std::string life_name(const model::RecordRef& ref, const std::string& data) {
  if (ref.stream == "messages" && !member(data, "chat").empty())
    return format("chat:{}@{}", member(data, "author"), member(data, "sent_at").substr(0, 16));
  if (ref.stream == "messages") return "mail:" + member(data, "message_id");
  if (ref.stream == "attachments") return "attachment:" + member(data, "file_name");
  if (ref.stream == "notes") return "note:" + member(data, "path");
  if (ref.stream == "documents") return "document:" + member(data, "path");
  return {};
}

void run_ladder(const ScratchLocation& place, std::vector<std::string> words) {
  words.insert(words.begin(), LADDER_PROGRAM);
  words.insert(words.end(), {"--db", place.location(), "--owner", "local"});
  Child child(words);
  const std::string said = child.read_all();
  if (child.wait() != 0) give_up(words[1] + " failed: " + said);
}

}  // namespace

Collection::Collection(const fs::path& folder) : life_(!fs::exists(folder / "documents.ndjson")), place_("sqlite") {
  if (life_) import_life();
  else load_documents(folder / "documents.ndjson");
  read_questions(folder);
}

void Collection::load_documents(const fs::path& file) {
  scene_ = std::make_unique<Scene>(place_, Scene::Set::kUp);
  must(scene_->server().sources().add(scene_->owner(), kDeclaration, "papers"));
  must(scene_->server().sources().add_connection(scene_->owner(), "papers", "", "papers"));
  std::string records;
  for (const std::string& line : lines_of(file)) {
    const std::string key = member(line, "id");
    const std::string id = model::format_record_id({"papers", "papers", key});
    documents_.push_back({id, member(line, "title"), member(line, "text")});
    named_[key] = id;
    json::Writer record;
    record.begin_object().member("key", key).key("data").begin_object().member("id", key);
    record.member("title", documents_.back().title).member("text", documents_.back().text).end_object().end_object();
    records += record.take() + "\n";
  }
  scene_->ingest({"papers", "papers"}, records);
}

void Collection::import_life() {
  const fs::path life = LIFE_FOLDER;
  ::setenv("LADDER_CONFIG", "/dev/null", 1);  // NOLINT(concurrency-mt-unsafe): no other thread runs yet
  run_ladder(place_, {"init"});
  run_ladder(place_, {"import", (life / "mail.mbox").string(), (life / "chats").string(), (life / "notes").string()});
  scene_ = std::make_unique<Scene>(place_, Scene::Set::kAlready);
  read_imported();
}

// Reads every record with searchable fields as text: the floor searches the same words.
void Collection::read_imported() {
  const server::Access owner = scene_->owner();
  const api::SchemaView view = must(scene_->server().reads().schema(owner, {}));
  for (const api::SourceView& source : view.sources) {
    for (const api::StreamView& stream : source.streams) {
      std::vector<std::string> searched;
      for (const api::FieldView& field : stream.fields) {
        if (field.lexical_search.declared) searched.push_back(field.name);
      }
      if (searched.empty()) continue;
      const std::string title = api::roles_of(stream).title;
      api::RecordsRequest request;
      request.stream = stream.name;
      request.scope.connector_key = source.connector_key;
      request.limit = 100;
      do {
        const api::RecordsPage page = must(scene_->server().reads().records(owner, request));
        for (const api::Record& record : page.records) {
          JudgedDocument document{model::format_record_id(record.ref), member(record.data, title), {}};
          for (const std::string& field : searched) {
            if (field != title) document.text += member(record.data, field) + "\n";
          }
          if (!named_.emplace(life_name(record.ref, record.data), document.id).second)
            give_up("two records are called " + life_name(record.ref, record.data));
          documents_.push_back(std::move(document));
        }
        request.cursor = page.next_cursor;
      } while (!request.cursor.empty());
    }
  }
}

void Collection::read_questions(const fs::path& folder) {
  std::map<std::string, std::map<std::string, int>> grades;
  for (const std::string& line : lines_of(folder / "judgments.tsv")) {
    const std::size_t first = line.find_first_of("\t "), last = line.find_last_of("\t ");
    if (first == line.npos || first == last) give_up("judgments.tsv: no judgment: " + line);
    const std::string name = line.substr(first + 1, last - first - 1);
    const auto document = named_.find(name);
    if (document == named_.end()) {
      if (life_) give_up("judgments.tsv names a record that is not there: " + name);
      continue;  // public collections judge documents that they do not contain
    }
    grades[line.substr(0, first)][document->second] = std::atoi(line.c_str() + last + 1);
  }
  for (const std::string& line : lines_of(folder / "queries.ndjson")) {
    JudgedQuestion question{member(line, "id"), member(line, "language"), member(line, "text"), {}};
    question.grades = grades[question.id];
    if (question.grades.empty() && life_) give_up("nobody judged question " + question.id);
    questions_.push_back(std::move(question));
  }
}

std::vector<std::string> Collection::ask(const std::string& words) {
  api::SearchRequest request;
  request.q = words;
  request.limit = 10;
  const auto page = scene_->server().search().find(scene_->owner(), request);
  std::vector<std::string> ids;
  if (!page) return ids;  // a rejected query has no hits
  for (const api::SearchHit& hit : page->hits) ids.push_back(model::format_record_id(hit.ref));
  return ids;
}

}  // namespace ladder::bench
