// Compares a new consent with the client's current grants.
#include "auth/consent.h"
#include "auth/kinds.h"
#include "auth/text_formatting.h"
#include "base/text/format.h"

#include <algorithm>

namespace ladder::auth {
namespace {

using Names = std::vector<std::string>;

constexpr std::size_t kShownFields = 10;

// The combined fields and times of one stream over all grants that include it.
struct Rights {
  std::string source_id, stream;
  Names fields, connections, records;
  std::optional<Instant> since, until;
  bool bounded = true;  // restricted to `records`
};

void merge(Names& into, const Names& more) {
  for (const std::string& name : more) {
    if (std::ranges::find(into, name) == into.end()) into.push_back(name);
  }
}

void add(std::vector<Rights>& all, const grant::Grant& grant) {
  for (const grant::StreamGrant& stream : grant.streams) {
    const std::optional<Instant> since = stream.time ? stream.time->since : std::nullopt;
    const std::optional<Instant> until = stream.time ? stream.time->until : std::nullopt;
    const auto known = std::ranges::find_if(
        all, [&](const Rights& one) { return one.source_id == grant.source_id && one.stream == stream.name; });
    if (known == all.end()) {
      all.push_back({grant.source_id, stream.name, stream.fields, stream.instance_ids, stream.resources, since, until,
                     !stream.resources.empty()});
      continue;
    }
    merge(known->fields, stream.fields);
    merge(known->connections, stream.instance_ids);
    merge(known->records, stream.resources);
    known->bounded = known->bounded && !stream.resources.empty();
    known->since = known->since && since ? std::optional(std::min(*known->since, *since)) : std::nullopt;
    known->until = known->until && until ? std::optional(std::max(*known->until, *until)) : std::nullopt;
  }
}

const Rights* find(const std::vector<Rights>& all, const Rights& like) {
  const auto found =
      std::ranges::find_if(all, [&](const Rights& one) { return one.source_id == like.source_id && one.stream == like.stream; });
  return found == all.end() ? nullptr : &*found;
}

Names without(const Names& names, const Names& others) {
  Names left;
  for (const std::string& name : names) {
    if (std::ranges::find(others, name) == others.end()) left.push_back(name);
  }
  return left;
}

std::string span_of(const Rights& rights) {
  std::string text;
  if (rights.since) text += " since " + day_text(*rights.since);
  if (rights.until) text += " before " + day_text(*rights.until);
  return text;
}

class Comparison {
 public:
  explicit Comparison(const Offer& offer) : offer_(offer) {}

  void compare(const Rights* before, const Rights* after) {
    const Rights& one = before ? *before : *after;
    const auto offered = std::ranges::find_if(offer_.streams, [&](const OfferedStream& stream) {
      return stream.source_id == one.source_id && stream.stream == one.stream;
    });
    const bool known = offered != offer_.streams.end();
    const std::string name = known ? format("{}: {}", offered->source_name, offered->label) : one.stream;
    const auto labels = [&](const Names& fields) { return known ? fields_text(*offered, fields, kShownFields) : listed(fields); };
    if (!before) return add_change(Change::Kind::kMore, name, labels(after->fields) + span_of(*after));
    if (!after) return add_change(Change::Kind::kLess, name, "all of it");
    const std::size_t said = changes_.size();
    const Names more = without(after->fields, before->fields), less = without(before->fields, after->fields);
    const Names kept = without(after->fields, more);
    if ((!more.empty() || !less.empty()) && !kept.empty()) add_change(Change::Kind::kSame, name, labels(kept));
    if (!more.empty()) add_change(Change::Kind::kMore, name, labels(more));
    if (!less.empty()) add_change(Change::Kind::kLess, name, labels(less));
    const auto account_names = [&](const Names& ids) {
      Names names;
      for (const std::string& id : ids) names.push_back(known ? account_name(*offered, id) : id);
      return listed(names);
    };
    const Names in = without(after->connections, before->connections), out = without(before->connections, after->connections);
    if (!in.empty()) add_change(Change::Kind::kMore, name, "of " + account_names(in));
    if (!out.empty()) add_change(Change::Kind::kLess, name, "of " + account_names(out));
    compare_spans(*before, *after, name);
    compare_records(*before, *after, name);
    if (changes_.size() == said) add_change(Change::Kind::kSame, name, labels(after->fields) + span_of(*after));
  }

