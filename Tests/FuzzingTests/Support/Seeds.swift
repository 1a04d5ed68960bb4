import Foundation

/// The inputs in `Fixtures/Fuzz` from which all others are derived.
enum Seeds {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../Fixtures/Fuzz").standardizedFileURL

    /// Returns the names of all seed folders.
    static func names() throws -> Set<String> {
        Set(try FileManager.default.contentsOfDirectory(atPath: folder.path))
    }

    static func of(_ target: FuzzTarget) throws -> [(name: String, bytes: [UInt8])] {
        let own = folder.appending(path: target.name)
        return try FileManager.default.contentsOfDirectory(atPath: own.path).sorted().map { name in
            (name, Array(try Data(contentsOf: own.appending(path: name))))
        }
    }
}
