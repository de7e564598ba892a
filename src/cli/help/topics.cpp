#include "cli/help/topics.h"

#include "base/embedded_file.h"
#include "base/text/nearest.h"

#include <algorithm>
#include <string>

LADDER_EMBED(ladder_help_topics, LADDER_HELP_TOPICS "/topics.txt")

namespace ladder::cli {
namespace {

constexpr std::string_view kMark = "@topic\t";
constexpr std::size_t kMaxNear = 5;

std::string_view take_until(std::string_view& rest, std::string_view end) {
  const std::size_t at = std::min(rest.find(end), rest.size());
  const std::string_view taken = rest.substr(0, at);
  rest.remove_prefix(std::min(at + end.size(), rest.size()));
  return taken;
}

std::vector<Topic> read_topics(std::string_view rest) {
  std::vector<Topic> all;
  take_until(rest, kMark);
  while (!rest.empty()) {
    std::string_view part = take_until(rest, kMark), head = take_until(part, "\n"), names = take_until(head, "\t");
    Topic& topic = all.emplace_back();
    topic.page = take_until(head, "\t");
    topic.title = head;
    topic.text = part;
    while (!names.empty()) topic.names.push_back(take_until(names, ", "));
  }
  std::ranges::sort(all, {}, [](const Topic& topic) { return topic.name(); });
  return all;
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out;
}

}  // namespace

std::span<const Topic> topics() {
  static const std::vector<Topic> all = read_topics({ladder_help_topics_begin, ladder_help_topics_end});
  return all;
}

const Topic* find_topic(std::string_view name) {
  const auto found = std::ranges::find_if(
      topics(), [name = lower(name)](const Topic& topic) { return std::ranges::find(topic.names, name) != topic.names.end(); });
  return found == topics().end() ? nullptr : &*found;
}

std::vector<std::string_view> topics_near(std::string_view name) {
  std::vector<std::string_view> all_names, found;
  for (const Topic& topic : topics()) all_names.insert(all_names.end(), topic.names.begin(), topic.names.end());
  const auto add = [&](const Topic& topic) {
    if (found.size() < kMaxNear && std::ranges::find(found, topic.name()) == found.end()) found.push_back(topic.name());
  };
  const std::string word = lower(name);
  if (const std::string_view near = nearest(word, all_names); !near.empty()) add(*find_topic(near));
  if (word.size() < 3) return found;
  for (const Topic& topic : topics()) {
    if (std::ranges::any_of(topic.names, [&](std::string_view each) { return each.starts_with(word); })) add(topic);
  }
  for (const Topic& topic : topics()) {
    if (lower(topic.text).find(word) != std::string::npos) add(topic);
  }
  return found;
}

}  // namespace ladder::cli
