#include "import/formats/flat/flat_record.h"

#include "base/text/format.h"
#include "import/text/text.h"
#include "json/writer.h"

#include <algorithm>

namespace ladder::imports::flat {
namespace {

std::string joined(const std::vector<std::string>& texts, std::string_view between) {
  std::string all;
  for (const std::string& text : texts) all.append(all.empty() ? "" : between).append(text);
  return all;
}

std::string list_of(const std::vector<std::string>& texts) {
  json::Writer out;
  out.begin_array();
  for (const std::string& text : texts) out.string(text);
  return out.end_array().take();
}

}  // namespace

RecordMaker::RecordMaker(Tree& tree, EntryNo entry, const StreamPlan& stream, const FilePlan& file)
    : tree_(tree), entry_(entry), stream_(stream), file_(file), surroundings_(tree, entry) {
  for (const FieldPlan& field : stream.fields) {
    const auto found = std::ranges::find(file.fields, field.name, &std::pair<std::string, ValuePlan>::first);
    if (found != file.fields.end()) fields_.emplace_back(&field, &found->second);
  }
  if (std::ranges::any_of(fields_, [](const auto& field) { return field.second->date == "auto"; })) find_date_order();
}

void RecordMaker::find_date_order() {
  DateOrder order;
  NullSink quiet;
  const Status read = each_row(tree_, entry_, file_, 0, quiet, [&](const FlatRow& row, std::int64_t, std::int64_t) -> Status {
    for (const auto& [field, plan] : fields_) {
      if (plan->date == "auto") order.add(text(row, *plan));
    }
    return {};
  });
  order_ = order.order();
  ambiguous_ = !read || order.is_ambiguous();
}

std::vector<std::string> RecordMaker::values(const FlatRow& row, std::string_view path) const {
  return path.starts_with('@') || path.starts_with('#') ? surroundings_.values(path) : row.values(path);
}

// Returns the value as text; "" if there is none.
std::string RecordMaker::text(const FlatRow& row, const ValuePlan& plan) const {
  if (!plan.value.empty()) return plan.value;
  std::string found;
  for (const std::string& path : plan.from) {
    found = joined(values(row, path), plan.join);
    if (!found.empty()) break;
  }
  if (!plan.all.empty()) {
    std::vector<std::string> texts;
    for (const std::string& path : plan.all) {
      if (std::string one = joined(values(row, path), plan.join); !one.empty()) texts.push_back(std::move(one));
    }
    found = joined(texts, plan.join);
  }
  if (plan.cases.empty()) return found;
  for (const auto& [part, result] : plan.cases) {
    if (found.find(part) != std::string::npos) return result;
  }
  return {};
}

std::string RecordMaker::id_of(const FlatRow& row) {
  for (const std::string& path : file_.id) {
    std::string id = joined(values(row, path), "/");
    if (id.empty()) continue;
    for (const std::string& more : file_.id_more) id += "/" + joined(values(row, more), "/");
    constexpr std::size_t kLongest = 256;
    return file_.id_prefix + (id.size() <= kLongest ? id : digest_id({id}));
  }
  if (file_.key.empty()) return {};
  if (!file_.key_alone.empty()) {
    if (const std::string alone = joined(values(row, file_.key_alone), "/"); !alone.empty())
      return digest_id({file_.key_alone, alone});
  }
  std::string all;
  bool any = false;
  for (const std::string& path : file_.key) {
    const std::string value = joined(values(row, path), "/");
    any = any || !value.empty();
    all.append(value).push_back('\x1f');
  }
  return any ? ids_.next({file_.stream, all}) : std::string();
}

MadeRecord RecordMaker::make(const FlatRow& row) {
  MadeRecord made;
  if (!file_.skip.empty() && !values(row, file_.skip).empty()) {
    made.skipped = file_.skip_reason;
    return made;
  }
  const std::string id = id_of(row);
  if (id.empty()) {
    made.lost = format("a record without {}", file_.id.empty() ? joined(file_.key, ", ") : joined(file_.id, " or "));
    return made;
  }
  json::Writer out;
  out.begin_object().member("id", id);
  for (const auto& [field, plan] : fields_) {
    if (field->type == FieldType::kList) {
      std::vector<std::string> list;
      for (const std::string& path : plan->from) {
        if (list.empty()) list = values(row, path);
      }
      if (!list.empty()) out.key(field->name).raw(list_of(list));
      continue;
    }
    const std::string value = text(row, *plan);
    if (value.empty()) continue;
    auto written = json_of(value, field->type, *plan, plan->date == "auto" ? order_ : plan->date);
    if (!written) {
      made.unread.push_back(format("{}: {}", field->title, written.error()));
      continue;
    }
    if (*written == "\"\"") continue;
    const std::string zone = plan->zone.empty() ? std::string() : std::string(trim(joined(values(row, plan->zone), " ")));
    if (const auto local = zone.empty() ? std::nullopt : parse_time(std::string_view(*written).substr(1, written->size() - 2))) {
      const auto time = zone_.instant(zone, *local);
      if (time) written = format("\"{}\"", format_time(*time));
      else made.unread.push_back(format("{}: '{}' is no known time zone, so the time was read as UTC", field->title, zone));
    }
    out.key(field->name).raw(*written);
    if (field->name == stream_.time) made.time = parse_time(std::string_view(*written).substr(1, written->size() - 2));
  }
  made.data = out.end_object().take();
  return made;
}

}  // namespace ladder::imports::flat
