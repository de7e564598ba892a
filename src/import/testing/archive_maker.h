// Builds valid and invalid zips and tars for tests.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::imports::testing {

inline void save(const std::filesystem::path& path, std::string_view bytes) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

inline std::string deflated(std::string_view text, int window = -15) {
  z_stream zlib{};
  deflateInit2(&zlib, 9, Z_DEFLATED, window, 9, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&zlib, static_cast<uLong>(text.size())) + 64, '\0');
  std::string input(text);
  zlib.next_in = reinterpret_cast<Bytef*>(input.data());
  zlib.avail_in = static_cast<uInt>(input.size());
  zlib.next_out = reinterpret_cast<Bytef*>(out.data());
  zlib.avail_out = static_cast<uInt>(out.size());
  deflate(&zlib, Z_FINISH);
  out.resize(zlib.total_out);
  deflateEnd(&zlib);
  return out;
}

inline std::string gzipped(std::string_view text) { return deflated(text, 15 + 16); }

class ZipMaker {
 public:
  struct FalseHeader {
    std::int64_t size = -1;        // instead of the true size
    std::uint32_t attributes = 0;  // Unix mode in the upper half
    std::uint64_t method = 8;      // the bytes are always deflated
  };

  ZipMaker& add(std::string_view name, std::string_view text) { return add(name, text, FalseHeader{}); }
  ZipMaker& add(std::string_view name, std::string_view text, FalseHeader claimed) {
    const std::string packed = deflated(text);
    const auto crc =
        static_cast<std::uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(text.data()), static_cast<uInt>(text.size())));
    const auto size = static_cast<std::uint64_t>(claimed.size >= 0 ? claimed.size : static_cast<std::int64_t>(text.size()));
    const std::uint64_t offset = out_.size();
    const bool wide = zip64_ || size > 0xFFFFFFFE;
    std::string common;
    put(common, wide ? 45 : 20, 2);
    put(common, 0x0800, 2);  // names are UTF-8
    put(common, claimed.method, 2);
    put(common, 0, 2);
    put(common, 0x5A21, 2);  // January 1, 2025
    put(common, crc, 4);
    put(common, wide ? 0xFFFFFFFF : packed.size(), 4);
    put(common, wide ? 0xFFFFFFFF : size, 4);
    put(common, name.size(), 2);
    std::string extra;
    if (wide) {
      put(extra, 1, 2);
      put(extra, 16, 2);
      put(extra, size, 8);
      put(extra, packed.size(), 8);
    }
    put(out_, 0x04034B50, 4);
    out_ += common;
    put(out_, extra.size(), 2);
    out_.append(name).append(extra).append(packed);
    put(directory_, 0x02014B50, 4);
    put(directory_, 3 << 8 | 45, 2);  // created on Unix
    directory_ += common;
    put(directory_, extra.size(), 2);
    put(directory_, 0, 6);
    put(directory_, claimed.attributes, 4);
    put(directory_, offset, 4);
    directory_.append(name).append(extra);
    ++count_;
    return *this;
  }
  ZipMaker& wide() {  // uses zip64 fields from here on
    zip64_ = true;
    return *this;
  }

  std::string bytes() const {
    std::string out = out_ + directory_;
    put(out, 0x06054B50, 4);
    put(out, 0, 4);
    put(out, count_, 2);
    put(out, count_, 2);
    put(out, directory_.size(), 4);
    put(out, out_.size(), 4);
    put(out, 0, 2);
    return out;
  }

 private:
  static void put(std::string& out, std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xFF);
  }

  std::string out_, directory_;
  std::uint64_t count_ = 0;
  bool zip64_ = false;
};

class TarMaker {
 public:
  TarMaker& add(std::string_view name, std::string_view text, char type = '0', std::string_view link = {}) {
    std::string header(512, '\0');
    header.replace(0, std::min<std::size_t>(name.size(), 100), name.substr(0, 100));
    const auto octal = [&](std::size_t at, int width, std::uint64_t value) {
      char digits[32];
      std::snprintf(digits, sizeof digits, "%0*llo", width, static_cast<unsigned long long>(value));
      header.replace(at, static_cast<std::size_t>(width), digits, static_cast<std::size_t>(width));
    };
    octal(100, 7, 0644);
    octal(124, 11, text.size());
    octal(136, 11, 1'735'689'600);
    header[156] = type;
    header.replace(157, std::min<std::size_t>(link.size(), 100), link.substr(0, 100));
    header.replace(257, 8,
                   "ustar\0"
                   "00",
                   8);
    header.replace(148, 8, "        ");
    unsigned sum = 0;
    for (const char c : header) sum += static_cast<unsigned char>(c);
    octal(148, 6, sum);
    header[154] = '\0';
    out_ += header;
    out_ += text;
    out_.append((512 - text.size() % 512) % 512, '\0');
    return *this;
  }
  std::string bytes() const { return out_ + std::string(1024, '\0'); }

 private:
  std::string out_;
};

}  // namespace ladder::imports::testing
