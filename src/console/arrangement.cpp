#include "console/arrangement.h"

#include "auth/body.h"
#include "base/text/format.h"
#include "base/text/utf8.h"
#include "json/writer.h"

#include <algorithm>

namespace ladder::console {
namespace {

constexpr std::int64_t kMaxGroupChars = 80;  // fits into a menu

}  // namespace

Result<Arrangement> Arrangement::of(server::ResourceServer& server, const server::Access& owner) {
  Arrangement made;
  LADDER_TRY(const auto items, server.items().list(owner, server::ItemKind::kArrangement));
  for (const server::OwnerItem& item : items) {
    const auth::Body body(item.body);
    made.looks_[item.key] = {body.flag("hidden"), body.text("group")};
  }
  // The other sources of a group may have been erased or merged since.
  for (auto& [id, look] : made.looks_) {
    if (made.members(look.group).size() < 2) look.group.clear();
  }
  return made;
}

bool Arrangement::is_hidden(std::string_view connection_id) const {
  const auto found = looks_.find(connection_id);
  return found != looks_.end() && found->second.hidden;
}

std::string Arrangement::group_of(std::string_view connection_id) const {
  const auto found = looks_.find(connection_id);
  return found == looks_.end() ? std::string() : found->second.group;
}

std::vector<std::string> Arrangement::members(std::string_view group) const {
  std::vector<std::string> ids;
  for (const auto& [id, look] : looks_) {
    if (!group.empty() && look.group == group) ids.push_back(id);
  }
  return ids;
}

std::vector<std::string> Arrangement::connections_of(std::string_view source) const {
  if (!source.starts_with(kGroupPrefix)) return {std::string(source)};
  return members(source.substr(kGroupPrefix.size()));
}

bool Arrangement::hides_any() const {
  return std::ranges::any_of(looks_, [](const auto& one) { return one.second.hidden; });
}

Status Arrangement::put(server::ResourceServer& server, const server::Access& owner, std::string_view connection_id,
                        const Look& look) {
  LADDER_CHECK(server.sources().connection(owner, connection_id));  // it exists
  if (!look.hidden && look.group.empty()) return server.items().remove(owner, server::ItemKind::kArrangement, connection_id);
  json::Writer body;
  body.begin_object().member("hidden", look.hidden).member("group", look.group).end_object();
  return server.items().put(owner, server::ItemKind::kArrangement, {std::string(connection_id), body.take()});
}

Status Arrangement::set_hidden(server::ResourceServer& server, const server::Access& owner, std::string_view connection_id,
                               bool hidden) {
  LADDER_TRY(const Arrangement now, of(server, owner));
  return put(server, owner, connection_id, {hidden, now.group_of(connection_id)});
}

Status Arrangement::set_group(server::ResourceServer& server, const server::Access& owner, std::string_view connection_id,
                              std::string_view group) {
  const bool is_line =
      utf8::is_valid(group) && std::ranges::none_of(group, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
  if (!is_line || utf8::count(group) > kMaxGroupChars)
    return fail(Code::kInvalidRequest, format("The name must be one line of at most {} characters.", kMaxGroupChars), "group");
  LADDER_TRY(const Arrangement now, of(server, owner));
  return put(server, owner, connection_id, {now.is_hidden(connection_id), std::string(group)});
}

}  // namespace ladder::console
