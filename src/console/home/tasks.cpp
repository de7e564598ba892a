#include "console/home/tasks.h"

#include "auth/body.h"
#include "auth/text_formatting.h"
#include "base/text/format.h"
#include "console/console.h"
#include "json/writer.h"

#include <algorithm>

namespace ladder::console {
namespace {

using server::ItemKind;

constexpr Instant kKeepDismissed = 365 * kDay;  // then it is asked again
constexpr Instant kMorning = kDay / 3;          // postponed tasks return at 8 o'clock

// A one-button form with the key of the task.
Writer aside_form(const std::string& csrf, const Task& task, std::string_view action, std::string_view label,
                  std::string_view look) {
  Writer out;
  out << Markup("<form action=\"/tasks\" method=\"post\">") << pages::hidden("csrf", csrf) << pages::hidden("task", task.key)
      << Markup("<button name=\"do\"") << Attribute("value", action) << Attribute("class", look) << Markup(">") << Text(label)
      << Markup("<span class=\"unseen\">: ") << Text(task.title) << Markup("</span></button></form>");
  return out;
}

Writer what(const Task& task, Markup look, Icon shown, std::string_view text) {
  Writer out;
  out << Markup("<li><span class=\"") << look << Markup("\">") << icon(shown)
      << Markup("</span><div class=\"what\"><b dir=\"auto\">") << Text(task.title) << Markup("</b><p dir=\"auto\">") << Text(text)
      << Markup("</p></div>");
  return out;
}

Writer open_row(const Task& task, const std::string& csrf) {
  Writer out = what(task, task.look, task.icon, task.text);
  out << Markup("<div class=\"act\"><a") << Attribute("class", task.first ? "btn btn-s btn-act" : "btn btn-s")
      << Attribute("href", task.to) << Markup(">") << Text(task.action) << Markup("<span class=\"unseen\">: ") << Text(task.title)
      << Markup("</span></a>");
  if (task.button) {
    out << Markup("<form method=\"post\"") << Attribute("action", task.button->action) << Markup(">")
        << pages::hidden("csrf", csrf);
    for (const auto& [name, value] : task.button->fields) out << pages::hidden(name, value);
    out << Markup("<button class=\"btn btn-s btn-bare\">") << Text(task.button->label) << Markup("<span class=\"unseen\">: ")
        << Text(task.title) << Markup("</span></button></form>");
  }
  if (!task.key.empty()) {
    out << aside_form(csrf, task, "later", "Remind me tomorrow", "btn btn-s btn-bare")
        << aside_form(csrf, task, "dismiss", task.dismiss_label, "btn btn-s btn-bare");
  }
  out << Markup("</div></li>");
  return out;
}

}  // namespace

Result<TaskLists> sorted(server::ResourceServer& server, const server::Access& owner, std::vector<Task> tasks) {
  LADDER_TRY(const auto items, server.items().list(owner, ItemKind::kTask));
  TaskLists lists;
  for (Task& task : tasks) {
    const auto put_aside = std::ranges::find(items, task.key, &server::OwnerItem::key);
    if (task.key.empty() || put_aside == items.end()) {
      lists.open.push_back(std::move(task));
      continue;
    }
    const bool is_later = auth::Body(put_aside->body).text("state") == "later";
    lists.aside.push_back({std::move(task), is_later ? put_aside->expires_at : std::nullopt});
  }
  return lists;
}

Writer task_list(const TaskLists& lists, const std::string& csrf, Instant now) {
  Writer out;
  if (lists.open.empty() && lists.aside.empty()) return out;
  out << Markup("<section aria-labelledby=\"needs\"><div class=\"block-head\"><h2 id=\"needs\">Needs you");
  if (!lists.open.empty()) out << Markup(" <span class=\"count\">") << Text(std::ssize(lists.open)) << Markup("</span>");
  out << Markup("</h2></div>");
  if (lists.open.empty()) out << Markup("<p class=\"small soft\">Nothing needs you now.</p>");
  else out << Markup("<ul class=\"card card-flush list needs\">");
  for (const Task& task : lists.open) out << open_row(task, csrf);
  if (!lists.open.empty()) out << Markup("</ul>");
  if (!lists.aside.empty()) {
    out << Markup("<details id=\"dismissed\" class=\"more\"><summary>Dismissed (") << Text(std::ssize(lists.aside))
        << Markup(")</summary><ul class=\"card card-flush list needs\">");
    for (const TaskLists::Aside& one : lists.aside) {
      out << what(one.task, "glyph", Icon::kOk,
                  one.until ? "Comes back " + auth::inside(moment_text(*one.until, now)) + "." : "Dismissed. " + one.task.text)
          << Markup("<div class=\"act\">") << aside_form(csrf, one.task, "restore", "Put back", "btn btn-s")
          << Markup("</div></li>");
    }
    out << Markup("</ul></details>");
  }
  out << Markup("</section>");
  return out;
}

Result<http::Response> Console::change_tasks(Visit& visit) {
  const std::string action = visit.form.one("do"), key = visit.form.one("task");
  const Instant now = authorization_.now();
  server::OwnerItems& items = authorization_.server().items();
  if (action == "restore") {
    LADDER_CHECK(items.remove(*visit.owner, ItemKind::kTask, key));
  } else if (action == "later" || action == "dismiss") {
    json::Writer body;
    body.begin_object().member("state", action).end_object();
    const Instant until = action == "later" ? local_midnight(now + kDay) + kMorning : now + kKeepDismissed;
    LADDER_CHECK(items.put(*visit.owner, ItemKind::kTask, {key, body.take(), 0, until}));
  }
  return pages::redirect_to("/#needs");
}

}  // namespace ladder::console
