import Foundation

/// A Markdown file of the repository, without its code.
struct MarkdownFile {
    /// A link and the number of its line.
    struct Link: Equatable {
        let target: String
        let line: Int
    }

    static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
        .standardizedFileURL

    /// The path below the root of the repository.
    let path: String
    /// The lines, in which code blocks and code spans are empty.
    let lines: [String]
    /// The anchors of the headings, as GitHub generates them.
    let anchors: Set<String>

    init(path: String) throws {
        let text = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
        self.init(path: path, text: text)
    }

    init(path: String, text: String) {
        self.path = path
        var isCode = false
        var lines: [String] = []
        var anchors: Set<String> = []
        for line in text.components(separatedBy: "\n") {
            let isFence = line.drop { $0 == " " }.hasPrefix("```")
            if isFence { isCode.toggle() }
            lines.append(isFence || isCode ? "" : line.replacing(/`+[^`]*`+/, with: ""))
            guard !isCode, let heading = line.wholeMatch(of: /#{1,6} (.+)/) else { continue }
            let anchor = Self.anchor(of: String(heading.1))
            let number = (0...).first { !anchors.contains($0 == 0 ? anchor : "\(anchor)-\($0)") } ?? 0
            anchors.insert(number == 0 ? anchor : "\(anchor)-\(number)")
        }
        self.lines = lines
        self.anchors = anchors
    }

    /// The Markdown files that readers of the repository see: the README, the guides to contributing, and everything in
    /// Sources and deploy.
    static func all() throws -> [MarkdownFile] {
        let folders = [".github", "Sources", "deploy"].flatMap { folder in
            (FileManager.default.subpaths(atPath: root.appending(path: folder).path) ?? []).map { "\(folder)/\($0)" }
        }
        return try (["README.md"] + folders.filter { $0.hasSuffix(".md") }.sorted()).map { try MarkdownFile(path: $0) }
    }

    /// Returns the anchor that GitHub generates for a heading.
    static func anchor(of heading: String) -> String {
        heading.lowercased().replacing(" ", with: "-").filter { $0.isLetter || $0.isNumber || $0 == "-" || $0 == "_" }
    }

    /// The links to files and headings. Links to other sites are left out.
    var links: [Link] {
        found(/\]\(([^)\s]+)\)/).filter { !$0.target.contains(/^[a-z]+:/) }
    }

    /// The links of DocC to articles of the same catalogue.
    var articleLinks: [Link] { found(/<doc:([^>]+)>/) }

    private func found(_ pattern: some RegexComponent<(Substring, Substring)>) -> [Link] {
        zip(1..., lines).flatMap { number, line in
            line.matches(of: pattern).map { Link(target: String($0.output.1), line: number) }
        }
    }
}
