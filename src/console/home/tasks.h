// The tasks of Home: what needs the owner's attention. Each can be done, and most can be postponed or dismissed; those are kept
// in the store by their key. A key contains what the task is about, so the task returns when that changes.
#pragma once

#include "base/error/error.h"
#include "console/parts.h"
#include "server/resource_server.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ladder::console {

// A button that posts a form, next to the link of a task.
struct TaskButton {
  Url action = Url::path("/");
  std::vector<std::pair<std::string, std::string>> fields = {};
  std::string label;
};

struct Task {
  std::string key = {};  // empty: the task can't be dismissed, because it ends by itself or is urgent
  Icon icon = Icon::kInfo;
  Markup look = "glyph glyph-warn";
  std::string title, text;
  Url to = Url::path("/");
  std::string action;
  bool first = false;  // use the primary button style
  std::optional<TaskButton> button = {};
  std::string dismiss_label = "Dismiss";
};

// The tasks that wait, and those that the owner put aside.
struct TaskLists {
  std::vector<Task> open;
  struct Aside {
    Task task;
    std::optional<Instant> until;  // postponed until then; nullopt: dismissed
  };
  std::vector<Aside> aside;
};
Result<TaskLists> sorted(server::ResourceServer& server, const server::Access& owner, std::vector<Task> tasks);

html::Writer task_list(const TaskLists& lists, const std::string& csrf, Instant now);

}  // namespace ladder::console
