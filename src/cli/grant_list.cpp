// ladder grant list: every grant of the owner, a line per stream, so that grants can be told apart.
#include "base/columns.h"
#include "base/format.h"
#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/grant_view.h"
#include "cli/time_words.h"
#include "cli/visible_text.h"
#include "rest/render.h"

#include <algorithm>

namespace ladder::cli {
namespace {

constexpr std::int64_t kFieldColumns = 40;  // for the names of fields; the rest is in grant show

// "3: title, path*, text*", or "all 7: …"; as many names as fit.
std::string fields_cell(const grant::StreamGrant& stream, const grant::FieldOrigin& origin, bool& starred) {
  std::string text = format("{}{}: ", origin.all ? "all " : "", stream.fields.size());
  std::int64_t room = kFieldColumns;
  for (std::size_t i = 0; i < stream.fields.size(); ++i) {
    const bool added = origin.is_added(stream.fields[i]);
    const std::string name = (i == 0 ? "" : ", ") + visible_label(stream.fields[i]) + (added ? "*" : "");
    room -= columns_of(name);
    if (room < 0) return text + "…";
    starred = starred || added;
    text += name;
  }
  return text;
}

std::string period_cell(const grant::StreamGrant& stream) {
  std::string text = "any time";
  if (stream.time) {
    text = (stream.time->since ? short_time(*stream.time->since) : "") + ".." +
           (stream.time->until ? short_time(*stream.time->until) : "");
  }
  if (!stream.resources.empty())
    text += format(", {} record{}", stream.resources.size(), stream.resources.size() == 1 ? "" : "s");
  return text;
}

class GrantList final : public Command {
 public:
  void declare(Arguments& arguments) override { arguments.example("ladder grant list"); }

  Result<int> run(Context& context) override {
    LADDER_TRY(const auto session, Session::open(context.settings));
    LADDER_TRY(const rs::Access owner, session->owner());
    LADDER_TRY(const auto grants, session->server().grants(owner));
    context.console.out(context.console.json() ? rest::render_grants(grants) + "\n" : as_text(grants));
    return kDone;
  }

 private:
  static std::string as_text(const std::vector<rs::GrantSummary>& grants) {
    if (grants.empty()) return "There is no grant yet; ladder grant create makes one.\n";
    std::vector<std::vector<std::string>> rows = {
        {"GRANT", "STATUS", "CLIENT", "STREAM", "FIELDS", "PERIOD", "EXPIRES", "LAST USE"}};
    bool starred = false, widened = false;
    for (const rs::GrantSummary& summary : grants) {
      const grant::Grant& grant = summary.grant;
      const std::string status = summary.status + (summary.is_widened() ? " (widened)" : "");
      widened = widened || (summary.is_widened() && summary.status == "active");
      for (std::size_t i = 0; i < grant.streams.size(); ++i) {
        const grant::StreamGrant& stream = grant.streams[i];
        const std::string fields = fields_cell(stream, summary.origins[i], starred);
        for (const std::string& connection : stream.instance_ids) {
          rows.push_back({grant.grant_id, status, visible_label(grant.client_id),
                          visible_label(connection) + "/" + visible_label(stream.name), fields, period_cell(stream),
                          grant.expires_at ? short_time(*grant.expires_at) : "never",
                          summary.row.last_used_at ? short_time(*summary.row.last_used_at) : "–"});
        }
      }
    }
    std::string text = table(rows);
    if (starred) text += "* nobody named it: the source's declaration requires it\n";
    if (widened) text += "(widened): gives more than the key and what was named; ladder doctor says how to make it anew\n";
    return text;
  }
};

}  // namespace

std::unique_ptr<Command> make_grant_list() { return std::make_unique<GrantList>(); }

}  // namespace ladder::cli
