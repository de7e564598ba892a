// Makes SQLite files for tests, as the programs of other people write them.
#pragma once

#include <sqlite3.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace ladder::imports::testing {

// A database in memory.
class SqliteMaker {
 public:
  SqliteMaker() { sqlite3_open(":memory:", &file_); }
  ~SqliteMaker() { sqlite3_close(file_); }
  SqliteMaker(const SqliteMaker&) = delete;
  SqliteMaker& operator=(const SqliteMaker&) = delete;

  SqliteMaker& run(const std::string& sql) {
    char* error = nullptr;
    if (sqlite3_exec(file_, sql.c_str(), nullptr, nullptr, &error) != SQLITE_OK)
      problems += std::string(error) + " in " + sql + "\n";
    sqlite3_free(error);
    return *this;
  }
  std::string bytes() const {
    sqlite3_int64 size = 0;
    unsigned char* const image = sqlite3_serialize(file_, "main", &size, 0);
    std::string copy(reinterpret_cast<const char*>(image), static_cast<std::size_t>(size));
    sqlite3_free(image);
    return copy;
  }
  std::string problems;

 private:
  sqlite3* file_ = nullptr;
};

// A database on disk in WAL mode, copied while its program runs: the file without the last changes, and the log with them.
struct RunningDatabase {
  std::string database, log;
};
inline RunningDatabase running_database(const std::string& before, const std::string& after) {
  namespace fs = std::filesystem;
  std::string folder = (fs::temp_directory_path() / "ladder-wal-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) return {};
  const std::string path = folder + "/file.db";
  sqlite3* file = nullptr;
  sqlite3_open(path.c_str(), &file);
  sqlite3_exec(
      file,
      ("PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0; " + before + "; PRAGMA wal_checkpoint(TRUNCATE); " + after).c_str(),
      nullptr, nullptr, nullptr);
  const auto read = [](const std::string& name) {
    std::ifstream in(name, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  RunningDatabase copy{read(path), read(path + "-wal")};
  sqlite3_close(file);
  fs::remove_all(folder);
  return copy;
}

}  // namespace ladder::imports::testing
