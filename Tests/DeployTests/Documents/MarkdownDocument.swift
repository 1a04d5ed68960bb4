import Foundation
import Testing

/// A Markdown file of the repository, with its code blocks.
struct MarkdownDocument {
    /// The root folder of the repository.
    static let repository = URL(filePath: #filePath)
        .deletingLastPathComponent().appending(path: "../../..").standardizedFileURL

    /// The path from the root of the repository.
    let path: String
    let lines: [String]

    /// The folder of the file, to which its links are relative.
    var folder: URL { Self.repository.appending(path: path).deletingLastPathComponent() }

    init(_ path: String) throws {
        self.path = path
        lines = try String(contentsOf: Self.repository.appending(path: path), encoding: .utf8)
            .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    }

    private init(path: String, lines: [String]) {
        self.path = path
        self.lines = lines
    }

    /// Returns the part below a heading of the second level.
    func section(_ heading: String) throws -> MarkdownDocument {
        let start = try #require(lines.firstIndex(of: "## \(heading)"), "\(path) has no section \(heading)")
        let rest = lines[(start + 1)...]
        return MarkdownDocument(path: path, lines: Array(rest.prefix { !$0.hasPrefix("## ") }))
    }

    /// Returns the code blocks with this language, in order. A block without a language has an empty one.
    func blocks(_ language: String) -> [[String]] {
        fenced.filter { $0.language == language }.map(\.lines)
    }

    /// The lines outside of code blocks.
    var prose: [String] {
        var isCode = false
        return lines.filter { line in
            guard line.hasPrefix("```") else { return !isCode }
            isCode.toggle()
            return false
        }
    }

    private var fenced: [(language: String, lines: [String])] {
        var blocks: [(language: String, lines: [String])] = []
        var isCode = false
        for line in lines {
            if line.hasPrefix("```") {
                isCode.toggle()
                if isCode { blocks.append((String(line.dropFirst(3)), [])) }
            } else if isCode {
                blocks[blocks.count - 1].lines.append(line)
            }
        }
        return blocks
    }
}
