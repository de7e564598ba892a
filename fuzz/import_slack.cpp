// A Slack export: the first line is users.json, the second channels.json, the rest a day of a channel. The reader
// reaches the end; every record fits the declaration; keys are unique; a second read gives the same; markup grows by a
// bounded amount.
#include "frame.h"
#include "import/formats/format.h"
#include "import/formats/slack/slack_text.h"
#include "import/json/json_members.h"
#include "import/testing/collecting_sink.h"
#include "import/testing/memory_tree.h"

#include <memory>
#include <set>
#include <string>
#include <utility>

namespace ladder::fuzz {
namespace {

using imports::testing::CollectingSink;
using imports::testing::MemoryTree;

CollectingSink read(const std::map<std::string, std::string>& files,
                    const std::shared_ptr<const model::SourceDeclaration>& declaration) {
  MemoryTree tree(files);
  CollectingSink sink;
  sink.declared = declaration;
  const imports::Request request{.forced = true, .manifest = {}};
  for (const imports::Unit& unit : imports::slack_format().detect(tree, request))
    FUZZ_CHECK(imports::slack_format().read(tree, unit, request, "", sink).has_value());
  FUZZ_CHECK(sink.faults.empty());
  return sink;
}

class NoNames final : public imports::slack::Names {
 public:
  std::string user(std::string_view) const override { return {}; }
  std::string channel(std::string_view) const override { return {}; }
};

}  // namespace

void run(std::string_view input) {
  static const auto declaration = std::make_shared<const model::SourceDeclaration>(
      model::parse_declaration(*imports::slack_format().declaration({})).value());
  const std::string plain = imports::slack::plain_text(input, NoNames());
  FUZZ_CHECK(plain.size() <= input.size() + 2 * (1 + input.size() / 2));  // for " (" and ")" of a link, "@" of a mention
  FUZZ_CHECK(imports::slack::without_token(input).size() <= input.size());
  std::map<std::string, std::string> files;
  files["users.json"] = take_line(input);
  files["channels.json"] = take_line(input);
  files["general/2024-02-29.json"] = input;
  const CollectingSink sink = read(files, declaration), again = read(files, declaration);
  FUZZ_CHECK(sink.records.size() == again.records.size());
  std::set<std::string_view> keys;
  for (std::size_t i = 0; i < sink.records.size(); ++i) {
    FUZZ_CHECK(sink.records[i].data == again.records[i].data);
    if (sink.records[i].stream == "messages") FUZZ_CHECK(keys.insert(json::member(sink.records[i].data, "id")->text).second);
  }
  for (const imports::Refusal& each : sink.losses) FUZZ_CHECK(each.place.byte >= 0 && !each.reason.empty());
}

}  // namespace ladder::fuzz
