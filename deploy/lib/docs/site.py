"""Finishes the site that docc has merged: python3 site.py SITE

Links between the articles of different modules are relative paths of files, because these work in the repository as well.
They become links to pages. The landing page and the navigation get the groups of Index.md, and the modules as the last
group. The program fails if a link leads to no page or heading.
"""

import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]
INDEX = pathlib.Path(__file__).with_name("Index.md")
LINK = re.compile(r"^- \[([^\]]+)\]\(([^)]+)\)$")


def page_of(article):
    """Returns the path of an article's page: a module's page if the article's title is the module."""
    module = article.relative_to(ROOT / "Sources").parts[0]
    title = article.read_text(encoding="utf-8").splitlines()[0]
    name = "" if title == f"# ``{module}``" else "/" + re.sub(r"[^a-z0-9_-]", "-", article.stem.lower())
    return f"/documentation/{module.lower()}{name}"


class Site:
    def __init__(self, folder):
        self.folder = folder
        self.articles = sorted((ROOT / "Sources").glob("*/*.docc/**/*.md"))
        self.pages = {article: page_of(article) for article in self.articles}
        self.anchors = {}

    def data(self, page):
        return self.folder / f"data{page}.json"

    def read(self, page):
        return json.loads(self.data(page).read_text(encoding="utf-8"))

    def headings(self, page):
        """Returns the anchors of a page by their lower-case text, which is the anchor in the repository."""
        if page not in self.anchors:
            content = [b for s in self.read(page).get("primaryContentSections", []) for b in s.get("content", [])]
            headings = [b for b in content if b["type"] == "heading"]
            self.anchors[page] = {self.slug(b["text"]): b["anchor"] for b in headings}
        return self.anchors[page]

    @staticmethod
    def slug(heading):
        return re.sub(r"[^\w-]", "", heading.lower().replace(" ", "-"))

    def url(self, link, source):
        """Returns the URL of the page to which a relative link in a file leads."""
        path, _, anchor = link.partition("#")
        page = self.pages.get((source.parent / path).resolve())
        if page is None or not self.data(page).exists():
            sys.exit(f"{source.relative_to(ROOT)}: {link} leads to no page of the documentation")
        if anchor and anchor not in self.headings(page):
            sys.exit(f"{source.relative_to(ROOT)}: {link} leads to no heading")
        return f"{page}#{self.headings(page)[anchor]}" if anchor else page

    def link_articles(self):
        for article, page in self.pages.items():
            content = self.read(page)
            links = [r for r in content.get("references", {}).values() if r["type"] == "link"]
            links = [r for r in links if not re.match(r"[a-z]+:|#|/", r["url"])]
            for reference in links:
                reference["url"] = self.url(reference["url"], article)
            if links:
                self.data(page).write_text(json.dumps(content), encoding="utf-8")

    def groups(self):
        """Returns the groups of Index.md with their links: title, URL."""
        groups = []
        for line in INDEX.read_text(encoding="utf-8").splitlines():
            if line.startswith("## "):
                groups.append((line[3:], []))
            elif match := LINK.match(line):
                groups[-1][1].append((match[1], self.url(match[2], INDEX)))
        return groups

    def write_index(self):
        landing = self.read("/documentation")
        modules = landing["topicSections"][0]["identifiers"]
        sections, nodes = [], []
        for title, links in self.groups():
            identifiers = []
            for name, url in links:
                content = self.read(url)
                identifier = content["identifier"]["url"]
                landing["references"][identifier] = {
                    "type": "topic", "kind": content["kind"], "role": content["metadata"]["role"], "title": name,
                    "identifier": identifier, "url": url, "abstract": content.get("abstract", []),
                }
                identifiers.append(identifier)
                nodes.append({"type": "article", "title": name, "path": url})
            sections.append({"title": title, "anchor": title.replace(" ", "-"), "identifiers": identifiers or modules})
            nodes.insert(len(nodes) - len(links), {"type": "groupMarker", "title": title})
        landing["topicSections"] = sections
        landing["abstract"] = [{"type": "text", "text": INDEX.read_text(encoding="utf-8").split("\n\n")[1]}]
        self.data("/documentation").write_text(json.dumps(landing), encoding="utf-8")

        navigation = self.folder / "index/index.json"
        content = json.loads(navigation.read_text(encoding="utf-8"))
        root = content["interfaceLanguages"]["swift"][0]
        root["children"] = nodes + root["children"]
        navigation.write_text(json.dumps(content), encoding="utf-8")


if __name__ == "__main__":
    site = Site(pathlib.Path(sys.argv[1]))
    site.link_articles()
    site.write_index()
