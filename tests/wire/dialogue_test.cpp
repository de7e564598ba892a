// The dialogues of hosts as data (oauth/*.json): the requests of each, in order, and the expected responses. ${name} is
// a value kept by an earlier step. A step with "owner" is the owner's action in the browser on the request that has
// just begun.
#include "oauth_fixture.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

namespace ladder::wire {
namespace {

namespace json = boost::json;

class KeptDocuments final : public auth::DocumentFetcher {
 public:
  explicit KeptDocuments(const json::object& documents) : documents_(documents) {}
  Result<Document> fetch(const std::string& url) override {
    const auto* found = documents_.if_contains(url);
    if (!found) return fail(Code::kInvalidRequest, "it answered with status 404, not 200");
    return Document{json::serialize(*found), 3600};
  }

 private:
  const json::object& documents_;
};

class Dialogue : public OAuth {
 protected:
  void replay(const std::filesystem::path& file) {
    SCOPED_TRACE(file.filename().string());
    std::ostringstream text;
    text << std::ifstream(file).rdbuf();
    const json::object all = json::parse(text.str()).as_object();
    cookie_ = "none=1";  // a browser without a session
    kept_ = {{"base", base()}, {"challenge", challenge()}, {"verifier", std::string(kVerifier)}};
    if (const auto* documents = all.if_contains("documents")) keep_documents(documents->as_object());
    int number = 0;
    for (const json::value& step : all.at("steps").as_array()) {
      SCOPED_TRACE("step " + std::to_string(++number));
      take(step.as_object());
      if (HasFatalFailure()) return;
    }
  }

 private:
  // Makes the kept copies look freshly fetched, so that the server uses them.
  void keep_documents(const json::object& documents) {
    KeptDocuments fetcher(documents);
    auth::Clients clients(store(), fetcher, Clock::system());
    for (const auto& [url, document] : documents) must(clients.find(std::string(url)));
  }

  std::string filled(std::string_view text) const {
    std::string out(text);
    for (auto at = out.find("${"); at != std::string::npos; at = out.find("${", at)) {
      const auto end = out.find('}', at);
      const auto found = kept_.find(out.substr(at + 2, end - at - 2));
      if (found == kept_.end()) {
        ADD_FAILURE() << "nothing kept as " << out.substr(at, end - at + 1);
        return out;
      }
      out.replace(at, end - at + 1, found->second);
      at += found->second.size();
    }
    return out;
  }

  // Encodes name=value&…; an array value is sent once per element.
  std::string form(const json::value& fields) const {
    std::string text;
    const auto add = [&](std::string_view name, std::string_view value) {
      text += (text.empty() ? "" : "&") + std::string(name) + "=" + Url::encoded(filled(value));
    };
    for (const auto& [name, value] : fields.as_object()) {
      if (value.is_string()) add(name, value.as_string());
      else
        for (const json::value& one : value.as_array()) add(name, one.as_string());
    }
    return text;
  }

  void take(const json::object& step) {
    if (const auto* action = step.if_contains("owner")) {
      if (cookie_ == "none=1") sign_in();
      const std::string_view words = action->as_string();
      constexpr std::string_view kLetsIn = "lets in ";
      const std::string consent = last_.header("Location");
      if (words.starts_with(kLetsIn)) {
        const std::string request = filled(words.substr(kLetsIn.size()));
        last_ = decide(request, "allow", hidden(decide(request, "preview"), "shown"));
        EXPECT_EQ(last_.status, 200) << last_.text;
      } else if (words == "allows") {
        last_.headers.set("Location", location_after(consent));
      } else {
        last_ = decide(consent.substr(consent.find("request=") + 8), "deny", "x");
      }
    } else {
      ask(step.at("send").as_object());
    }
    if (const auto* expected = step.if_contains("expect")) expect(expected->as_object());
    if (const auto* names = step.if_contains("keep")) {
      for (const auto& [name, from] : names->as_object()) {
        const std::string_view where = from.as_string();
        kept_[std::string(name)] = where.starts_with("location:")
                                       ? parameter(last_.header("Location"), std::string(where.substr(9)))
                                       : last_.string(where);
      }
    }
  }

  void ask(const json::object& sent) {
    const std::string method(sent.at("method").as_string());
    std::string target = filled(sent.at("path").as_string());
    if (const auto* query = sent.if_contains("query")) target += "?" + form(*query);
    http::Headers with;
    std::string body;
    if (const auto* fields = sent.if_contains("form")) {
      body = form(*fields);
      with.set("Content-Type", "application/x-www-form-urlencoded");
    }
    if (const auto* value = sent.if_contains("json")) {
      body = filled(json::serialize(*value));
      with.set("Content-Type", "application/json");
    }
    if (const auto* more = sent.if_contains("headers")) {
      for (const auto& [name, value] : more->as_object()) with.set(std::string(name), filled(value.as_string()));
    }
    // Browsers send their cookie; programs have none.
    if (sent.contains("browser")) with.set("Cookie", cookie_);
    last_ = send(method, target, "", body, with);
  }

  void expect(const json::object& wanted) {
    for (const auto& [what, value] : wanted) {
      if (what == "status") {
        ASSERT_EQ(last_.status, value.as_int64()) << last_.text;
      } else if (what == "headers") {
        for (const auto& [name, text] : value.as_object()) {
          EXPECT_EQ(last_.header(name), filled(text.as_string())) << name;
        }
      } else if (what == "json") {
        for (const auto& [pointer, member] : value.as_object()) {
          EXPECT_EQ(json::serialize(last_.at(pointer)), filled(json::serialize(member))) << pointer << " of " << last_.text;
        }
      } else if (what == "absent") {
        for (const json::value& pointer : value.as_array()) EXPECT_FALSE(last_.has(pointer.as_string())) << pointer;
      } else if (what == "text") {
        for (const json::value& part : value.as_array()) {
          EXPECT_NE(last_.text.find(filled(part.as_string())), std::string::npos) << part << " in " << last_.text;
        }
      } else if (what == "location") {
        const std::string location = last_.header("Location");
        EXPECT_TRUE(location.starts_with(filled(value.as_string()))) << location;
      } else if (what == "parameters") {
        for (const auto& [name, text] : value.as_object()) {
          EXPECT_EQ(parameter(last_.header("Location"), std::string(name)), Url::encoded(filled(text.as_string()))) << name;
        }
      } else if (what == "no_nulls") {
        EXPECT_EQ(last_.text.find("null"), std::string::npos) << last_.text;
      } else {
        ADD_FAILURE() << "no such expectation: " << what;
      }
    }
  }

  std::map<std::string, std::string> kept_;
  Answer last_;
};
LADDER_FOR_EVERY_ENGINE(Dialogue);

TEST_P(Dialogue, EveryHostCompletesItsDialogue) {
  std::set<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(LADDER_SOURCE_DIR "/tests/wire/oauth")) files.insert(entry.path());
  ASSERT_GE(files.size(), 10U);
  for (const auto& file : files) replay(file);
}

}  // namespace
}  // namespace ladder::wire
