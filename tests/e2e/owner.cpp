#include "owner.h"

#include "json/writer.h"

#include <fstream>

namespace ladder::e2e {

const std::string_view kNotesDeclaration = R"({
  "protocol_version": "0.1.0",
  "source": {"kind": "connector", "id": "https://sources.example/notes"},
  "declaration_version": "1",
  "publisher": {"id": "https://sources.example/"},
  "display": {"name": "Notes"},
  "streams": [
    {"name": "notes", "semantics": "mutable_state", "primary_key": ["id"], "consent_time_field": "updated_at",
     "selection": {"fields": true, "resources": true},
     "schema": {"type": "object", "required": ["id"], "properties": {
       "id": {"type": "string"}, "title": {"type": "string"}, "body": {"type": "string"}, "diary": {"type": "string"},
       "blocks": {"type": "array"}, "stars": {"type": "integer"}, "updated_at": {"type": "string", "format": "date-time"}}}},
    {"name": "log", "semantics": "append_only", "primary_key": ["id"], "selection": {"fields": true, "resources": false},
     "schema": {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}, "text": {"type": "string"}}}}]
})";

std::string searchable_notes_declaration() {
  std::string text(kNotesDeclaration);
  const std::string_view before = R"("selection": {"fields": true, "resources": true},)";
  text.insert(text.find(before), R"("query": {"search": {"lexical_fields": ["title", "body", "diary"]},
     "range_filters": {"updated_at": ["gte", "lt"]}}, )");
  const auto version = text.find(R"("declaration_version": "1")");
  text.replace(version, 26, R"("declaration_version": "2")");
  return text;
}

std::string note(std::string_view id, std::string_view body) {
  json::Writer line;
  line.begin_object().member("key", id).key("data").begin_object().member("id", id).member("title", "Note").member("body", body);
  line.member("diary", "secret").member("stars", 3).member("updated_at", "2026-04-01T00:00:00Z").end_object().end_object();
  return line.take() + "\n";
}

Owner::Owner(const std::string& engine) : place_(engine) {
  surroundings_.folder = place_.folder().path();
  surroundings_.environment["LADDER_DB"] = place_.location();
}

std::string Owner::write_file(std::string_view name, std::string_view text) const {
  std::ofstream(file(name), std::ios::binary) << text;
  return file(name).string();
}

Outcome Owner::done(const std::vector<std::string>& words, std::string_view input) const {
  Outcome outcome = ladder(words, input);
  EXPECT_EQ(outcome.exit_code, 0) << ::testing::PrintToString(words) << '\n' << outcome.summary();
  return outcome;
}

boost::json::value Owner::json(std::vector<std::string> words, std::string_view input) const {
  words.emplace_back("--json");
  return done(words, input).json();
}

void Owner::set_up() const {
  done({"init"});
  done({"source", "add", write_file("notes.json", kNotesDeclaration)});
  done({"connection", "add", "notes", "--id", "home", "--name", "At home"});
}

Outcome Owner::ingest(std::string_view lines, std::vector<std::string> more) const {
  std::vector<std::string> words = {"ingest", "--connection", "home", "--stream", "notes"};
  words.insert(words.end(), more.begin(), more.end());
  return ladder(words, lines);
}

namespace {

const boost::json::value* find(const boost::json::value& value, std::string_view pointer) {
  const boost::json::value* at = &value;
  while (!pointer.empty() && at != nullptr) {
    pointer.remove_prefix(1);
    const auto name = pointer.substr(0, pointer.find('/'));
    pointer.remove_prefix(name.size());
    if (const auto* object = at->if_object()) {
      at = object->if_contains(boost::json::string_view(name.data(), name.size()));
    } else if (const auto* array = at->if_array()) {
      const auto index = static_cast<std::size_t>(std::stoul(std::string(name)));
      at = index < array->size() ? &(*array)[index] : nullptr;
    } else {
      at = nullptr;
    }
  }
  return at;
}

}  // namespace

std::string text_at(const boost::json::value& value, std::string_view pointer) {
  const auto* found = find(value, pointer);
  if (found != nullptr && found->is_string()) return std::string(found->as_string());
  ADD_FAILURE() << "no text at " << pointer;
  return {};
}

std::int64_t number_at(const boost::json::value& value, std::string_view pointer) {
  const auto* found = find(value, pointer);
  if (found != nullptr && found->is_int64()) return found->as_int64();
  ADD_FAILURE() << "no number at " << pointer;
  return -1;
}

}  // namespace ladder::e2e
