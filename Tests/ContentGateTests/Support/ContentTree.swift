import Foundation
import Testing

/// A temporary content directory that is removed with the test.
final class ContentTree: Sendable {
    let root: String

    init() throws {
        root = FileManager.default.temporaryDirectory.appending(path: "content-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(atPath: root) }

    func path(_ name: String) -> String { root + "/" + name }

    func write(_ name: String, _ content: [UInt8]) throws {
        let path = path(name)
        let directory = (path as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try Data(content).write(to: URL(filePath: path))
    }

    func write(_ name: String, _ content: String) throws { try write(name, Array(content.utf8)) }

    func link(_ name: String, to destination: String) throws {
        try FileManager.default.createSymbolicLink(atPath: path(name), withDestinationPath: destination)
    }

    func inode(_ name: String) throws -> UInt64 {
        try #require(FileManager.default.attributesOfItem(atPath: path(name))[.systemFileNumber] as? UInt64)
    }
}
