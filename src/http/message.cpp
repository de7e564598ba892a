// Header fields and the small parts of requests and responses.
#include "http/message.h"

#include "http/syntax.h"

#include <algorithm>

namespace ladder::http {

std::optional<std::string_view> Headers::get(std::string_view name) const {
  for (const auto& [field, value] : fields_) {
    if (equal_without_case(field, name)) return value;
  }
  return std::nullopt;
}

std::size_t Headers::count(std::string_view name) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(fields_, [name](const auto& field) { return equal_without_case(field.first, name); }));
}

void Headers::set(std::string_view name, std::string value) {
  for (auto field = fields_.begin(); field != fields_.end(); ++field) {
    if (!equal_without_case(field->first, name)) continue;
    field->second = std::move(value);
    fields_.erase(
        std::remove_if(field + 1, fields_.end(), [name](const auto& other) { return equal_without_case(other.first, name); }),
        fields_.end());
    return;
  }
  add(name, std::move(value));
}

void Headers::add(std::string_view name, std::string value) { fields_.emplace_back(std::string(name), std::move(value)); }

void Headers::remove(std::string_view name) {
  std::erase_if(fields_, [name](const auto& field) { return equal_without_case(field.first, name); });
}

std::string_view Request::query() const {
  const auto mark = target.find('?');
  return mark == std::string::npos ? std::string_view() : std::string_view(target).substr(mark + 1);
}

Response Response::json(int status, std::string body) {
  Response response;
  response.status = status;
  response.headers.add("Content-Type", "application/json; charset=utf-8");
  response.body = std::move(body);
  return response;
}

}  // namespace ladder::http
