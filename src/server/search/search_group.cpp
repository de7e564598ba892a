#include "server/search/search_group.h"

#include "base/text/base64.h"
#include "base/text/bytes.h"
#include "json/scan/scan.h"

#include <algorithm>

namespace ladder::server {
namespace {

// An id is "g" and 64 bits of a digest, "w" and 64 bits, or both with a dot between them.
constexpr char kOfGroup = 'g', kOfWording = 'w', kBetween = '.';
constexpr std::size_t kDigestChars = 11;

std::string digest(std::uint64_t value) {
  std::string bytes;
  put_u64_be(bytes, value);
  return base64url::encode(bytes);
}

std::string id_of_group(std::string_view group) { return digest(Checksum().add(group).value()); }

// The field of the stream that names what its records are part of.
const model::Field* naming_field(const model::Stream& stream) {
  const auto found = std::ranges::find_if(stream.fields, [](const model::Field& field) { return !field.belongs_to.empty(); });
  return found == stream.fields.end() ? nullptr : &*found;
}

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
  if (const model::Field* const field = naming_field(stream)) {
    if (granted && !granted->allows_field(field->name)) return {};
    return {field->belongs_to, field->name};
  }
  for (const model::Stream& part : source.streams) {
    const model::Field* const field = naming_field(part);
    if (field && &part != &stream && points_at(part, stream, field->name)) return {field->belongs_to, ""};
  }
  return {};
}

std::string group_of(const GroupRule& rule, std::string_view connection_id, const store::RecordRow& record) {
  if (!rule.any()) return {};
  std::string name = record.key;
  if (!rule.field.empty()) {
    const auto value = json::member(record.body, rule.field);
    if (!value) return {};
    if (value->kind == json::Kind::kString) name = json::decode_string(json::raw_content(*value));
    else if (value->kind == json::Kind::kNumber) name = std::string(value->text);
    else return {};
  }
  if (name.empty()) return {};
  std::string group;
  for (const std::string_view part : {connection_id, std::string_view(rule.label)}) {
    put_varint(group, part.size());
    group += part;
  }
  return group + name;
}

std::uint64_t wording_of(std::span<const store::SearchedText> texts, const store::WordScope& scope, bool is_part) {
  const store::WordColumns own = is_part ? scope.columns & ~scope.context : 0;
  const store::WordColumns compared = scope.copies != 0 ? scope.copies : own;
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

std::string group_id(std::string_view group, std::optional<std::uint64_t> wording) {
  std::string id;
  if (!group.empty()) id = kOfGroup + id_of_group(group);
  if (wording) id += (id.empty() ? std::string() : std::string(1, kBetween)) + kOfWording + digest(*wording);
  return id;
}

Result<GroupChoice> GroupChoice::parse(std::string_view id) {
  GroupChoice choice;
  bool good = !id.empty();
  for (std::string_view rest = id; good && !rest.empty();) {
    const std::string_view part = rest.substr(0, rest.find(kBetween));
    rest.remove_prefix(std::min(rest.size(), part.size() + 1));
    good = part.size() == kDigestChars + 1 && (part.front() == kOfGroup || part.front() == kOfWording);
    if (good) (part.front() == kOfGroup ? choice.group_ : choice.wording_) = part.substr(1);
  }
  if (good) return choice;
  return fail(Code::kInvalidRequest, "group is no group of hits: take it from the group of a hit, or leave it out", "group");
}

bool GroupChoice::takes(std::string_view group, std::uint64_t wording) const {
  if (!group_.empty() && !group.empty() && id_of_group(group) == group_) return true;
  return !wording_.empty() && wording != 0 && digest(wording) == wording_;
}

}  // namespace ladder::server
