import Foundation
import Gatefold
import TestSupport
import Testing

@testable import Catalogues

@Suite("File of an edition")
struct EditionFileTests {
    private func file(_ name: String) throws(EditionItemProblem) -> String? {
        var item = EditionItem(id: "a")
        item.published = Date(timeIntervalSince1970: 0)
        item.file = name
        return try item.edition().file
    }

    @Test(
        "Is accepted exactly as on disk",
        arguments: ["a.zip", "2026/May Issue.zip", "M\u{E4}rz.zip", "漢字/x.zip", ".hidden", "a+b,c=d.zip"])
    func taken(name: String) throws {
        #expect(try file(name).map { Array($0.utf8) } == Array(name.utf8))
    }

    @Test(
        "Is rejected if the content gate would deny each download",
        arguments: [
            "Ma\u{308}rz.zip", "\u{212B}.zip", "a\u{200B}.zip", "a\u{AD}b.zip", "\u{FEFF}a.zip", "a\u{2028}b.zip",
            "a\u{202E}b.zip", String(repeating: "a", count: 256), String(repeating: "\u{E4}", count: 128), "a/../b",
            "./a", "a//b", "/a", "a/", "a./b", "a /b", "a/\u{301}b/ c", "a;b", "a\\b", "a%20b", "a?b", "a#b", "http:a",
        ])
    func rejected(name: String) {
        #expect(throws: EditionItemProblem.unreadable("file")) { try file(name) }
    }

    @Test("Leaves room for the prefix within the gate's path limit")
    func length() throws {
        let name = String(repeating: "a", count: 255)
        let path = [String](repeating: name, count: 6).joined(separator: "/")
        #expect(try file(path) == path)
        #expect(throws: EditionItemProblem.tooLong("file")) { try file(path + "/" + "b") }
        // Each letter needs six bytes after escaping.
        let wide = [String](repeating: String(repeating: "\u{E4}", count: 100), count: 3).joined(separator: "/")
        #expect(throws: EditionItemProblem.tooLong("file")) { try file(wide) }
    }
}
