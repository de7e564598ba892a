#include "ask/model.h"

#include <gtest/gtest.h>

namespace ladder::ask {
namespace {

ModelOptions options(std::string endpoint) {
  ModelOptions made;
  made.endpoint = std::move(endpoint);
  made.model = "small";
  return made;
}

TEST(Model, TakesAddressesOfBothKindsOfServer) {
  for (const char* endpoint :
       {"http://localhost:11434", "http://127.0.0.1:1/", "http://[::1]:8080/v1", "https://models.example/api/v1/"})
    EXPECT_TRUE(LanguageModel::create(options(endpoint))) << endpoint;
  for (const char* endpoint : {"", "localhost:11434", "ftp://localhost", "http://localhost/chat", "http://user@localhost/v1",
                               "http://localhost/v1?key=1", "http://local host/v1"}) {
    const auto made = LanguageModel::create(options(endpoint));
    ASSERT_FALSE(made) << endpoint;
    EXPECT_EQ(made.error().param, "ask_endpoint");
  }
}

TEST(Model, ChecksTheOtherSettings) {
  ModelOptions made = options("http://localhost:11434");
  made.key = "two\nlines";
  EXPECT_EQ(LanguageModel::create(made).error().param, "ask_key_file");
  made.key.clear();
  made.timeout_s = 0;
  EXPECT_EQ(LanguageModel::create(made).error().param, "ask_timeout");
  made.timeout_s = 1;
  made.model.clear();
  EXPECT_EQ(LanguageModel::create(made).error().param, "ask_model");
}

// No address outside this computer and private networks is connected to: these two are documentation and metadata addresses.
TEST(Model, SendsNothingToOtherAddresses) {
  for (const char* endpoint :
       {"http://192.0.2.1", "http://169.254.169.254", "https://198.51.100.7/v1", "http://[2001:db8::1]/v1"}) {
    const auto model = LanguageModel::create(options(endpoint));
    ASSERT_TRUE(model) << endpoint;
    const auto answer = (*model)->complete("a", "b", {});
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, Code::kPermission) << endpoint << ": " << answer.error().message;
  }
  // With ask_remote, still not without encryption.
  ModelOptions remote = options("http://8.8.8.8");
  remote.allow_remote = true;
  const auto model = LanguageModel::create(remote);
  ASSERT_TRUE(model);
  EXPECT_EQ((*model)->complete("a", "b", {}).error().code, Code::kPermission);
}

}  // namespace
}  // namespace ladder::ask
