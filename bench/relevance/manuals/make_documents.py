#!/usr/bin/env python3
"""Writes a judged collection in the form of docs/bench.md: the notes of this folder and the manual pages of Debian packages.

  make_documents.py FOLDER

The pages are those that are installed of the packages below, as plain text; their texts are not part of this repository.
"""
import json, pathlib, re, shutil, subprocess, sys

PACKAGES = """coreutils util-linux mount tar gzip bzip2 findutils grep sed diffutils procps bash passwd login e2fsprogs git-man
bsdutils curl wget openssh-client apt dpkg man-db less xz-utils zip unzip bsdextrautils psmisc""".split()


def pages():
    for package in PACKAGES:
        listed = subprocess.run(["dpkg", "-L", package], capture_output=True, text=True).stdout.split("\n")
        for path in listed:
            found = re.fullmatch(r"/usr/share/man/man[1578]/(.+\.[1578])\.gz", path)
            if found and pathlib.Path(path).is_file() and not pathlib.Path(path).is_symlink():
                yield found.group(1), path


def text_of(path):
    made = subprocess.run(["mandoc", "-T", "utf8", "-O", "width=120", path], capture_output=True, text=True).stdout
    return re.sub(r".\x08", "", made)


def main(folder):
    here = pathlib.Path(__file__).parent
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("queries.ndjson", "judgments.tsv"):
        shutil.copy(here / name, folder / name)
    with open(folder / "documents.ndjson", "w") as documents:
        documents.write((here / "notes.ndjson").read_text())
        for name, path in sorted(set(pages())):
            text = re.sub(r"[ \t]+", " ", text_of(path)).strip()
            if len(text) > 200:
                documents.write(json.dumps({"id": name, "title": name.rsplit(".", 1)[0], "text": text}, ensure_ascii=False) + "\n")


main(sys.argv[1])
