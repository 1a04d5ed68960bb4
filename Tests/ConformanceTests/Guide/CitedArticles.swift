import Foundation

@testable import Conformance

/// The articles of the repository's documentation that rules cite.
struct CitedArticles {
    /// An article with its path below `Sources/` and its headings of the second and third level.
    struct Article {
        let path: String
        let headings: [String]
    }

    /// The path of an article below `Sources/` and a heading in it.
    struct Section: Equatable {
        let path: String
        let heading: String

        /// The link to the section from an article of `Conformance.docc`, with the anchor that GitHub generates.
        var link: String {
            let words = heading.lowercased().replacing(" ", with: "-")
            return "../../\(path)#\(words.replacing(/[^a-z0-9_-]/, with: ""))"
        }
    }

    private static let sources = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Sources").standardizedFileURL
    private static let pitfalls = "Gatefold/Gatefold.docc/Pitfalls"

    /// The articles by their titles. A title that is used twice is ambiguous and has no entry.
    let articles: [String: Article]
    /// The sections of the numbered pitfalls by their numbers.
    let numbered: [String: Section]

    init() throws {
        let paths = try FileManager.default.subpathsOfDirectory(atPath: Self.sources.path)
        var articles: [String: [Article]] = [:]
        for path in paths where path.contains(".docc/") && path.hasSuffix(".md") {
            let lines = try Self.lines(path)
            guard let title = lines.first, title.hasPrefix("# ") else { continue }
            let headings = lines.filter { $0.hasPrefix("## ") || $0.hasPrefix("### ") }
                .map { String($0.drop { $0 == "#" }.dropFirst()) }
            articles[String(title.dropFirst(2)), default: []].append(Article(path: path, headings: headings))
        }
        self.articles = articles.compactMapValues { $0.count == 1 ? $0[0] : nil }
        let rows = try Self.lines("\(Self.pitfalls)/Pitfalls.md").compactMap {
            $0.wholeMatch(of: /\| ([0-9]+) \| (.+) \| <doc:([A-Za-z]+)> \|/)
        }
        numbered = Dictionary(
            uniqueKeysWithValues: rows.map { row in
                (String(row.1), Section(path: "\(Self.pitfalls)/\(row.3).md", heading: String(row.2)))
            })
    }

    private static func lines(_ path: String) throws -> [String] {
        try String(contentsOf: sources.appending(path: path), encoding: .utf8).components(separatedBy: "\n")
    }

    /// Returns the section with the given name in the source of a rule, or nil if there is no such heading.
    func section(_ name: String) -> Section? {
        if name.hasPrefix("Pitfall ") {
            guard let section = numbered[String(name.dropFirst("Pitfall ".count))],
                articles.values.contains(where: {
                    $0.path == section.path && $0.headings.contains(section.heading)
                })
            else { return nil }
            return section
        }
        guard let colon = name.firstRange(of: ": "), let article = articles[String(name[..<colon.lowerBound])] else {
            return nil
        }
        let heading = String(name[colon.upperBound...])
        return article.headings.contains(heading) ? Section(path: article.path, heading: heading) : nil
    }
}
