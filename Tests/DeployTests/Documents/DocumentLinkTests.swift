import Foundation
import Testing

@Suite("Links of documents")
struct DocumentLinkTests {
    private let files: [String: MarkdownFile]

    init() throws {
        files = Dictionary(uniqueKeysWithValues: try MarkdownFile.all().map { ($0.path, $0) })
    }

    @Test("lead to existing files and headings")
    func existingFiles() throws {
        #expect(files.count > 80 && files.values.flatMap(\.links).count > 150)
        for file in files.values {
            for link in file.links {
                let parts = link.target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
                let path = parts[0].isEmpty ? file.path : Self.path(String(parts[0]), from: file.path)
                let exists = FileManager.default.fileExists(atPath: MarkdownFile.root.appending(path: path).path)
                #expect(exists, "\(file.path):\(link.line): \(link.target) leads to no file")
                if parts.count > 1, exists {
                    let anchors = try #require(files[path]?.anchors, "\(file.path):\(link.line): \(link.target)")
                    #expect(
                        anchors.contains(String(parts[1])),
                        "\(file.path):\(link.line): \(link.target) leads to no heading")
                }
            }
        }
    }

    @Test("between articles of a catalogue lead to existing articles and headings")
    func existingArticles() throws {
        #expect(files.values.flatMap(\.articleLinks).count > 200)
        for file in files.values {
            for link in file.articleLinks {
                let parts = link.target.split(separator: "#", maxSplits: 1)
                let catalogue = file.path.prefix { $0 != "." } + ".docc/"
                // An article with the name of its module has a link with its whole path.
                let name = parts[0].split(separator: "/").last ?? ""
                let article = files.values.first {
                    $0.path.hasPrefix(catalogue) && $0.path.hasSuffix("/\(name).md")
                }
                #expect(article != nil, "\(file.path):\(link.line): \(link.target) leads to no article")
                if parts.count > 1, let article {
                    #expect(
                        article.anchors.contains(parts[1].lowercased()),
                        "\(file.path):\(link.line): \(link.target) leads to no heading")
                }
            }
        }
    }

    @Test("reach every article from the Topics of its module")
    func listedArticles() throws {
        let articles = files.values.filter { $0.path.contains(".docc/") }
        let landings = try articles.filter { article in
            let text = try String(contentsOf: MarkdownFile.root.appending(path: article.path), encoding: .utf8)
            return text.hasPrefix("# ``")
        }
        for landing in landings {
            let catalogue = landing.path.prefix { $0 != "." } + ".docc/"
            let topics = landing.lines.drop { $0 != "## Topics" }.joined()
            for article in articles where article.path.hasPrefix(catalogue) && article.path != landing.path {
                let name = URL(filePath: article.path).deletingPathExtension().lastPathComponent
                let isListed = topics.contains("<doc:\(name)>") || topics.contains("/\(name)>")
                #expect(isListed, "\(article.path) is not in the Topics of \(landing.path)")
            }
        }
    }

    @Test("are found outside of code only")
    func code() {
        let text = """
            # A `heading` of two, words
            ## Same
            ## Same
            [file](a.md#b) `[code](c.md)` [`name`](d/) [site](https://example.com) <doc:Article#Part>
            ```
            [block](e.md) # no heading
            ```
            """
        let file = MarkdownFile(path: "a.md", text: text)
        #expect(file.anchors == ["a-heading-of-two-words", "same", "same-1"])
        #expect(file.links.map(\.target) == ["a.md#b", "d/"] && file.links.map(\.line) == [4, 4])
        #expect(file.articleLinks.map(\.target) == ["Article#Part"])
    }

    /// Returns the path below the root to which a relative link in a file leads.
    private static func path(_ link: String, from path: String) -> String {
        var parts = path.split(separator: "/").dropLast().map(String.init)
        for part in link.split(separator: "/") {
            switch part {
            case ".": break
            case "..": if !parts.isEmpty { parts.removeLast() }
            default: parts.append(String(part))
            }
        }
        return parts.joined(separator: "/")
    }
}
