public import Foundation
import Synchronization

/// A folder of sample editions, as a publisher keeps them: `ROOT/EDITION/…`, `ROOT/EDITION.zip` and `ROOT/covers/…`.
///
/// Every file has bytes of its own that depend on its path alone, so that a test can tell whose byte it was given.
public struct EditionShelf: Sendable {
    /// What stands in every edition; the awkward names are those that escaping gets wrong.
    public static let pages = ["index.html", "images/two words.jpg", "images/été (1), 2+2=4 & 'so' ~ on!.jpg"]

    public let root: URL
    public let editions: [String]

    /// Writes the files into the folder, which must exist.
    public init(in root: URL, editions: [String]) throws {
        self.root = root
        self.editions = editions
        for path in paths {
            let file = root.appendingPathComponent(path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true,
                attributes: [.posixPermissions: 0o755])
            try Data(Self.bytes(of: path)).write(to: file)
            // Yesterday's: of a file that has just changed Apache gives only a weak tag, with which nothing is resumed.
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1_793_534_400)], ofItemAtPath: file.path)
        }
    }

    /// Paths of all files, relative to the root.
    public var paths: [String] {
        editions.flatMap(Self.paths) + editions.map { "covers/\($0).jpg" }
    }

    /// Paths of an edition's files, relative to the root.
    public static func paths(of edition: String) -> [String] {
        ["\(edition).zip"] + pages.map { "\(edition)/\($0)" }
    }

    /// The bytes of the file: a mebibyte for an archive, 20,000 for anything else.
    public static func bytes(of path: String) -> [UInt8] {
        if let known = known.withLock({ $0[path] }) { return known }
        let bytes = makeBytes(of: path)
        known.withLock { $0[path] = bytes }
        return bytes
    }

    private static let known = Mutex<[String: [UInt8]]>([:])

    private static func makeBytes(of path: String) -> [UInt8] {
        var random = SeededRandom(
            seed: path.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 })
        let words = (0..<(path.hasSuffix(".zip") ? 1 << 17 : 2_500)).map { _ in random.next().littleEndian }
        return words.withUnsafeBytes { Array($0) }
    }
}
