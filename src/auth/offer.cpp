// Builds the offer of a consent page: the streams that can be granted, and the initial selection.
#include "auth/body.h"
#include "auth/consent.h"
#include "base/text/format.h"
#include "server/resource_server.h"

#include <algorithm>

namespace ladder::auth {
namespace {

bool contains(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

bool is_time(const api::StreamView& stream, const std::string& name) {
  const auto field = std::ranges::find(stream.fields, name, &api::FieldView::name);
  return field != stream.fields.end() && Body(field->schema_json).text("format").starts_with("date");
}

OfferedStream offered_of(const api::SourceView& source, const api::StreamView& stream) {
  OfferedStream offered;
  offered.source_key = source.connector_key;
  offered.source_name = source.display_name.empty() ? source.connector_key : source.display_name;
  offered.source_id = source.source_id;
  offered.stream = stream.name;
  offered.label = stream.label.empty() ? stream.name : stream.label;
  offered.has_time = !stream.consent_time_field.empty();
  offered.time_field = stream.consent_time_field;
  offered.has_field_choice = stream.select_fields;
  if (is_time(stream, stream.cursor_field)) offered.sorted_by = stream.cursor_field;
  const auto required = Body(stream.schema_json).texts("required");
  for (const api::FieldView& field : stream.fields) {
    const bool forced = contains(required, field.name) || contains(stream.primary_key, field.name);
    offered.fields.push_back({.name = field.name,
                              .label = field.label.empty() ? field.name : field.label,
                              .level = field.level,
                              .role = field.role,
                              .forced = forced,
                              .is_text = field.is_text,
                              .technical = field.level.empty() || field.identifies_group});
  }
  for (const api::ConnectionView& connection : stream.connections) {
    const std::string name = connection.display_name.empty() ? connection.connection_id : connection.display_name;
    offered.accounts.push_back({connection.connection_id, name, connection.record_count, false});
  }
  offered.views = stream.views;
  offered.levels = stream.levels;
  offered.part_of = stream.levels_of;
  offered.records = api::records_in(stream);
  return offered;
}

// Returns the fields requested by name or by view; nullopt if the stream lacks the view.
std::optional<std::vector<std::string>> asked_fields(const OfferedStream& offered, const RequestedStream& asked) {
  if (asked.view.empty()) return asked.fields;
  const auto view = std::ranges::find(offered.views, asked.view, &model::View::id);
  if (view == offered.views.end()) return std::nullopt;
  return view->fields;
}

// Returns false if the request names an unknown view; the stream is then not granted.
bool mark_stream(OfferedStream& offered, const RequestedStream& asked) {
  const auto fields = asked_fields(offered, asked);
  if (!fields) return false;
  offered.asked = true;
  offered.required = offered.required || asked.required;
  offered.asked_since = asked.since;
  offered.asked_until = asked.until;
  offered.asked_records = asked.records;
  for (OfferedField& field : offered.fields) {
    if (fields->empty() || contains(*fields, field.name)) field.asked = true;
  }
  for (OfferedStream::Account& account : offered.accounts) {
    if (asked.connection_ids.empty() || contains(asked.connection_ids, account.connection_id)) account.asked = true;
  }
  return true;
}

void mark_asked(Offer& offer, const std::vector<RequestedSource>& asked) {
  for (const RequestedSource& source : asked) {
    for (const RequestedStream& stream : source.streams) {
      bool found = false;
      for (OfferedStream& offered : offer.streams) {
        const bool of_source = offered.source_id == source.source || offered.source_key == source.source;
        if (!of_source || (stream.name != "*" && stream.name != offered.stream)) continue;
        found = mark_stream(offered, stream) || found;
      }
      if (!found) offer.missing.push_back(format("{} of {}", stream.name, source.source));
    }
  }
}

const OfferedStream* find(const Offer& offer, std::string_view id) {
  const auto found = std::ranges::find_if(offer.streams, [&](const OfferedStream& stream) { return stream.id() == id; });
  return found == offer.streams.end() ? nullptr : &*found;
}

}  // namespace

bool wants_training(const std::vector<RequestedSource>& asked) {
  return std::ranges::any_of(asked, [](const RequestedSource& source) { return source.purpose_code == kTrainingPurpose; });
}

Result<Offer> make_offer(server::ResourceServer& server, const server::Access& owner, const std::vector<RequestedSource>& asked,
                         const std::vector<server::GrantSummary>& held) {
  LADDER_TRY(const auto view, server.reads().schema(owner, {}));
  Offer offer;
  for (const api::SourceView& source : view.sources) {
    for (const api::StreamView& stream : source.streams) {
      if (!stream.connections.empty()) offer.streams.push_back(offered_of(source, stream));
    }
  }
  mark_asked(offer, asked);
  for (const server::GrantSummary& grant : held) {
    for (const grant::StreamGrant& stream : grant.grant.streams) {
      for (OfferedStream& offered : offer.streams) {
        if (offered.source_id != grant.grant.source_id || offered.stream != stream.name) continue;
        for (OfferedField& field : offered.fields) {
          if (stream.allows_field(field.name)) field.granted_before = true;
        }
      }
    }
  }
  // Requested streams come first.
  std::ranges::stable_sort(offer.streams, {}, [](const OfferedStream& s) { return s.required ? 0 : s.asked ? 1 : 2; });
  return offer;
}

Choices required_choices(const Offer& offer) {
  Choices choices;
  for (const OfferedStream& stream : offer.streams) {
    if (!stream.required) continue;
    ChosenStream chosen{stream.id(), {}, {}};
    std::vector<std::string> asked_accounts;
    for (const OfferedStream::Account& account : stream.accounts) {
      if (account.asked) asked_accounts.push_back(account.connection_id);
    }
    // If several accounts qualify and none was named, the owner must choose.
    if (asked_accounts.size() == 1) chosen.connection_ids = asked_accounts;
    for (const OfferedField& field : stream.fields) {
      if (field.asked) chosen.fields.push_back(field.name);
    }
    choices.streams.push_back(std::move(chosen));
  }
  return choices;
}

Choices held_choices(const Offer& offer, const std::vector<server::GrantSummary>& held) {
  Choices choices;
  choices.period = choices.duration = choices.budget = "held";
  for (const server::GrantSummary& grant : held) {
    for (const grant::StreamGrant& stream : grant.grant.streams) {
      for (const OfferedStream& offered : offer.streams) {
        if (offered.source_id != grant.grant.source_id || offered.stream != stream.name) continue;
        ChosenStream chosen{offered.id(), stream.instance_ids, {}};
        for (const OfferedField& field : offered.fields) {
          if (stream.allows_field(field.name)) chosen.fields.push_back(field.name);
        }
        std::erase_if(choices.streams, [&](const ChosenStream& one) { return one.id == chosen.id; });
        choices.streams.push_back(std::move(chosen));
      }
    }
  }
  fill_held(choices, offer, held);
  return choices;
}

Choices wider_choices(const Offer& offer, const std::vector<server::GrantSummary>& held) {
  Choices choices = held_choices(offer, held);
  const auto add = [](std::vector<std::string>& into, const std::vector<std::string>& more) {
    for (const std::string& name : more) {
      if (!contains(into, name)) into.push_back(name);
    }
  };
  for (ChosenStream& asked : required_choices(offer).streams) {
    const auto known = std::ranges::find(choices.streams, asked.id, &ChosenStream::id);
    if (known == choices.streams.end()) {
      choices.streams.push_back(std::move(asked));
      continue;
    }
    add(known->fields, asked.fields);
    add(known->connection_ids, asked.connection_ids);
  }
  return choices;
}

void fill_held(Choices& choices, const Offer& offer, const std::vector<server::GrantSummary>& held) {
  if (choices.duration == "held") {
    const auto later = [](std::optional<Instant> a, std::optional<Instant> b) {
      return a && b ? std::max(*a, *b) : std::optional<Instant>();
    };
    choices.ends.reset();
    choices.held.clear();
    bool first = true;
    for (const server::GrantSummary& one : held) {
      choices.ends = first ? one.grant.expires_at : later(choices.ends, one.grant.expires_at);
      first = false;
      const server::GrantTerms its{one.grant.expires_at, one.grant.single_use, one.grant.purpose_code,
                                   one.grant.purpose_description};
      const auto [known, is_new] = choices.held.try_emplace(one.grant.source_id, its);
      if (is_new) continue;
      // Several grants of one source become one, with the strictest terms.
      known->second.expires_at = later(known->second.expires_at, its.expires_at);
      known->second.single_use = known->second.single_use || its.single_use;
    }
  }
  if (choices.period != "held") return;
  for (ChosenStream& chosen : choices.streams) {
    const OfferedStream* offered = find(offer, chosen.id);
    for (const server::GrantSummary& one : held) {
      for (const grant::StreamGrant& stream : one.grant.streams) {
        if (!offered || offered->source_id != one.grant.source_id || offered->stream != stream.name || !stream.time) continue;
        chosen.since = stream.time->since;
        chosen.until = stream.time->until;
      }
    }
  }
}

std::optional<std::int64_t> held_budget(const std::map<std::string, server::ReadBudget>& budgets,
                                        const std::vector<server::GrantSummary>& held) {
  std::optional<std::int64_t> least;
  for (const server::GrantSummary& one : held) {
    const auto found = budgets.find(one.grant.grant_id);
    if (found == budgets.end()) return std::nullopt;
    least = least ? std::min(*least, found->second.chars) : found->second.chars;
  }
  return least;
}

void fill_budget(Choices& choices, std::optional<std::int64_t> held) {
  choices.chars_a_day.reset();
  if (choices.budget == "held") choices.chars_a_day = held;
  if (choices.budget == "held" || choices.budget == "none") return;
  constexpr std::size_t kMaxDigits = 12;
  std::string digits;
  for (const char c : choices.budget) {
    if (c >= '0' && c <= '9') digits += c;
    else if (c != ',' && c != ' ' && c != '.') digits = std::string(kMaxDigits + 1, '0');
  }
  choices.chars_a_day = digits.empty() || digits.size() > kMaxDigits ? 0 : std::stoll(digits);
}

}  // namespace ladder::auth
