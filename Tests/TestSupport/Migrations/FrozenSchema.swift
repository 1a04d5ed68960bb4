public import Foundation
public import Testing

/// A database of a past release: a dump of its tables with rows in each.
///
/// The dumps in `Fixtures/Migrations` were created once by `sqlite3 FILE .dump` after the release's own migrations, and
/// never change. Each migration in a release adds one, with its line in `SHA256SUMS`.
public struct FrozenSchema: Sendable, CustomTestStringConvertible {
    public let name: String
    public let sql: String

    public var testDescription: String { name }

    public static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Fixtures/Migrations").standardizedFileURL

    /// Returns the dumps of one kind of database, such as `state`, ordered by version.
    public static func all(of kind: String) -> [FrozenSchema] {
        (1...).lazy
            .map { version -> FrozenSchema? in
                let name = "\(kind)-\(version).sql"
                guard let sql = try? String(contentsOf: folder.appending(path: name), encoding: .utf8) else {
                    return nil
                }
                return FrozenSchema(name: name, sql: sql)
            }
            .prefix { $0 != nil }
            .compactMap(\.self)
    }

    /// Returns the SHA-256 of each dump in lower-case hexadecimal digits, by name.
    public static func checksums() throws -> [String: String] {
        let text = try String(contentsOf: folder.appending(path: "SHA256SUMS"), encoding: .utf8)
        return Dictionary(
            uniqueKeysWithValues: text.split(separator: "\n").map { line in
                let parts = line.split(separator: " ", omittingEmptySubsequences: true)
                return (String(parts[1]), String(parts[0]))
            })
    }
}
