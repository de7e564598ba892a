#include "console/sources/zip_writer.h"

#include <gtest/gtest.h>

#include <map>

namespace ladder::console {
namespace {

std::uint64_t number(std::string_view bytes, std::size_t at, int size) {
  std::uint64_t value = 0;
  for (int i = size - 1; i >= 0; --i)
    value = value << 8U | static_cast<unsigned char>(bytes.at(at + static_cast<std::size_t>(i)));
  return value;
}

// Reads an archive from its end, as unzip does: the zip64 locator, its directory, and the data of each entry.
std::map<std::string, std::string> unzip(std::string_view zip) {
  std::map<std::string, std::string> files;
  constexpr std::size_t kEnd = 22, kLocator = 20;
  const std::size_t end = zip.size() - kEnd;
  EXPECT_EQ(number(zip, end, 4), 0x06054B50U);
  const auto record = static_cast<std::size_t>(number(zip, end - kLocator + 8, 8));
  EXPECT_EQ(number(zip, record, 4), 0x06064B50U);
  std::uint64_t count = number(zip, record + 32, 8);
  std::size_t at = number(zip, record + 48, 8);
  for (; count > 0; --count) {
    EXPECT_EQ(number(zip, at, 4), 0x02014B50U);
    const std::size_t name_size = number(zip, at + 28, 2), extra_size = number(zip, at + 30, 2);
    const std::string name(zip.substr(at + 46, name_size));
    const std::size_t extra = at + 46 + name_size;
    const std::size_t bytes = number(zip, extra + 4, 8), local = number(zip, extra + 20, 8);
    EXPECT_EQ(number(zip, local, 4), 0x04034B50U);
    const std::size_t data = local + 30 + number(zip, local + 26, 2) + number(zip, local + 28, 2);
    files[name] = zip.substr(data, bytes);
    EXPECT_EQ(number(zip, data + bytes + 4, 4), number(zip, at + 16, 4)) << "the checksum after the data";
    at = extra + extra_size;
  }
  EXPECT_EQ(at, record) << "the directory ends where its record begins";
  return files;
}

TEST(ZipWriter, EveryEntryCanBeReadBack) {
  std::string zip;
  ZipWriter writer([&](std::string_view bytes) -> Status {
    zip += bytes;
    return {};
  });
  const std::map<std::string, std::string> files = {
      {"empty", ""}, {"a/b.txt", "123456789"}, {"ü.bin", std::string(70'000, '\0')}};
  for (const auto& [name, text] : files) {
    ASSERT_TRUE(writer.begin(name));
    for (std::size_t at = 0; at < text.size(); at += 1'000) ASSERT_TRUE(writer.write(std::string_view(text).substr(at, 1'000)));
    ASSERT_TRUE(writer.end());
  }
  ASSERT_TRUE(writer.finish());
  EXPECT_EQ(unzip(zip), files);
  // The CRC-32 of "123456789" is the check value of that polynomial.
  EXPECT_EQ(number(zip, zip.find("123456789") + 13, 4), 0xCBF43926U);
}

TEST(ZipWriter, AnArchiveWithoutEntriesIsValid) {
  std::string zip;
  ZipWriter writer([&](std::string_view bytes) -> Status {
    zip += bytes;
    return {};
  });
  ASSERT_TRUE(writer.finish());
  EXPECT_TRUE(unzip(zip).empty());
}

TEST(ZipWriter, AFailedWriteIsReported) {
  ZipWriter writer([](std::string_view) -> Status { return fail(Code::kStoreUnavailable, "the client hung up"); });
  EXPECT_FALSE(writer.begin("a"));
}

}  // namespace
}  // namespace ladder::console
