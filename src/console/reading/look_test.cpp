#include "console/reading/look.h"

#include <gtest/gtest.h>

namespace ladder::console {
namespace {

struct Declared {
  std::string name, role;
  std::string type = "string";
  std::string schema_json = "{}";
};

api::StreamView stream(const std::vector<Declared>& fields) {
  api::StreamView view;
  for (const Declared& declared : fields) {
    api::FieldView& field = view.fields.emplace_back();
    field.name = declared.name;
    field.role = declared.role;
    field.type = declared.type;
    field.schema_json = declared.schema_json;
    field.granted = true;
  }
  return view;
}

TEST(Look, FollowsFromTheRolesAlone) {
  const Declared title{"a", "primary-title"}, text{"b", "body"}, time{"c", "event-time"}, author{"d", "actor"};
  const Declared recipient{"e", "recipient"}, context{"f", "context"};
  EXPECT_EQ(look_of(stream({title, text, time, author, recipient})), Look::kMail);
  EXPECT_EQ(look_of(stream({title, text, time, author})), Look::kDocument);
  EXPECT_EQ(look_of(stream({context, text, time, author})), Look::kChat);
  EXPECT_EQ(look_of(stream({text, time, author, {"g", "", "string", R"({"x_pdpp_belongs_to":"thread"})"}})), Look::kChat);
  EXPECT_EQ(look_of(stream({text, time, author})), Look::kDocument) << "a message without a conversation";
  EXPECT_EQ(look_of(stream({title, text, time, {"g", "end-time"}, author, recipient})), Look::kEvent);
  EXPECT_EQ(look_of(stream({title, time, {"g", "location"}})), Look::kEvent);
  EXPECT_EQ(look_of(stream({{"a", "primary-title", "person"}, text})), Look::kPerson);
  EXPECT_EQ(look_of(stream({title, time})), Look::kFacts);
  EXPECT_EQ(look_of(stream({{"messages", ""}, {"text", ""}, {"from", ""}})), Look::kFacts) << "names have no meaning";
}

TEST(Look, LabelsAreDeclaredOrMadeFromTheName) {
  const api::StreamView view = stream({{"sent_at", "", "string", R"({"title":"Date"})"}, {"list_id", ""}});
  EXPECT_EQ(label_of(view.fields[0]), "Date");
  EXPECT_EQ(label_of(view.fields[1]), "List id");
}

}  // namespace
}  // namespace ladder::console
