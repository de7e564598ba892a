#include "import/formats/components.h"

#include "import/text.h"

#include <algorithm>

namespace ladder::imports {
namespace {

constexpr int kMaxDepth = 8;
constexpr std::size_t kMaxContainerLines = 1000;

std::string upper_value(const ContentLine& line) {
  std::string upper = lower_ascii(trim(line.value));
  for (char& c : upper) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return upper;
}

}  // namespace

const ContentLine* Component::find(std::string_view upper_name) const {
  const auto found = std::ranges::find(lines, upper_name, &ContentLine::name);
  return found == lines.end() ? nullptr : &*found;
}

std::string Component::text(std::string_view upper_name) const {
  const ContentLine* line = find(upper_name);
  return line == nullptr ? std::string() : std::string(trim(line->text()));
}

Result<bool> Components::next_line() {
  if (line_is_waiting_) {
    line_is_waiting_ = false;
    return true;
  }
  return lines_.next();
}

void Components::keep(Component& component, const ContentLine& line) {
  const bool has_room = component.lines.size() < kMaxComponentLines && bytes_ + line.value.size() <= kMaxComponentBytes;
  if (has_room && !line.cut && !line.name.empty()) {
    bytes_ += line.value.size();
    component.lines.push_back(line);
    return;
  }
  if (component_.left_out++ == 0) component_.left_out_at = line.offset;
}

// A component ends with its END, and unfinished where one of its own kind begins, its container ends, or the file does.
Status Components::read(Component& component, int depth) {
  for (;;) {
    LADDER_TRY(const bool more, next_line());
    if (!more) break;
    const ContentLine& line = lines_.line();
    if (line.name == "END") {
      const std::string name = upper_value(line);
      if (name == component.name) return {};
      if (name == component_.name || name == container_name_) {
        line_is_waiting_ = true;
        break;
      }
    } else if (line.name == "BEGIN") {
      const std::string name = upper_value(line);
      if (name == component_.name || name == container_name_) {
        line_is_waiting_ = true;
        break;
      }
      Component inside;
      inside.name = name;
      inside.offset = line.offset;
      if (depth < kMaxDepth) LADDER_CHECK(read(inside, depth + 1));
      if (depth == 0 && component.inner.size() < kMaxContainerLines) component.inner.push_back(std::move(inside));
    } else {
      keep(component, line);
    }
  }
  component.finished = false;
  return {};
}

Result<bool> Components::next() {
  component_ = Component();
  bytes_ = 0;
  for (;;) {
    LADDER_TRY(const bool more, next_line());
    if (!more) return false;
    const ContentLine& line = lines_.line();
    const bool begins = line.name == "BEGIN", ends = line.name == "END";
    const std::string name = begins || ends ? upper_value(line) : std::string();
    if (begins && name == container_name_) {
      container_.clear();
    } else if (begins) {
      component_.name = name;
      component_.offset = line.offset;
      LADDER_CHECK(read(component_, 0));
      return true;
    } else if (ends) {
      continue;
    } else if (!container_name_.empty() && !line.name.empty()) {
      if (container_.size() < kMaxContainerLines) container_.push_back(line);
    } else {
      component_.offset = line.offset;
      return true;
    }
  }
}

}  // namespace ladder::imports
