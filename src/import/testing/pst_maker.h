// Makes small data files of Outlook in memory (MS-PST, Unicode, not encrypted): nodes with properties, all in one page of each
// tree.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::imports::testing {

class PstMaker {
 public:
  // A heap of items, whose root is the first one.
  static std::string heap_of(const std::vector<std::string>& items, int kind) {
    std::string out(12, '\0'), map;
    put(map, items.size(), 2), put(map, 0, 2);
    for (const std::string& item : items) {
      put(map, out.size(), 2);
      out += item;
    }
    put(map, out.size(), 2);
    if (out.size() % 2 != 0) out += '\0';
    std::string head;
    put(head, out.size(), 2), put(head, 0xEC, 1), put(head, static_cast<unsigned>(kind), 1), put(head, 0x20, 4);
    out.replace(0, head.size(), head);
    return out + map;
  }

  // The properties of a node by their number and type.
  class Properties {
   public:
    Properties& text(std::uint16_t id, std::string_view ascii) {
      std::string wide;
      for (const char c : ascii) wide += {c, '\0'};
      return add(id, 0x1F, wide);
    }
    Properties& bytes(std::uint16_t id, std::string value) { return add(id, 0x102, std::move(value)); }
    Properties& number(std::uint16_t id, std::uint32_t value) {
      inline_[id] = {std::uint16_t{3}, value};
      return *this;
    }
    Properties& boolean(std::uint16_t id, bool value) {
      inline_[id] = {std::uint16_t{0xB}, value ? 1U : 0U};
      return *this;
    }
    // Seconds since 1970.
    Properties& time(std::uint16_t id, std::uint64_t seconds) {
      std::string value;
      put(value, (seconds + 11'644'473'600) * 10'000'000, 8);
      return add(id, 0x40, value);
    }

    // A heap with a tree of the properties.
    std::string heap() const {
      std::vector<std::string> items(2);
      put(items[0], 0xB5, 1), put(items[0], 2, 1), put(items[0], 6, 1), put(items[0], 0, 1), put(items[0], 0x40, 4);
      std::map<std::uint16_t, std::pair<std::uint16_t, std::uint32_t>> all = inline_;
      for (const auto& [id, value] : stored_) {
        items.push_back(value.second);
        all[id] = {value.first, static_cast<std::uint32_t>(items.size() << 5)};
      }
      for (const auto& [id, value] : all) put(items[1], id, 2), put(items[1], value.first, 2), put(items[1], value.second, 4);
      return heap_of(items, 0xBC);
    }

   private:
    Properties& add(std::uint16_t id, std::uint16_t type, std::string value) {
      stored_[id] = {type, std::move(value)};
      return *this;
    }
    std::map<std::uint16_t, std::pair<std::uint16_t, std::string>> stored_;
    std::map<std::uint16_t, std::pair<std::uint16_t, std::uint32_t>> inline_;
  };

  static constexpr std::uint32_t kRoot = 0x122, kTop = 0x8022;

  PstMaker() {
    add(0x21, 0, Properties().text(0x3001, "Store").heap());
    // The numbers of named properties: 0x8000 and following stand for these.
    std::string guids, names;
    for (const std::uint32_t group : {0x00062002U, 0x00062004U}) {
      put(guids, group, 4);
      guids += std::string("\0\0\0\0\xC0\0\0\0\0\0\0\x46", 12);
    }
    for (std::uint32_t i = 0; i < kNamed.size(); ++i) {
      put(names, kNamed[i], 4), put(names, (kNamed[i] == 0x8083 ? 4U : 3U) << 1, 2), put(names, i, 2);
    }
    add(0x61, 0, Properties().number(1, 251).bytes(2, guids).bytes(3, names).bytes(4, std::string(4, '\0')).heap());
    add(kRoot, kRoot, folder("").heap());
    add_child(kTop, kRoot, kFolders, folder("Top of Personal Folders"));
  }

  // Returns the number under which a node stores a named property.
  static std::uint16_t named(std::uint32_t number) {
    return static_cast<std::uint16_t>(0x8000 + (std::ranges::find(kNamed, number) - kNamed.begin()));
  }
  static Properties folder(std::string_view name) {
    return Properties().text(0x3001, name).number(0x3602, 0).number(0x3603, 0).boolean(0x360A, true);
  }
  std::uint32_t add_folder(std::uint32_t parent, std::string_view name) {
    const std::uint32_t node = 0x8042 + 0x20 * static_cast<std::uint32_t>(nodes_.size());
    add_child(node, parent, kFolders, folder(name));
    return node;
  }
  void add_item(std::uint32_t folder, const Properties& properties) {
    add_child(0x200024 + 0x20 * static_cast<std::uint32_t>(nodes_.size()), folder, kMessages, properties);
  }

  std::string bytes() const {
    constexpr std::size_t kNodes = 0x1000, kBlocks = 0x1200, kData = 0x2000;
    std::string data, node_page, block_page;
    std::vector<Node> nodes = nodes_;
    for (const auto& [number, rows] : tables_) nodes.push_back({number, 0, table_of(rows)});
    std::ranges::sort(nodes, {}, &Node::number);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const std::uint64_t block = 4 * (i + 1);
      put(node_page, nodes[i].number, 8), put(node_page, block, 8), put(node_page, 0, 8);
      put(node_page, nodes[i].parent, 4), put(node_page, 0, 4);
      const std::size_t at = kData + data.size();
      put(block_page, block, 8), put(block_page, at, 8), put(block_page, nodes[i].heap.size(), 2), put(block_page, 2, 2);
      put(block_page, 0, 4);
      std::string one = nodes[i].heap;
      one.resize((one.size() + 16 + 63) / 64 * 64 - 16, '\0');
      put(one, nodes[i].heap.size(), 2), put(one, signature(at, block), 2), put(one, crc(nodes[i].heap), 4), put(one, block, 8);
      data += one;
    }
    std::string out = header(kNodes, kBlocks, kData + data.size());
    out.resize(kNodes, '\0');
    out += page(node_page, 0x81, 32, kNodes, 0x1000) + page(block_page, 0x80, 24, kBlocks, 0x1004);
    out.resize(kData, '\0');
    return out + data;
  }