  void compare_ends(std::optional<Instant> before, std::optional<Instant> after) {
    const auto text = [](std::optional<Instant> end) {
      return end ? "until " + day_text(*end) : std::string("until you revoke it");
    };
    const bool same_day = before && after && day_text(*before) == day_text(*after);
    if (before == after || same_day) return add_change(Change::Kind::kSame, "", text(after));
    const bool later = before && (!after || *after > *before);
    add_change(later ? Change::Kind::kMore : Change::Kind::kLess, "", format("{}; it was {}", text(after), text(before)));
  }

  std::vector<Change> take() { return std::move(changes_); }

 private:
  static std::string account_name(const OfferedStream& offered, const std::string& id) {
    const auto found = std::ranges::find(offered.accounts, id, &OfferedStream::Account::connection_id);
    return found == offered.accounts.end() ? id : found->name;
  }

  void compare_spans(const Rights& before, const Rights& after, const std::string& name) {
    if (before.since == after.since && before.until == after.until) return;
    const bool wider = (before.since && (!after.since || *after.since < *before.since)) ||
                       (before.until && (!after.until || *after.until > *before.until));
    const auto text = [](const Rights& rights) {
      const std::string span = span_of(rights);
      return span.empty() ? std::string("of all time") : span.substr(1);
    };
    add_change(wider ? Change::Kind::kMore : Change::Kind::kLess, name, format("{}; it was {}", text(after), text(before)));
  }

  void compare_records(const Rights& before, const Rights& after, const std::string& name) {
    if (before.bounded && !after.bounded) return add_change(Change::Kind::kMore, name, "every record; it was some");
    if (!before.bounded && after.bounded) return add_change(Change::Kind::kLess, name, "some records; it was every one");
    if (!after.bounded) return;
    if (const auto more = without(after.records, before.records); !more.empty()) {
      add_change(Change::Kind::kMore, name, format("{} more records", more.size()));
    }
    if (const auto less = without(before.records, after.records); !less.empty()) {
      add_change(Change::Kind::kLess, name, format("{} fewer records", less.size()));
    }
  }

  void add_change(Change::Kind kind, std::string of, std::string what) {
    changes_.push_back({kind, std::move(of), std::move(what)});
  }

  const Offer& offer_;
  std::vector<Change> changes_;
};

std::optional<Instant> latest_end(const std::vector<const grant::Grant*>& grants) {
  std::optional<Instant> latest;
  for (const grant::Grant* grant : grants) {
    if (!grant->expires_at) return std::nullopt;
    latest = latest ? std::max(*latest, *grant->expires_at) : *grant->expires_at;
  }
  return latest;
}

}  // namespace

std::vector<Change> difference(const Offer& offer, const std::vector<server::GrantSummary>& held, const Review& review,
                               bool replaces) {
  std::vector<Rights> before, after;
  std::vector<const grant::Grant*> old, now;
  for (const server::GrantSummary& one : held) {
    add(before, one.grant);
    old.push_back(&one.grant);
  }
  for (const grant::Grant& one : review.draft.grants) {
    add(after, one);
    now.push_back(&one);
  }
  // Grants that are not replaced remain in effect.
  if (!replaces) {
    for (const server::GrantSummary& one : held) {
      add(after, one.grant);
      now.push_back(&one.grant);
    }
  }
  Comparison comparison(offer);
  for (const Rights& rights : before) comparison.compare(&rights, find(after, rights));
  for (const Rights& rights : after) {
    if (!find(before, rights)) comparison.compare(nullptr, &rights);
  }
  comparison.compare_ends(latest_end(old), latest_end(now));
  return comparison.take();
}

}  // namespace ladder::auth
