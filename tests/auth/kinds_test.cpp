// Kinds of data: levels, presets and accounts of the consent form.
#include "auth/kinds.h"
#include "auth_fixture.h"

namespace ladder::auth {
namespace {

// Mail with two accounts: messages with files, and contacts without declared levels.
constexpr std::string_view kMail =
    R"({"protocol_version":"0.1.0","source":{"kind":"connector","id":"https://sources.example/mail"},"declaration_version":"1",
  "publisher":{"id":"https://sources.example/"},"display":{"name":"Mail"},"streams":[
  {"name":"messages","semantics":"mutable_state","primary_key":["id"],"selection":{"fields":true,"resources":true},
   "display":{"label":"Your mail"},"schema":{"type":"object","required":["id"],
    "x_pdpp_levels":[{"id":"head","label":"Headers only"},{"id":"text","label":"Headers and text"},{"id":"all","label":"All with files"}],
    "properties":{"id":{"type":"string"},"about":{"type":"string","title":"Subject","x_pdpp_level":"head"},
     "words":{"type":"string","title":"Text","x_pdpp_role":"body","x_pdpp_level":"text"},"guess":{"type":"string"}}}},
  {"name":"files","semantics":"mutable_state","primary_key":["id"],"selection":{"fields":true,"resources":true},
   "schema":{"type":"object","required":["id"],"x_pdpp_levels_of":"messages","properties":{"id":{"type":"string"},
     "file":{"type":"string","x_pdpp_level":"all"}}}}]})";

// A table without roles, of which one column is searched.
constexpr std::string_view kTable =
    R"({"protocol_version":"0.1.0","source":{"kind":"connector","id":"https://sources.example/table"},"declaration_version":"1",
  "publisher":{"id":"https://sources.example/"},"display":{"name":"Table"},"streams":[
  {"name":"rows","semantics":"mutable_state","primary_key":["id"],"selection":{"fields":true,"resources":true},
   "query":{"search":{"lexical_fields":["comment"]}},"schema":{"type":"object","required":["id"],
    "properties":{"id":{"type":"string"},"comment":{"type":"string"},"amount":{"type":"number"}}}}]})";

class KindsSuite : public AuthSuite {
 protected:
  KindsSuite() {
    must(server().sources().add(owner(), std::string(kMail), "mail"));
    must(server().sources().add_connection(owner(), "mail", "Private", "home"));
    must(server().sources().add_connection(owner(), "mail", "Office", "office"));
  }
  Offer offer(std::string_view details = "") {
    const auto asked = read_details(std::string(details));
    if (!asked) throw std::runtime_error(asked.error().description);
    return must(make_offer(server(), owner(), *asked, {}));
  }
  static Kind kind(const Offer& offer, std::string_view id) {
    const auto kinds = kinds_of(offer);
    const auto found = std::ranges::find_if(kinds, [&](const Kind& one) { return one.id() == id; });
    if (found == kinds.end()) throw std::runtime_error("no such kind");
    return *found;
  }
  // "Headers only: mail/messages about; …"
  static std::string levels(const Kind& kind) {
    std::string text;
    for (const KindLevel& level : kind.levels) {
      text += (text.empty() ? "" : "; ") + level.label + ":";
      for (const ChosenStream& stream : level.streams) {
        text += " " + stream.id;
        for (const std::string& field : stream.fields) text += " " + field;
      }
    }
    return text;
  }
  static std::string chosen(const Choices& choices) {
    std::string text;
    for (const ChosenStream& stream : choices.streams) text += (text.empty() ? "" : ", ") + stream.id;
    return text;
  }
  static std::string asking(std::string_view streams) {
    return format(R"([{{"type":"https://pdpp.dev/data-access","source":{{"id":"mail"}},)"
                  R"("purpose_code":"https://pdpp.dev/purpose/agent_context","access_mode":"continuous","streams":[{}]}}])",
                  streams);
  }
};
LADDER_FOR_EVERY_ENGINE(KindsSuite);

TEST_P(KindsSuite, ALevelSelectsTheFieldsOfAllStreamsOfItsKind) {
  const Offer all = offer();
  EXPECT_EQ(kinds_of(all).size(), 3U) << "mail with files, notes, diary";
  EXPECT_EQ(levels(kind(all, "mail/messages")),
            "Headers only: mail/messages about; Headers and text: mail/messages about words; "
            "All with files: mail/messages about words guess mail/files file");
}