 private:
  static constexpr std::array<std::uint32_t, 5> kNamed = {0x820D, 0x820E, 0x8208, 0x8215, 0x8083};

  struct Node {
    std::uint32_t number, parent;
    std::string heap;
  };

  static constexpr std::uint32_t kFolders = 0xD, kMessages = 0xE;  // the kinds of a folder's tables

  void add(std::uint32_t number, std::uint32_t parent, std::string heap) { nodes_.push_back({number, parent, std::move(heap)}); }
  void add_child(std::uint32_t number, std::uint32_t parent, std::uint32_t table, const Properties& properties) {
    add(number, parent, properties.heap());
    tables_[(parent & ~0x1FU) | table].push_back(number);
  }

  // A table with the numbers of nodes.
  static std::string table_of(const std::vector<std::uint32_t>& rows) {
    std::vector<std::string> items(4);
    put(items[0], 0x7C, 1), put(items[0], 2, 1), put(items[0], 8, 2), put(items[0], 8, 2), put(items[0], 8, 2),
        put(items[0], 9, 2);
    put(items[0], 0x40, 4), put(items[0], 0x80, 4), put(items[0], 0, 4);
    put(items[0], 0x67F20003, 4), put(items[0], 0, 2), put(items[0], 4, 1), put(items[0], 0, 1);
    put(items[0], 0x67F30003, 4), put(items[0], 4, 2), put(items[0], 4, 1), put(items[0], 1, 1);
    put(items[1], 0xB5, 1), put(items[1], 4, 1), put(items[1], 4, 1), put(items[1], 0, 1), put(items[1], 0x60, 4);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      put(items[2], rows[i], 4), put(items[2], i, 4);
      put(items[3], rows[i], 4), put(items[3], 0, 4), put(items[3], 0xC0, 1);
    }
    return heap_of(items, 0x7C);
  }

  static void put(std::string& out, std::uint64_t value, int count) {
    for (int i = 0; i < count; ++i) out += static_cast<char>(value >> (8 * i) & 0xFF);
  }

  static std::uint64_t signature(std::uint64_t at, std::uint64_t block) {
    const std::uint64_t mixed = at ^ block;
    return ((mixed >> 16) ^ mixed) & 0xFFFF;
  }

  static std::uint32_t crc(std::string_view text) {
    std::uint32_t sum = 0;
    for (const char c : text) {
      sum ^= static_cast<unsigned char>(c);
      for (int i = 0; i < 8; ++i) sum = sum >> 1 ^ ((sum & 1U) != 0 ? 0xEDB88320U : 0U);
    }
    return sum;
  }

  static std::string page(std::string entries, int kind, int entry_bytes, std::size_t at, std::uint64_t block) {
    const std::size_t count = entries.size() / static_cast<std::size_t>(entry_bytes);
    entries.resize(488, '\0');
    put(entries, count, 1), put(entries, 488U / static_cast<unsigned>(entry_bytes), 1);
    put(entries, static_cast<unsigned>(entry_bytes), 1), put(entries, 0, 5);
    const std::uint32_t sum = crc(entries);
    put(entries, static_cast<unsigned>(kind), 1), put(entries, static_cast<unsigned>(kind), 1);
    put(entries, signature(at, block), 2), put(entries, sum, 4), put(entries, block, 8);
    return entries;
  }

  static std::string header(std::size_t nodes, std::size_t blocks, std::size_t end) {
    std::string rest("SM");
    put(rest, 23, 2), put(rest, 19, 2), put(rest, 0x0101, 2), put(rest, 0, 8), put(rest, 0, 8), put(rest, 0x2000, 8),
        put(rest, 1, 4);
    rest.resize(0xB8 - 8, '\0');
    put(rest, end, 8), put(rest, 0x4400, 8), put(rest, 0, 8), put(rest, 0, 8);
    put(rest, 0x1000, 8), put(rest, nodes, 8), put(rest, 0x1004, 8), put(rest, blocks, 8), put(rest, 2, 4), put(rest, 0, 4);
    rest.resize(0x200 - 8, '\xFF');
    put(rest, 0x80, 1), put(rest, 0, 1), put(rest, 0, 2), put(rest, 0x2000, 8);
    std::string out("!BDN");
    put(out, crc(std::string_view(rest).substr(0, 471)), 4);
    out += rest;
    put(out, crc(std::string_view(rest).substr(0, 516)), 4);
    out.resize(564, '\0');
    return out;
  }

  std::vector<Node> nodes_;
  std::map<std::uint32_t, std::vector<std::uint32_t>> tables_;
};

}  // namespace ladder::imports::testing
