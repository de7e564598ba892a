#include "cli/rest_target.h"

#include "base/percent.h"

namespace ladder::cli {

std::string RestTarget::segment(std::string_view name) { return percent_encode(name); }

void RestTarget::add(std::string_view name, std::string_view value) {
  text_ += text_.find('?') == std::string::npos ? '?' : '&';
  text_ += percent_encode(name);
  text_ += '=';
  text_ += percent_encode(value);
}

std::string_view RestTarget::query() const {
  const auto mark = text_.find('?');
  return mark == std::string::npos ? std::string_view() : std::string_view(text_).substr(mark + 1);
}

}  // namespace ladder::cli
