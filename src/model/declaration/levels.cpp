// The levels of a stream: how much of it an owner shares, in steps that build on each other. A declaration names them; for
// a stream without, they follow from the roles of its fields, never from their names.
#include "base/text/format.h"
#include "model/declaration/declaration_parts.h"
#include "model/declaration/roles.h"
#include "model/quote.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace ladder::model {

std::string Field::label() const {
  if (!title.empty()) return title;
  std::string words = name;
  std::ranges::replace(words, '_', ' ');
  if (words.front() >= 'a' && words.front() <= 'z') words.front() = static_cast<char>(words.front() - 'a' + 'A');
  return words;
}

namespace parts {
namespace {

// Values of form fields, where they have another meaning.
constexpr std::array<std::string_view, 3> kReserved = {"off", "custom", "asked"};

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

std::string at_start(std::string text) {
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z') text.front() = static_cast<char>(text.front() - 'a' + 'A');
  return text;
}

bool says_when(const Stream& stream, const Field& field) {
  return roles::is_one_of(field.role, roles::kTime) || field.name == stream.consent_time_field;
}

bool says_what(const Stream& stream, const Field& field) {
  return roles::is_one_of(field.role, roles::kText) || field.hint == "text" || contains(stream.lexical_fields, field.name);
}

// The fields of a derived level, by what they say about a record: which one it is, what it says, and everything else.
enum class Share : std::uint8_t { kOverview, kText, kRest };

Share share_of(const Stream& stream, const Field& field) {
  const bool overview = says_when(stream, field) || roles::is_one_of(field.role, roles::kTitle) ||
                        roles::is_one_of(field.role, roles::kAuthor) || field.required ||
                        contains(stream.primary_key, field.name);
  return overview ? Share::kOverview : says_what(stream, field) ? Share::kText : Share::kRest;
}

// "Titles, people and dates": what the fields of the overview say. Empty if they say only when: dates alone are no useful level.
std::string overview_label(const Stream& stream) {
  const auto any = [&](auto is) { return std::ranges::any_of(stream.fields, is); };
  std::vector<std::string> parts;
  if (any([](const Field& field) { return roles::is_one_of(field.role, roles::kTitle); })) parts.emplace_back("titles");
  if (any([](const Field& field) { return roles::is_one_of(field.role, roles::kAuthor); })) parts.emplace_back("people");
  if (parts.empty()) return {};
  if (any([&](const Field& field) { return says_when(stream, field); })) parts.emplace_back("dates");
  std::string label;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    label += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + parts[i];
  }
  return at_start(label);
}

void derive(Stream& stream) {
  bool text = false, rest = false;
  for (const Field& field : stream.fields) {
    text = text || share_of(stream, field) == Share::kText;
    rest = rest || share_of(stream, field) == Share::kRest;
  }
  const std::string overview = overview_label(stream);
  if (!overview.empty() && (text || rest)) stream.levels.push_back({"overview", overview, "", {}});
  if (text && rest) stream.levels.push_back({"text", overview.empty() ? "Text" : "Text as well", "", {}});
  stream.levels.push_back({"all", "Everything", "", {}});
  for (Field& field : stream.fields) {
    const std::size_t lowest = stream.levels.size() - 1;
    const auto at = static_cast<std::size_t>(share_of(stream, field));
    field.is_text = share_of(stream, field) == Share::kText;
    const std::size_t missing = overview.empty() ? 1 : 0;
    field.level = stream.levels[std::min(lowest, at > missing ? at - missing : 0)].id;
  }
}

void fill(Stream& stream) {
  std::map<std::string_view, std::size_t> rank;
  for (std::size_t i = 0; i < stream.levels.size(); ++i) rank.emplace(stream.levels[i].id, i);
  const std::size_t last = stream.levels.size() - 1;
  for (const Field& field : stream.fields) {
    const std::size_t from = field.level.empty() ? last : rank.at(field.level);
    for (std::size_t i = from; i <= last; ++i) stream.levels[i].fields.push_back(field.name);
  }
}

// The checks of one stream's declared levels; `at` is the JSON pointer of its schema.
void check(Faults& faults, const Stream& stream, const std::string& at) {
  std::set<std::string_view> ids;
  for (std::size_t i = 0; i < stream.levels.size(); ++i) {
    const std::string& id = stream.levels[i].id;
    const bool reserved = std::ranges::find(kReserved, id) != kReserved.end();
    if (ids.insert(id).second && !reserved) continue;
    faults.add("invalid_member", format("{}/x_pdpp_levels/{}/id", at, i),
               reserved ? format("{} has another meaning; choose another id for the level", in_quotes(id))
                        : format("two levels have the id {}; rename one", in_quotes(id)));
  }
  for (const Field& field : stream.fields) {
    if (field.level.empty() || ids.contains(field.level)) continue;
    faults.add("invalid_member", child_pointer(child_pointer(child_pointer(at, "properties"), field.name), "x_pdpp_level"),
               format("{} has the level {}, which the stream does not have; declare it in x_pdpp_levels or correct it",
                      in_quotes(field.name), in_quotes(field.level)));
  }
}

// Gives a stream the levels of the one it belongs to.
void share_levels(Faults& faults, const SourceDeclaration& declaration, Stream& stream, const std::string& at) {
  const Stream* main = declaration.stream(stream.levels_of);
  if (main != nullptr && main->levels_of.empty() && !main->levels.empty() && stream.levels.empty()) {
    for (const Level& level : main->levels) stream.levels.push_back({level.id, level.label, level.detail, {}});
    return;
  }
  faults.add(
      "invalid_member", child_pointer(at, "x_pdpp_levels_of"),
      format("x_pdpp_levels_of names {}, which must be another stream with x_pdpp_levels, and excludes x_pdpp_levels here; "
             "correct it or remove one",
             in_quotes(stream.levels_of)));
}

}  // namespace

void set_levels(Faults& faults, SourceDeclaration& declaration, const std::string& pointer) {
  for (const bool belongs : {true, false}) {
    for (std::size_t index = 0; index < declaration.streams.size(); ++index) {
      Stream& stream = declaration.streams[index];
      if (stream.levels_of.empty() == belongs) continue;
      faults.set_subject(stream_subject(stream.name));
      const std::string at = format("{}/streams/{}/schema", pointer, index);
      if (belongs) share_levels(faults, declaration, stream, at);
      const bool declared =
          !stream.levels.empty() || std::ranges::any_of(stream.fields, [](const Field& field) { return !field.level.empty(); });
      if (declared) check(faults, stream, at);
      else derive(stream);
      for (Field& field : stream.fields) field.is_text = field.is_text || roles::is_one_of(field.role, roles::kText);
      faults.set_subject({});
    }
  }
  if (faults.any()) return;
  for (Stream& stream : declaration.streams) fill(stream);
}

}  // namespace parts
}  // namespace ladder::model
