// A judged collection: documents in a store of their own, queries, and the documents that answer them. It has one of
// two forms:
//   documents.ndjson, queries.ndjson, judgments.tsv      documents as {"id","title","text"}
//   queries.ndjson, judgments.tsv                        the generated life of demo/life, imported by the real program
// docs/inside/bench.md describes both.
#pragma once

#include "scene.h"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace ladder::bench {

struct JudgedDocument {
  std::string id, title, text;  // id: the id of a search hit, CONNECTION/STREAM:KEY
};

struct JudgedQuestion {
  std::string id, language, text;
  std::map<std::string, int> grades;  // by document, 1 to 3; absent documents are irrelevant
};

class Collection {
 public:
  explicit Collection(const std::filesystem::path& folder);

  bool is_life() const { return life_; }
  const std::vector<JudgedDocument>& documents() const { return documents_; }
  const std::vector<JudgedQuestion>& questions() const { return questions_; }

  // Returns the ids of the owner's ten best hits.
  std::vector<std::string> ask(const std::string& words);

 private:
  void load_documents(const std::filesystem::path& file);
  void import_life();
  void read_imported();
  void read_questions(const std::filesystem::path& folder);

  bool life_ = false;
  ScratchLocation place_;
  std::unique_ptr<Scene> scene_;
  std::vector<JudgedDocument> documents_;
  std::vector<JudgedQuestion> questions_;
  std::map<std::string, std::string> named_;  // from the name in the judgments to the document's id
};

}  // namespace ladder::bench
