#include "import/formats/flat/flat_plan.h"

#include "base/limits.h"
#include "base/text/format.h"
#include "json/parse.h"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <array>

namespace ladder::imports::flat {
namespace {

using boost::json::object;
using boost::json::value;

constexpr std::array<std::pair<std::string_view, FieldType>, 9> kTypes = {{{"text", FieldType::kText},
                                                                           {"person", FieldType::kPerson},
                                                                           {"url", FieldType::kUrl},
                                                                           {"integer", FieldType::kInteger},
                                                                           {"number", FieldType::kNumber},
                                                                           {"boolean", FieldType::kBoolean},
                                                                           {"time", FieldType::kTime},
                                                                           {"date", FieldType::kDate},
                                                                           {"list", FieldType::kList}}};

std::string text(const object& in, std::string_view name) {
  const value* const found = in.if_contains(name);
  const boost::json::string* const string = found ? found->if_string() : nullptr;
  return string ? std::string(string->data(), string->size()) : std::string();
}

bool flag(const object& in, std::string_view name) {
  const value* const found = in.if_contains(name);
  return found && found->is_bool() && found->get_bool();
}

// A text or a list of texts.
std::vector<std::string> texts(const value* from) {
  std::vector<std::string> all;
  if (!from) return all;
  if (from->is_string()) all.emplace_back(from->get_string());
  if (const auto* array = from->if_array()) {
    for (const value& each : *array) {
      if (each.is_string()) all.emplace_back(each.get_string());
    }
  }
  return all;
}

std::vector<std::string> texts(const object& in, std::string_view name) { return texts(in.if_contains(name)); }

template <class Use>
void each_object(const object& in, std::string_view name, const Use& use) {
  const value* const found = in.if_contains(name);
  const auto* const array = found ? found->if_array() : nullptr;
  if (!array) return;
  for (const value& each : *array) {
    if (const object* one = each.if_object()) use(*one);
  }
}

FieldPlan field_plan(const object& in) {
  FieldPlan field{text(in, "name"),  text(in, "title"), text(in, "about"),
                  text(in, "level"), text(in, "role"),  text(in, "belongs_to")};
  const std::string type = text(in, "type");
  const auto found = std::ranges::find(kTypes, std::string_view(type), &std::pair<std::string_view, FieldType>::first);
  if (found != kTypes.end()) field.type = found->second;
  field.search = flag(in, "search");
  field.group = flag(in, "group");
  field.copies = flag(in, "copies");
  field.markdown = flag(in, "markdown");
  return field;
}

ValuePlan value_plan(const value& in) {
  ValuePlan plan;
  const object* const object = in.if_object();
  if (!object) {
    plan.from = texts(&in);
    return plan;
  }
  plan.from = texts(*object, "from");
  plan.all = texts(*object, "all");
  if (object->contains("join")) plan.join = text(*object, "join");
  plan.value = text(*object, "value");
  plan.date = text(*object, "date");
  plan.zone = text(*object, "zone");
  if (text(*object, "decimal") == ",") plan.decimal = ',';
  plan.html = flag(*object, "html");
  plan.pieces = flag(*object, "pieces");
  plan.clock = flag(*object, "clock");
  plan.tail = flag(*object, "tail");
  plan.negate = flag(*object, "negate");
  const value* const cases = object->if_contains("cases");
  if (const auto* const list = cases ? cases->if_object() : nullptr) {
    for (const auto& [part, result] : *list)
      plan.cases.emplace_back(part, result.is_string() ? std::string(result.get_string()) : "");
  }
  return plan;
}

FilePlan file_plan(const object& in) {
  FilePlan file;
  file.stream = text(in, "stream");
  file.account = text(in, "account");
  const std::string kind = text(in, "kind");
  file.kind = kind == "json"    ? FilePlan::Kind::kJson
              : kind == "js"    ? FilePlan::Kind::kJs
              : kind == "lines" ? FilePlan::Kind::kLines
                                : FilePlan::Kind::kCsv;
  file.paths = texts(in, "paths");
  file.has = texts(in, "has");
  file.each = text(in, "each");
  file.id = texts(in, "id");
  file.id_more = texts(in, "id_more");
  file.id_prefix = text(in, "id_prefix");
  file.key = texts(in, "key");
  file.key_alone = text(in, "key_alone");
  if (const value* skip = in.if_contains("skip"); skip && skip->is_object()) {
    file.skip = text(skip->get_object(), "from");
    file.skip_reason = text(skip->get_object(), "reason");
  }
  if (const value* fields = in.if_contains("fields"); fields && fields->is_object()) {
    for (const auto& [name, from] : fields->get_object()) file.fields.emplace_back(name, value_plan(from));
  }
  return file;
}

Status check(const FlatPlan& plan) {
  const auto wrong = [&](std::string_view what) { return fail(Code::kInvalidRequest, format("{}: {}", plan.format, what)); };
  if (plan.format.empty() || plan.streams.empty() || plan.files.empty() || plan.levels.empty())
    return wrong("a member is missing");
  for (const StreamPlan& stream : plan.streams) {
    for (const FieldPlan& field : stream.fields) {
      const bool has_level = std::ranges::any_of(plan.levels, [&](const auto& level) { return level.id == field.level; });
      if (field.name.empty() || field.title.empty() || field.about.empty() || !has_level)
        return wrong(format("the field {} of {} has no title, description or level", field.name, stream.name));
    }
  }
  for (const FilePlan& file : plan.files) {
    const StreamPlan* const stream = plan.stream(file.stream);
    if (!stream || file.paths.empty() || file.has.empty() || (file.id.empty() && file.key.empty()))
      return wrong(format("a file of {} has no stream, path, beginning or key", file.stream));
    for (const auto& [name, from] : file.fields) {
      if (std::ranges::find(stream->fields, name, &FieldPlan::name) == stream->fields.end())
        return wrong(format("{} has no field {}", file.stream, name));
    }
  }
  return {};
}

}  // namespace

const StreamPlan* FlatPlan::stream(std::string_view wanted) const {
  const auto found = std::ranges::find(streams, wanted, &StreamPlan::name);
  return found == streams.end() ? nullptr : &*found;
}

Result<FlatPlan> read_flat_plan(std::string_view json) {
  LADDER_TRY(const value tree, json::parse(json, ladder::limits::kMaxDeclarationBytes, ladder::limits::kMaxJsonDepth));
  const object* const root = tree.if_object();
  if (!root) return fail(Code::kInvalidRequest, "not an object");
  FlatPlan plan{text(*root, "format"),
                text(*root, "name"),
                text(*root, "version"),
                text(*root, "what"),
                text(*root, "summary"),
                {},
                {},
                {}};
  each_object(*root, "levels", [&](const object& level) {
    plan.levels.push_back({text(level, "id"), text(level, "label"), text(level, "detail")});
  });
  each_object(*root, "streams", [&](const object& stream) {
    StreamPlan& added = plan.streams.emplace_back();
    added = {text(stream, "name"),  text(stream, "label"), text(stream, "detail"),
             text(stream, "about"), text(stream, "time"),  {}};
    each_object(stream, "fields", [&](const object& field) { added.fields.push_back(field_plan(field)); });
  });
  each_object(*root, "files", [&](const object& file) { plan.files.push_back(file_plan(file)); });
  LADDER_CHECK(check(plan));
  return plan;
}

}  // namespace ladder::imports::flat
