import Foundation
import Testing

/// Compares the paths, file names and symbols that the documents for contributors cite with the repository.
@Suite("Paths that README and CONTRIBUTING cite")
struct DocumentedPathsTests {
    static let documents = ["README.md", ".github/CONTRIBUTING.md"]

    /// Paths that exist only after a build or a start, and placeholders.
    private static let created: Set<String> = [
        ".build/documentation", ".build/release/gatefold", "gatefold.yaml", "Sources/Backends/NAME",
    ]

    @Test("Each link leads to a file", arguments: documents)
    func links(document: String) throws {
        let document = try MarkdownDocument(document)
        let targets = document.prose.flatMap { $0.matches(of: /\]\(([^)#]+)(?:#[^)]*)?\)/).map { String($0.output.1) } }
        #expect(!targets.isEmpty)
        for target in targets where !target.contains("://") {
            let file = document.folder.appending(path: target).standardizedFileURL
            #expect(FileManager.default.fileExists(atPath: file.path), "\(target)")
        }
    }

    @Test("Each path and file name in backticks exists", arguments: documents)
    func paths(document: String) throws {
        let tree = try Self.tree()
        var count = 0
        for code in try Self.codes(document) {
            for path in code.split(separator: " ").map(String.init) where Self.isPath(path) {
                count += 1
                // The expectation itself would print the whole tree.
                let exists = Self.exists(path, in: tree)
                #expect(exists, "\(path)")
            }
        }
        #expect(count > 3)
    }

    @Test("Each symbol in backticks is declared", arguments: documents)
    func symbols(document: String) throws {
        let symbols = Set(try Self.codes(document).filter { $0.wholeMatch(of: /[A-Z][a-z]\w+/) != nil })
        let tree = try Self.tree()
        let names = Set(tree.flatMap { $0.split(separator: "/").map { String($0.prefix { $0 != "." }) } })
        let unnamed = symbols.subtracting(names)
        guard !unnamed.isEmpty else { return }
        let sources = try tree.filter { $0.hasSuffix(".swift") }.map {
            try String(contentsOf: MarkdownDocument.repository.appending(path: $0), encoding: .utf8)
        }
        for symbol in unnamed {
            let kinds = ["struct", "class", "enum", "protocol", "actor", "typealias"].map { "\($0) \(symbol)" }
            #expect(sources.contains { source in kinds.contains { source.contains($0) } }, "\(symbol)")
        }
    }

    /// Returns the texts in backticks outside of code blocks.
    private static func codes(_ document: String) throws -> [String] {
        let text = try MarkdownDocument(document).prose.joined(separator: "\n")
        return text.matches(of: /`([^`]+)`/).map { String($0.output.1) }
    }

    /// Returns whether a word is a path, or a name with the extension of a file of the repository. A leading slash
    /// belongs to a path of HTTP.
    private static func isPath(_ word: String) -> Bool {
        guard word.wholeMatch(of: /[\w.+…\/-]+/) != nil, !word.hasPrefix("/"), !created.contains(word) else {
            return false
        }
        let extensions = [".swift", ".md", ".sh", ".py", ".yaml", ".csv"]
        return word.contains("/") || extensions.contains { word.hasSuffix($0) }
    }

    /// Returns whether the path, or the end of a path, is in the tree. A path may begin below `Sources` or below the
    /// folder that the text is about, and an ellipsis represents any characters.
    private static func exists(_ path: String, in tree: [String]) -> Bool {
        let wanted = path.hasSuffix("/") ? String(path.dropLast()) : path
        if !wanted.contains("…") { return tree.contains { $0 == wanted || $0.hasSuffix("/" + wanted) } }
        let parts = wanted.split(separator: "…").map(String.init)
        return tree.contains { found in
            found.hasPrefix(parts[0]) && (parts.count < 2 || found.hasSuffix(parts[1]))
        }
    }

    /// Returns all files and folders of the repository, without builds.
    private static func tree() throws -> [String] {
        let root = MarkdownDocument.repository
        var found: [String] = []
        for top in ["Sources", "Tests", "Fixtures", "deploy", ".ci", ".github", "README.md", "Package.swift"] {
            found.append(top)
            let below = FileManager.default.enumerator(atPath: root.appending(path: top).path)
            while let path = below?.nextObject() as? String { found.append("\(top)/\(path)") }
        }
        return found
    }
}