TEST_P(KindsSuite, TheChosenFieldsNameTheLevel) {
  const Offer all = offer();
  const Kind mail = kind(all, "mail/messages");
  Choices choices;
  EXPECT_EQ(level_of(mail, choices.streams), kOff);
  EXPECT_TRUE(choose_level(choices, mail, "text", usual_accounts(mail)));
  EXPECT_EQ(level_of(mail, choices.streams), "text");
  EXPECT_EQ(choices.streams.front().connection_ids, (std::vector<std::string>{"home", "office"})) << "both accounts";
  EXPECT_EQ(share_text(mail, choices.streams), "headers and text");
  choices.streams.front().fields = {"id", "words"};
  EXPECT_EQ(level_of(mail, choices.streams), kCustom);
  EXPECT_EQ(share_text(mail, choices.streams), "Text");
  choices.streams.front().fields = {"id"};
  EXPECT_EQ(level_of(mail, choices.streams), kOff) << "required fields alone are nothing";
  EXPECT_FALSE(choose_level(choices, mail, "nosuch", {}));
  EXPECT_TRUE(choose_level(choices, mail, kOff, {}));
  EXPECT_TRUE(choices.streams.empty());
}

TEST_P(KindsSuite, TheReviewRefusesRequiredFieldsAlone) {
  EXPECT_THROW(review(ask(), [](Choices& choices) { choices.streams.front().fields = {"id"}; }), std::runtime_error);
  EXPECT_THROW(review(ask(), [](Choices& choices) { choices.streams.clear(); }), std::runtime_error);
}

TEST_P(KindsSuite, ARequestBoundsItsKind) {
  const Offer some = offer(asking(R"({"name":"messages","fields":["about"]})"));
  const Kind mail = kind(some, "mail/messages");
  EXPECT_EQ(levels(mail), "What it asks for: mail/messages about");
  EXPECT_TRUE(usual_accounts(mail).empty()) << "two accounts could be meant, so the owner chooses";
  EXPECT_EQ(levels(kind(some, "mail/files")), "Everything: mail/files id file") << "not requested, so it is on its own";
  for (const char* preset : {"asked", "needed"}) EXPECT_EQ(chosen(with_preset(some, {}, preset)), "mail/messages") << preset;
  for (const char* preset : {"text", "overview", "only notes", "only mail"}) {
    EXPECT_EQ(chosen(with_preset(some, {}, preset)), "") << preset << " would select what was not requested";
  }
}

TEST_P(KindsSuite, PresetsSetEveryKind) {
  must(server().sources().add(owner(), std::string(kTable), "table"));
  must(server().sources().add_connection(owner(), "table", "", "table"));
  const Offer all = offer();
  const Choices text = with_preset(all, {}, "text");
  EXPECT_EQ(level_of(kind(all, "mail/messages"), text.streams), "text");
  EXPECT_EQ(level_of(kind(all, "notes/notes"), text.streams), "all") << "nothing is declared as its text";
  EXPECT_EQ(level_of(kind(all, "table/rows"), text.streams), "text") << "searched fields are its text";
  EXPECT_EQ(text.period, "12m");
  const Choices overview = with_preset(all, text, "overview");
  EXPECT_EQ(level_of(kind(all, "mail/messages"), overview.streams), "head");
  EXPECT_EQ(level_of(kind(all, "notes/diary"), overview.streams), kOff) << "its only level includes everything";
  EXPECT_EQ(level_of(kind(all, "table/rows"), overview.streams), kOff) << "its lowest level includes text";
  EXPECT_EQ(chosen(with_preset(all, text, "only mail")), "mail/messages");
  EXPECT_EQ(chosen(with_preset(all, text, "none")), "");
  EXPECT_EQ(chosen(with_preset(all, text, "nosuch")), chosen(text));
  for (const KindPreset& preset : presets_of(all, overview)) {
    EXPECT_EQ(preset.active, preset.id == "overview") << preset.id;
    EXPECT_FALSE(with_preset(all, {}, preset.id).streams.empty()) << preset.id << " selects something";
  }
}

TEST_P(KindsSuite, AnAppOnThisComputerIsCalledByItsName) {
  EXPECT_EQ(app_title("http://127.0.0.1:41733/callback", "Claude Code"), "“Claude Code” on this computer");
  EXPECT_EQ(app_title("http://127.0.0.1:41733/callback", ""), "an app on this computer");
  EXPECT_EQ(app_title("https://app.example/back", "Claude Code"), "app.example") << "an address says more than a chosen name";
}

}  // namespace
}  // namespace ladder::auth
