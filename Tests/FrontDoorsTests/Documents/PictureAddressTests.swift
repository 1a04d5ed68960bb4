import ContentGate
import Foundation
import Gatefold
import TestSupport
import Testing

@testable import Catalogues
@testable import FrontDoors

@Suite("Picture address in a document")
struct PictureAddressTests {
    private static let site = DownloadSite(publicURL: "https://e.example.com", prefix: "/content/daily/")

    @Test(
        "on another server is escaped as RFC 3986 requires and keeps its meaning",
        arguments: [
            ("https://cdn.example.com/M\u{E4}rz.jpg", "https://cdn.example.com/M%C3%A4rz.jpg"),
            ("https://cdn.example.com/a|b\"c<d>.jpg", "https://cdn.example.com/a%7Cb%22c%3Cd%3E.jpg"),
            ("https://cdn.example.com/a%20b;v=1/c,d(1)!.jpg", "https://cdn.example.com/a%20b;v=1/c,d(1)!.jpg"),
            (
                "https://cdn.example.com/a?w=1&h=[2]&t=\u{E4}\"#x^",
                "https://cdn.example.com/a?w=1&h=%5B2%5D&t=%C3%A4%22#x%5E"
            ),
            ("http://[::1]:8080/a", "http://[::1]:8080/a"),
            ("https://cdn.example.com?<", "https://cdn.example.com?%3C"),
            ("https://b\u{FC}cher.example\">/x", "https://b%C3%BCcher.example%22%3E/x"),
        ])
    func absolute(address: String, written: String) throws {
        #expect(Self.site.absolute(address) == written)
        #expect(try #require(ContentAddress("https://cdn.example.com/daily/")).of(address) == written)
    }

    @Test(
        "of a relative path gets the content prefix",
        arguments: [
            ("covers/M\u{E4}rz 1.jpg", "https://e.example.com/content/daily/covers/M%C3%A4rz%201.jpg"),
            ("/covers/a%20b.jpg?v=<", "https://e.example.com/covers/a%20b.jpg?v=%3C"),
        ])
    func relative(reference: String, written: String) {
        #expect(Self.site.absolute(reference) == written)
    }

    @Test("holds only characters that a URL allows, for any catalogue text")
    func anything() {
        var random = SeededRandom(seed: 11)
        let allowed = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~%:/?#[]@!$&'()*+,;=".utf8)
        for _ in 0..<8_000 {
            let text = String(
                decoding: random.hostileBytes(upTo: 30, specialCharacters: "/?#%<>\"|[]@:"), as: UTF8.self)
            let address = Self.site.absolute("https://" + text)
            #expect(address.utf8.allSatisfy { allowed.contains($0) })
        }
    }

    @Test("the gate reads the address of every accepted file as that file")
    func gate() throws {
        var random = SeededRandom(seed: 12)
        var taken = 0
        let pieces = [
            "a", "\u{E4}", "a\u{308}", "\u{301}", "\u{AD}", "\u{200B}", ".", "/", " ", "-", "漢", "%", "?", ";", "\\",
            "1",
        ]
        for _ in 0..<8_000 {
            let name = (0..<Int.random(in: 1...6, using: &random)).map { _ in
                pieces.randomElement(using: &random) ?? ""
            }.joined()
            var item = EditionItem(id: "a")
            item.published = Date(timeIntervalSince1970: 0)
            item.file = name
            guard let edition = try? item.edition(), let file = edition.file,
                let archive = Catalogue([edition]).archive(of: edition.id, at: Date(timeIntervalSince1970: 1))
            else { continue }
            taken += 1
            let url = Self.site.url(of: archive)
            let path = try NormalisedPath(target: url)
            #expect(Array(path.segments.dropFirst(2).joined(separator: "/").utf8) == Array(file.utf8))
        }
        #expect(taken > 400)
    }
}
