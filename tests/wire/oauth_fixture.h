// A browser with its owner, and programs that connect by an address, against the real program.
#pragma once

#include "auth/authorization.h"
#include "base/text/base64.h"
#include "html/html.h"
#include "rest_fixture.h"

#include <string>
#include <string_view>

namespace ladder::wire {

using html::Url;

inline constexpr std::string_view kVerifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";

class OAuth : public Rest {
 protected:
  OAuth() {
    put("n1", text_member("title", "Kitchen <b>quote</b>") + "," + text_member("secret", "hidden") + "," +
                  text_member("updated_at", "2026-10-01T00:00:00Z"));
  }

  std::string base() {
    if (base_.empty()) base_ = get("/.well-known/oauth-protected-resource", "").string("/resource");
    return base_;
  }
  static std::string challenge() { return base64url::encode(crypto::view(crypto::sha256(kVerifier))); }

  static std::string encoded(std::initializer_list<std::pair<const char*, std::string>> fields) {
    std::string text;
    for (const auto& [name, value] : fields) text += (text.empty() ? "" : "&") + std::string(name) + "=" + Url::encoded(value);
    return text;
  }
  // Posts a program's form.
  Answer post(const std::string& target, std::initializer_list<std::pair<const char*, std::string>> fields) {
    return send("POST", target, "", encoded(fields), headers({{"Content-Type", "application/x-www-form-urlencoded"}}));
  }
  // Posts a page's form, with the session and the origin of this server.
  Answer submit(const std::string& target, const std::string& body) {
    return send("POST", target, "", body,
                headers({{"Content-Type", "application/x-www-form-urlencoded"}, {"Origin", base()}, {"Cookie", cookie_}}));
  }
  Answer open(const std::string& target) {
    return send("GET", target, "", {}, headers({{"Cookie", cookie_}, {"Accept", "text/html"}}));
  }

  // Returns the value of a page's hidden field.
  static std::string hidden(const Answer& page, const std::string& name) {
    const std::string mark = "name=\"" + name + "\" value=\"";
    const auto at = page.text.find(mark);
    if (at == std::string::npos) return "";
    return page.text.substr(at + mark.size(), page.text.find('"', at + mark.size()) - at - mark.size());
  }

  void sign_in() {
    auth::AuthorizationServer machine(server(), store(), auth::make_document_fetcher(), Clock::system());
    const std::string link = must(machine.owners().make_link(owner()));
    const Answer page = open("/sign-in/link?token=" + link);
    ASSERT_EQ(page.status, 200) << page.text;
    const Answer in = submit("/sign-in/link", encoded({{"csrf", hidden(page, "csrf")},
                                                       {"token", link},
                                                       {"passphrase", "four words nobody guesses"},
                                                       {"passphrase_again", "four words nobody guesses"}}));
    ASSERT_EQ(in.status, 303) << in.text;
    const std::string set = in.header("Set-Cookie");
    EXPECT_NE(set.find("__Host-ladder="), std::string::npos);
    for (const char* word : {"Path=/", "Secure", "HttpOnly", "SameSite=Lax"})
      EXPECT_NE(set.find(word), std::string::npos) << word;
    cookie_ = set.substr(0, set.find(';'));
  }

  // Makes every sign-in too old for irreversible actions.
  void age_session() {
    for (store::AuthItem& item : must(store().auth().list("session", owner().owner()))) {
      const auto at = item.body.find("\"confirmed\":") + 12;
      item.body.replace(at, item.body.find_first_of(",}", at) - at, "1");
      store::AuthChange change;
      change.puts.push_back(item);
      ASSERT_TRUE(must(store().auth().apply(change)));
    }
  }
  void sign_in_again() {
    const Answer page = open("/sign-in?again=1");
    const Answer in = submit(
        "/sign-in",
        encoded({{"csrf", hidden(page, "csrf")}, {"next", "/"}, {"name", "local"}, {"passphrase", "four words nobody guesses"}}));
    ASSERT_EQ(in.status, 303) << in.text;
    const std::string set = in.header("Set-Cookie");
    cookie_ = set.substr(0, set.find(';'));
  }

  std::string registered(const std::string& body) {
    const Answer answer = send("POST", "/oauth/register", "", body, headers({{"Content-Type", "application/json"}}));
    EXPECT_EQ(answer.status, 201) << answer.text;
    EXPECT_EQ(answer.string("/token_endpoint_auth_method"), "none");
    EXPECT_EQ(answer.text.find("null"), std::string::npos);
    return answer.string("/client_id");
  }

  std::string authorize_target(const std::string& client, const std::string& redirect, const std::string& more = "") {
    return "/oauth/authorize?" +
           encoded({{"response_type", "code"},
                    {"client_id", client},
                    {"redirect_uri", redirect},
                    {"code_challenge", challenge()},
                    {"code_challenge_method", "S256"},
                    {"state", "st&te"},
                    {"resource", base() + "/mcp"}}) +
           more;
  }

  // Sends the consent page's form with the notes' titles granted, and then the action.
  Answer decide(const std::string& request, const std::string& action, const std::string& shown = "") {
    const Answer page = open("/consent?request=" + request);
    const std::string form = encoded({{"csrf", hidden(page, "csrf")},
                                      {"request", request},
                                      {"l notes/notes", "custom"},
                                      {"f", "notes/notes\ttitle"},
                                      {"t", "12m"},
                                      {"d", "30d"},
                                      {"do", shown.empty() ? "preview" : action},
                                      {"shown", shown}});
    return submit("/consent", form);
  }

  // Goes from the authorize endpoint to the redirect to the client.
  std::string location_after_consent(const std::string& target) {
    const Answer begun = open(target);
    EXPECT_EQ(begun.status, 303) << begun.text;
    return location_after(begun.header("Location"));
  }
  // The same from the consent page on.
  std::string location_after(const std::string& consent) {
    const std::string request = consent.substr(consent.find("request=") + 8);
    const Answer preview = decide(request, "preview");
    EXPECT_EQ(preview.status, 200) << preview.text;
    EXPECT_NE(preview.text.find("Kitchen &lt;b&gt;quote&lt;/b&gt;"), std::string::npos) << "its preview, escaped";
    EXPECT_EQ(preview.text.find("hidden</dd>"), std::string::npos);
    EXPECT_NE(preview.text.find("Secret: not shared"), std::string::npos);
    const Answer allowed = decide(request, "allow", hidden(preview, "shown"));
    EXPECT_EQ(allowed.status, 303) << allowed.text;
    const Answer connected = open(allowed.header("Location"));
    EXPECT_NE(connected.text.find("is connected"), std::string::npos) << connected.text;
    const Answer gone = submit("/consent/continue", encoded({{"csrf", hidden(connected, "csrf")}, {"request", request}}));
    EXPECT_EQ(gone.status, 303) << gone.text;
    return gone.header("Location");
  }
  static std::string parameter(const std::string& location, const std::string& name) {
    const auto at = location.find(name + "=");
    return at == std::string::npos ? "" : location.substr(at + name.size() + 1, location.find('&', at) - at - name.size() - 1);
  }

  std::string cookie_ = "none=1";

 private:
  std::string base_;
};

}  // namespace ladder::wire
