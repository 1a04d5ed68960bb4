import Foundation
import Gatefold
import TestSupport

/// A generator of random editions.
struct SampleEditions {
    var random: SeededRandom

    private static let words = [
        "Winter", "Ågren & Söhne", "<b>\"quoted\"</b>", "漢字", "it's", "a=b", "100 %", "line\nbreak", "🙂", "tab\there",
    ]

    mutating func text() -> String {
        (0..<Int.random(in: 1...3, using: &random)).map { _ in Self.words.randomElement(using: &random) ?? "" }
            .joined(separator: " ")
    }

    mutating func maybe<Value>(_ value: (inout SampleEditions) -> Value) -> Value? {
        Bool.random(using: &random) ? value(&self) : nil
    }

    mutating func date() -> Date {
        Date(timeIntervalSince1970: Double(Int64.random(in: 0...1_793_000_000_000, using: &random)) / 1000)
    }

    /// Returns a random edition that a feed can represent completely.
    mutating func edition(_ index: Int) -> Edition {
        let isDraft = Int.random(in: 0..<5, using: &random) == 0
        let id = "com.example.\(index)"
        let published = date()
        var details = EditionDetails()
        details.summary = maybe { $0.text() }
        details.author = maybe { $0.text() }
        details.cover = maybe { _ in Bool.random() ? "covers/\(id).png" : "https://img.example.com/\(id).jpg?w=1&h=2" }
        details.sample = maybe { _ in "samples/\(id).pdf" }
        details.categories = (0..<Int.random(in: 0...3, using: &random)).map { index in
            ["News", "region=north", "topic=a=b"][index]
        }
        details.updated = maybe { $0.date() }.flatMap { $0 == published ? nil : $0 }
        return Edition(
            id: EditionID(id)!, title: text(), published: published,
            isFree: !isDraft && Bool.random(using: &random), isDraft: isDraft,
            product: maybe { _ in "product.\(index)" }, file: "\(id).\(["pugpigpkg", "xml", "zip"][index % 3])",
            details: details)
    }
}
