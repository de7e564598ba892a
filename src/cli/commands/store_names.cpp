#include "cli/commands/store_names.h"

#include "base/text/format.h"
#include "base/text/nearest.h"
#include "base/text/visible_text.h"
#include "cli/invocation/command_line.h"

#include <algorithm>

namespace ladder::cli {
namespace {

void add_once(std::vector<Candidate>& found, std::string text, std::string help) {
  if (std::ranges::find(found, text, &Candidate::text) == found.end()) found.push_back({std::move(text), std::move(help)});
}

}  // namespace

StoreNames::StoreNames(const Context& context, const std::vector<std::string>& words) : context_(context), words_(words) {}

std::vector<Candidate> StoreNames::find(Values values, std::string_view before) {
  if (!open()) return {};
  switch (values) {
    case Values::kConnections:
      return connections();
    case Values::kSources:
      return sources();
    case Values::kGrants:
      return grants();
    case Values::kTokens:
      return tokens();
    case Values::kClients:
      return clients();
    case Values::kStreams:
      return streams();
    case Values::kRecords:
      return streams_of_connections(":");
    case Values::kFieldOf:
      return fields_of(before, "");
    case Values::kFieldFilter:
      return fields_of(before, "=");
    case Values::kStreamFields: {
      const std::size_t colon = before.find(':');
      if (colon != std::string_view::npos) return field_list(before.substr(0, colon), before);
      std::vector<Candidate> found = streams();
      for (Candidate& one : streams_of_connections("")) found.push_back(std::move(one));
      return found;
    }
    default:
      return {};
  }
}

// Returns the value of a flag that takes one.
std::optional<std::string> StoreNames::value_of(std::string_view flag) const {
  std::optional<std::string> value;
  for (std::size_t i = 0; i < words_.size(); ++i) {
    if (words_[i] == flag && i + 1 < words_.size()) value = words_[i + 1];
    if (words_[i].starts_with(std::string(flag) + "=")) value = words_[i].substr(flag.size() + 1);
  }
  return value;
}

bool StoreNames::open() {
  if (tried_) return owner_.has_value();
  tried_ = true;
  CommonFlags flags;
  flags.db = value_of("--db");
  flags.owner = value_of("--owner");
  const auto settings = resolve_settings(flags, context_.environment);
  if (!settings) return false;
  auto session = Session::open(*settings);
  if (!session) return false;
  auto owner = (*session)->owner();
  if (!owner) return false;
  session_ = std::move(*session);
  owner_.emplace(std::move(*owner));
  return true;
}

std::vector<Candidate> StoreNames::connections() {
  std::vector<Candidate> found;
  if (const auto all = session_->server().sources().connections(*owner_)) {
    for (const auto& one : *all) add_once(found, one.connection_id, one.display_name.empty() ? one.source_key : one.display_name);
  }
  return found;
}

std::vector<Candidate> StoreNames::sources() {
  std::vector<Candidate> found;
  if (const auto all = session_->server().sources().documents(*owner_)) {
    for (const auto& one : *all) add_once(found, one.key, one.source_id);
  }
  return found;
}

std::vector<Candidate> StoreNames::grants() {
  std::vector<Candidate> found;
  if (const auto all = session_->server().grants().list(*owner_)) {
    for (const auto& one : *all) add_once(found, one.row.grant_id, one.row.client_id + ", " + one.status);
  }
  return found;
}

std::vector<Candidate> StoreNames::tokens() {
  std::vector<Candidate> found;
  if (const auto all = session_->server().owner_tokens().list(*owner_)) {
    for (const auto& one : *all) add_once(found, one.token_id, one.status);
  }
  return found;
}

std::vector<Candidate> StoreNames::clients() {
  std::vector<Candidate> found;
  if (const auto all = session_->server().grants().list(*owner_)) {
    for (const auto& one : *all) {
      if (one.status == "active") add_once(found, one.row.client_id, "");
    }
  }
  return found;
}

const api::SchemaView& StoreNames::schema() {
  if (!schema_) {
    api::SchemaRequest request;
    request.counted = false;
    auto view = session_->server().reads().schema(*owner_, request);
    schema_ = view ? std::move(*view) : api::SchemaView();
  }
  return *schema_;
}

std::vector<Candidate> StoreNames::streams() {
  std::vector<Candidate> found;
  for (const api::SourceView& source : schema().sources) {
    for (const api::StreamView& stream : source.streams) add_once(found, stream.name, stream.label);
  }
  return found;
}

std::vector<Candidate> StoreNames::streams_of_connections(std::string_view behind) {
  std::vector<Candidate> found;
  for (const api::SourceView& source : schema().sources) {
    for (const api::StreamView& stream : source.streams) {
      for (const api::ConnectionView& connection : stream.connections)
        add_once(found, connection.connection_id + "/" + stream.name + std::string(behind), stream.label);
    }
  }
  return found;
}

// Returns the fields of STREAM, STREAM:KEY or CONNECTION/STREAM:KEY, of one connection if it is named there or by --connection.
std::vector<Candidate> StoreNames::fields_of(std::string_view record, std::string_view behind) {
  const std::string_view whole = record.substr(0, record.find(':'));
  const std::size_t slash = whole.find('/');
  const std::string_view name = whole.substr(slash == std::string_view::npos ? 0 : slash + 1);
  const std::string connection =
      slash == std::string_view::npos ? value_of("--connection").value_or("") : std::string(whole.substr(0, slash));
  const auto is_meant = [&](const api::StreamView& stream) {
    return stream.name == name &&
           (connection.empty() ||
            std::ranges::find(stream.connections, connection, &api::ConnectionView::connection_id) != stream.connections.end());
  };
  std::vector<Candidate> found;
  for (const api::SourceView& source : schema().sources) {
    for (const api::StreamView& stream : source.streams) {
      if (!is_meant(stream)) continue;
      for (const api::FieldView& field : stream.fields) add_once(found, field.name + std::string(behind), field.type);
    }
  }
  return found;
}

// Completes the last field of a list: `typed` is "notes:title,bo". Fields already in the list are not offered again.
std::vector<Candidate> StoreNames::field_list(std::string_view stream, std::string_view typed) {
  const std::string front(typed.substr(0, typed.find_last_of(":,") + 1));
  const std::string given = "," + front.substr(front.find(':') + 1);
  std::vector<Candidate> found = fields_of(stream, "");
  std::erase_if(found, [&](const Candidate& one) { return given.find("," + one.text + ",") != std::string::npos; });
  for (Candidate& one : found) one.text.insert(0, front);
  return found;
}

namespace {

constexpr std::size_t kListedNames = 12;

// The valid names, if they are few. Keys of records are not names, and messages list fixed words already.
std::string list_of_names(const std::vector<std::string>& names, Values values) {
  if (names.empty() || names.size() > kListedNames || values == Values::kRecords || values == Values::kChoices) return {};
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + visible_label(name);
  return "choose one of: " + list;
}

}  // namespace

std::string name_advice(const std::vector<std::string>& words, const Context& context, bool lists) {
  if (std::ranges::any_of(words, [](const std::string& word) { return word == "--token" || word.starts_with("--token="); }))
    return {};
  StoreNames store(context, words);
  for (const NamedValue& value : named_values(words)) {
    std::vector<std::string> names = value.choices;
    // Ids of grants and tokens are random. A similar id is a different one, and a suggestion might revoke the wrong one.
    const bool any = value.values == Values::kText || value.values == Values::kFiles || value.values == Values::kFolders;
    const bool is_suggested_elsewhere = value.values == Values::kFormats;  // the parser suggests formats itself
    if (any || is_suggested_elsewhere || value.values == Values::kGrants || value.values == Values::kTokens) continue;
    if (value.values != Values::kChoices) {
      for (Candidate& one : store.find(value.values, value.before)) names.push_back(std::move(one.text));
    }
    if (std::ranges::find(names, value.text) != names.end()) continue;
    const std::vector<std::string_view> views(names.begin(), names.end());
    if (const std::string_view near = nearest(value.text, views); !near.empty())
      return format("did you mean '{}'?", visible_label(near));
    if (std::string list = list_of_names(names, value.values); lists && !list.empty()) return list;
  }
  return {};
}

}  // namespace ladder::cli
