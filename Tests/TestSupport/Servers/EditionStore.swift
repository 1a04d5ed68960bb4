public import Foundation
import Synchronization

/// A folder of sample editions in a publisher's layout: `ROOT/EDITION/…`, `ROOT/EDITION.zip` and `ROOT/covers/…`.
///
/// Every file has unique bytes that depend only on its path, so that a test can identify the origin of a byte.
public struct EditionStore: Sendable {
    /// The pages of every edition. The unusual names are those that are easily escaped wrongly.
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
            // Yesterday, because Apache gives a recently changed file a weak tag, which allows no resumption.
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1_750_000_000)], ofItemAtPath: file.path)
        }
    }

    /// The paths of all files, relative to the root.
    public var paths: [String] {
        editions.flatMap(Self.paths) + editions.map { "covers/\($0).jpg" }
    }

    /// Returns the paths of an edition's files, relative to the root.
    public static func paths(of edition: String) -> [String] {
        ["\(edition).zip"] + pages.map { "\(edition)/\($0)" }
    }

    /// Returns the bytes of the file: a mebibyte for an archive, 20,000 for other files.
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
