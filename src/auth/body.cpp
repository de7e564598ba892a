#include "auth/body.h"

#include "base/limits.h"
#include "crypto/hash.h"
#include "json/parse.h"

namespace ladder::auth {
namespace {

constexpr std::size_t kMaxBodyBytes = 4 * limits::kMiB;

}  // namespace

Body::Body(std::string_view text) {
  if (auto tree = json::parse(text, kMaxBodyBytes, limits::kMaxJsonDepth)) tree_ = *std::move(tree);
}

const boost::json::value* Body::find(std::string_view name) const {
  const auto* object = tree_.if_object();
  return object ? object->if_contains(name) : nullptr;
}

std::string Body::text(std::string_view name) const {
  const auto* value = find(name);
  const auto* string = value ? value->if_string() : nullptr;
  return string ? std::string(*string) : std::string();
}

std::optional<std::int64_t> Body::maybe_number(std::string_view name) const {
  const auto* value = find(name);
  if (!value) return std::nullopt;
  if (const auto* number = value->if_int64()) return *number;
  return std::nullopt;
}

std::int64_t Body::number(std::string_view name) const { return maybe_number(name).value_or(0); }

bool Body::flag(std::string_view name) const {
  const auto* value = find(name);
  const auto* boolean = value ? value->if_bool() : nullptr;
  return boolean && *boolean;
}

std::vector<std::string> Body::texts(std::string_view name) const {
  std::vector<std::string> all;
  const auto* value = find(name);
  const auto* array = value ? value->if_array() : nullptr;
  if (!array) return all;
  for (const auto& element : *array) {
    if (const auto* string = element.if_string()) all.emplace_back(*string);
  }
  return all;
}

std::vector<Body> Body::objects(std::string_view name) const {
  std::vector<Body> all;
  const auto* value = find(name);
  const auto* array = value ? value->if_array() : nullptr;
  if (!array) return all;
  for (const auto& element : *array) all.emplace_back(element);
  return all;
}

Body Body::object(std::string_view name) const {
  const auto* value = find(name);
  return Body(value ? *value : boost::json::value());
}

std::string Body::raw(std::string_view name) const {
  const auto* value = find(name);
  return value ? json::canonical(*value) : std::string();
}

std::string hash_key(std::string_view secret) { return std::string(crypto::view(crypto::sha256(secret))); }

}  // namespace ladder::auth
