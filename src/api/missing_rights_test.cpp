#include "api/missing_rights.h"

#include <gtest/gtest.h>

namespace ladder::api {
namespace {

SchemaView notes_only() {
  SchemaView view;
  SourceView source;
  source.source_kind = "connector";
  source.source_id = "urn:ladder:import:notes";
  StreamView stream;
  stream.name = "notes";
  FieldView title, text;
  title.name = "title";
  title.granted = true;
  text.name = "text";
  stream.fields = {title, text};
  source.streams = {stream};
  view.sources = {source};
  return view;
}

TEST(MissingRights, ListsDeclaredFieldsThatAreNotGranted) {
  EXPECT_EQ(missing_rights(notes_only(), "notes", {"title", "text", "nothing_of_that_name"}),
            R"([{"type":"https://pdpp.dev/data-access","source":{"kind":"connector","id":"urn:ladder:import:notes"},)"
            R"("access_mode":"continuous","purpose_code":"https://pdpp.dev/purpose/agent_context",)"
            R"("streams":[{"name":"notes","fields":["text"]}]}])");
  EXPECT_EQ(missing_rights(notes_only(), "notes", {"title"}), "");
}

TEST(MissingRights, ListsAStreamWhetherItExistsOrNot) {
  EXPECT_EQ(missing_rights(notes_only(), "mail", {"subject"}),
            R"([{"type":"https://pdpp.dev/data-access","source":{"kind":"connector","id":"urn:ladder:import:notes"},)"
            R"("access_mode":"continuous","purpose_code":"https://pdpp.dev/purpose/agent_context",)"
            R"("streams":[{"name":"mail"}]}])");
  EXPECT_EQ(missing_rights(notes_only(), "", {}), "");
  EXPECT_EQ(missing_rights({}, "mail", {}), "");
}

}  // namespace
}  // namespace ladder::api
