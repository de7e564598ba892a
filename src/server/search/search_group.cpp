#include "server/search/search_group.h"

#include "base/text/base64.h"
#include "base/text/bytes.h"
#include "json/scan/scan.h"

#include <algorithm>

namespace ladder::server {
namespace {

// A group id consists of parts separated by dots: "g" and 64 bits of a digest per group name, "w" and 64 bits for a
// wording, "n" and a sketch for near-duplicates.
constexpr char kOfGroup = 'g', kOfWording = 'w', kOfSketch = 'n', kBetween = '.';
constexpr std::size_t kDigestChars = 11;
constexpr std::size_t kMaxGroupNames = 8;

std::string digest(std::uint64_t value) {
  std::string bytes;
  put_u64_be(bytes, value);
  return base64url::encode(bytes);
}

std::string id_of_group(std::string_view group) { return digest(Checksum().add(group).value()); }

std::string sketch_text(const text::NearSketch& sketch) {
  std::string bytes;
  for (std::size_t i = 0; i < sketch.size(); i += 2) put_u64_be(bytes, std::uint64_t{sketch[i]} << 32 | sketch[i + 1]);
  return base64url::encode(bytes);
}

// Returns an empty sketch if the text is malformed.
text::NearSketch sketch_of(std::string_view text) {
  const auto bytes = base64url::decode(text);
  if (!bytes || bytes->size() != text::kSketchHashes * sizeof(std::uint32_t)) return {};
  text::NearSketch sketch;
  for (std::size_t at = 0; at < bytes->size(); at += sizeof(std::uint64_t)) {
    const std::uint64_t two = get_u64_be(std::string_view(*bytes).substr(at));
    sketch.insert(sketch.end(), {static_cast<std::uint32_t>(two >> 32), static_cast<std::uint32_t>(two)});
  }
  return std::ranges::is_sorted(sketch) ? sketch : text::NearSketch();
}

bool names_group(const model::Field& field) { return !field.belongs_to.empty(); }

bool points_at(const model::Stream& part, const model::Stream& whole, const std::string& field) {
  const auto by = [&](const model::Stream& from, const model::Stream& to, bool has_many) {
    return std::ranges::any_of(from.relationships, [&](const model::Relationship& relationship) {
      return relationship.stream == to.name && relationship.foreign_key == field && relationship.has_many == has_many;
    });
  };
  return by(part, whole, false) || by(whole, part, true);
}

}  // namespace

GroupRule group_rule(const model::SourceDeclaration& source, const model::Stream& stream, const grant::StreamGrant* granted) {
  GroupRule rule;
  for (const model::Field& field : stream.fields) {
    if (!names_group(field) || (!rule.label.empty() && field.belongs_to != rule.label)) continue;
    if (granted && !granted->allows_field(field.name)) continue;
    rule.label = field.belongs_to;
    rule.fields.push_back(field.name);
  }
  if (rule.any() || std::ranges::any_of(stream.fields, names_group)) return rule;
  for (const model::Stream& part : source.streams) {
    for (const model::Field& field : part.fields) {
      if (names_group(field) && &part != &stream && points_at(part, stream, field.name)) return {field.belongs_to, {}};
    }
  }
  return {};
}

std::vector<std::string> groups_of(const GroupRule& rule, std::string_view connection_id, const store::RecordRow& record) {
  if (!rule.any()) return {};
  std::string stem;
  for (const std::string_view part : {connection_id, std::string_view(rule.label)}) put_sized(stem, part);
  if (rule.fields.empty()) return {stem + record.key};
  std::vector<std::string> groups;
  for (const std::string& field : rule.fields) {
    const auto value = json::member(record.body, field);
    if (!value || (value->kind != json::Kind::kString && value->kind != json::Kind::kNumber)) continue;
    const bool is_text = value->kind == json::Kind::kString;
    const std::string name = is_text ? json::decode_string(json::raw_content(*value)) : std::string(value->text);
    if (!name.empty()) groups.push_back(stem + name);
  }
  return groups;
}

std::uint64_t wording_of(std::span<const store::SearchedText> texts, const store::WordScope& scope, bool is_part) {
  const text::WordColumns own = is_part ? scope.columns & ~scope.context : 0;
  const text::WordColumns compared = scope.copies != 0 ? scope.copies : own;
  Checksum sum;
  bool any = false;
  for (const store::SearchedText& text : texts) {
    if ((compared >> text.column & 1) == 0 || (!text.ref && text.text.empty())) continue;
    any = true;
    sum.add(std::int64_t{text.column});
    if (text.ref) sum.add(std::string_view(reinterpret_cast<const char*>(text.ref->digest.data()), text.ref->digest.size()));
    else sum.add(text.text);
  }
  return any ? std::max<std::uint64_t>(sum.value(), 1) : 0;
}

std::string group_id(std::span<const std::string> groups, std::optional<std::uint64_t> wording, const text::NearSketch& sketch) {
  std::string id;
  const auto add = [&](char kind, const std::string& text) {
    if (!id.empty()) id += kBetween;
    (id += kind) += text;
  };
  for (const std::string& group : groups.first(std::min(groups.size(), kMaxGroupNames))) add(kOfGroup, id_of_group(group));
  if (wording) add(kOfWording, digest(*wording));
  if (!sketch.empty()) add(kOfSketch, sketch_text(sketch));
  return id;
}

Result<GroupChoice> GroupChoice::parse(std::string_view id) {
  GroupChoice choice;
  bool good = !id.empty();
  for (std::string_view rest = id; good && !rest.empty();) {
    const std::string_view part = rest.substr(0, rest.find(kBetween)), text = part.substr(std::min<std::size_t>(part.size(), 1));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    good = text.size() == kDigestChars && choice.groups_.size() < kMaxGroupNames;
    if (part.starts_with(kOfGroup)) {
      choice.groups_.emplace_back(text);
    } else if (part.starts_with(kOfWording)) {
      choice.wording_ = text;
    } else {
      choice.sketch_ = part.starts_with(kOfSketch) ? sketch_of(text) : text::NearSketch();
      good = !choice.sketch_.empty();
    }
  }
  if (good) return choice;
  return fail(Code::kInvalidRequest, "group is not valid; use the group id of a hit, or leave it out", "group");
}

bool GroupChoice::has(const std::string& group) const {
  return !groups_.empty() && std::ranges::find(groups_, id_of_group(group)) != groups_.end();
}

bool GroupChoice::widen(std::span<const std::string> groups) {
  const auto is_known = [this](const std::string& group) { return has(group); };
  if (std::ranges::none_of(groups, is_known) || std::ranges::all_of(groups, is_known)) return false;
  for (const std::string& group : groups) {
    if (!is_known(group)) groups_.push_back(id_of_group(group));
  }
  return true;
}

bool GroupChoice::takes(const text::RankedText& reading, const text::NearSketch& sketch) const {
  if (std::ranges::any_of(reading.groups, [this](const std::string& group) { return has(group); })) return true;
  const bool same = !wording_.empty() && reading.wording != 0 && digest(reading.wording) == wording_;
  return same || text::nearly_same(sketch_, sketch);
}

}  // namespace ladder::server
