// The pages of sources that need a recent sign-in: accounts that Ladder syncs, and merging two sources.
#include "oauth_fixture.h"
#include "sync/sync_store.h"

#include <chrono>
#include <thread>

namespace ladder::wire {
namespace {

class SourcePages : public OAuth {
 protected:
  SourcePages() : sources(store(), Clock::system()) {}

  // An account that never runs, whose last run found three deleted messages.
  void add_account() {
    sync::Source source;
    source.name = "work";
    source.server.host = "127.0.0.1";
    source.user = "ann";
    source.connection = "mail-work";
    source.paused = true;
    ASSERT_TRUE(sources.add(owner(), source, "secret"));
    sync::SourceStatus status = must(sources.status(owner(), "work"));
    status.waiting_removals = 3;
    ASSERT_TRUE(sources.put_status(owner(), "work", status));
  }
  std::string form_token() { return hidden(open("/sources"), "csrf"); }
  Answer act(std::string what, std::string confirmed = "") {
    return submit("/sources/sync", encoded({{"csrf", form_token()},
                                            {"name", "work"},
                                            {"do", std::move(what)},
                                            {"confirmed", std::move(confirmed)},
                                            {"password", "another"}}));
  }

  sync::SyncStore sources;
};

LADDER_FOR_EVERY_ENGINE(SourcePages);

TEST_P(SourcePages, ChangesOfAccountsNeedARecentSignIn) {
  add_account();
  sign_in();
  const std::string token = form_token();
  age_session();
  const std::string again = "/sign-in?again=1&next=";
  EXPECT_EQ(open("/sources/add").header("Location"), again + "%2Fsources%2Fadd%3Fkind%3Dimap");
  EXPECT_EQ(open("/sources/add?kind=caldav").header("Location"), again + "%2Fsources%2Fadd%3Fkind%3Dcaldav");
  EXPECT_EQ(
      submit("/sources/add", encoded({{"csrf", token}, {"kind", "imap"}, {"user", "eve"}, {"password", "x"}})).header("Location"),
      again + "%2Fsources%2Fadd%3Fkind%3Dimap");
  for (const char* what : {"password", "remove"})
    EXPECT_EQ(act(what).header("Location"), again + "%2Fsources%2Fsync%3Fname%3Dwork") << what;
  EXPECT_EQ(act("run", "3").header("Location"), again + "%2Fsources%2Fsync%3Fname%3Dwork");
  EXPECT_EQ(must(sources.list(owner())).size(), 1U);
  EXPECT_EQ(must(sources.find(owner(), "work")).asked_at, 0) << "nothing was asked for";
  EXPECT_EQ(must(sources.secret(owner(), must(sources.find(owner(), "work")))), "secret");
  EXPECT_EQ(act("run").header("Location"), "/sources/sync?name=work") << "a run without removals needs none";
  EXPECT_EQ(open("/sources/sync?name=work").status, 200) << "nor does looking at it";
}

TEST_P(SourcePages, AConfirmationCoversOnlyWhatIsWaiting) {
  add_account();
  sign_in();
  EXPECT_EQ(act("run", "999999").status, 303);
  EXPECT_EQ(must(sources.find(owner(), "work")).confirmed_removals, 3);
  EXPECT_EQ(act("run", "2").status, 303);
  EXPECT_EQ(must(sources.find(owner(), "work")).confirmed_removals, 2);
  EXPECT_EQ(act("run", "-5").status, 303);
  EXPECT_EQ(must(sources.find(owner(), "work")).confirmed_removals, 0);
}

TEST_P(SourcePages, MergingNeedsARecentSignInAndAConfirmation) {
  must(server().sources().add_connection(owner(), "notes", "Second", "second"));
  put("n2", text_member("title", "Another"), "second");
  sign_in();
  const std::string form = encoded({{"csrf", form_token()}, {"connection", "second"}, {"into", "work"}});
  const std::string sure = form + "&sure=yes", page = "/sources/merge?connection=second&into=work";
  age_session();
  EXPECT_TRUE(open(page).header("Location").starts_with("/sign-in?again=1&next=%2Fsources%2Fmerge"));
  EXPECT_TRUE(submit("/sources/merge", sure).header("Location").starts_with("/sign-in?again=1"));
  sign_in_again();
  const std::string token = form_token();
  const auto merge = [&](const std::string& from, const std::string& into, const std::string& confirmed) {
    return submit("/sources/merge", encoded({{"csrf", token}, {"connection", from}, {"into", into}, {"sure", confirmed}}));
  };
  EXPECT_EQ(merge("second", "work", "").status, 422) << "without the confirmation";
  EXPECT_EQ(merge("second", "second", "yes").status, 400);
  EXPECT_EQ(merge("second", "nowhere", "yes").status, 404);
  EXPECT_EQ(must(server().sources().connections(owner())).size(), 2U);
  EXPECT_EQ(merge("second", "work", "yes").header("Location"), page);
  std::string shown;
  for (int tries = 0; tries < 600 && shown.find("is now part of") == std::string::npos; ++tries) {
    shown = open(page).text;
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  EXPECT_NE(shown.find("is now part of"), std::string::npos) << shown;
  EXPECT_EQ(must(server().sources().connections(owner())).size(), 1U);
}

}  // namespace
}  // namespace ladder::wire
