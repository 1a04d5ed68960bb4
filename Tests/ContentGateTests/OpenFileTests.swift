import Foundation
import NIOCore
import TestSupport
import Testing

@testable import ContentGate

@Suite("Open file")
struct OpenFileTests {
    @Test("reports which of its ranges are in memory")
    func memory() async throws {
        try await withTemporaryFolder { folder in
            let size = 4 << 20
            let path = folder.appending(path: "edition.zip").path
            try Data(repeating: 0x61, count: size).write(to: URL(fileURLWithPath: path))
            let file = try OpenFile.open(["edition.zip"], below: folder.path)
            let whole = 0..<Int64(size)
            // Some file systems do not report this; their files never count as resident.
            guard file.isResident(whole) else { return }
            #expect(file.isResident(5..<6) && file.isResident((128 << 10)..<(128 << 10) + 1))
            let descriptor = open(path, O_RDONLY)
            defer { close(descriptor) }
            // Pages that are not yet written to the disk cannot be dropped.
            #expect(fsync(descriptor) == 0)
            #expect(posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED) == 0)
            #expect(!file.isResident(whole))
            _ = try file.read(at: 0, upTo: size)
            #expect(file.isResident(whole))
        }
    }

    /// Returns the bytes of a file if it is opened and read without waiting.
    private func cached(_ segments: String..., below folder: URL, upTo limit: Int64 = 100) -> (
        isOpen: Bool, text: String?
    ) {
        let found = OpenFile.openCached(segments, below: folder.path, at: nil, readingUpTo: limit)
        return (found != nil, found?.bytes.map { String(buffer: $0) })
    }

    @Test("opens and reads a regular file below the root without waiting, and nothing else")
    func withoutWaiting() async throws {
        try await withTemporaryFolder { folder in
            let edition = folder.appending(path: "a")
            try FileManager.default.createDirectory(at: edition, withIntermediateDirectories: false)
            try Data("hello".utf8).write(to: edition.appending(path: "file"))
            try Data().write(to: edition.appending(path: "empty"))
            try FileManager.default.createSymbolicLink(
                at: folder.appending(path: "link"), withDestinationURL: edition)
            try FileManager.default.createSymbolicLink(
                at: edition.appending(path: "other"), withDestinationURL: edition.appending(path: "file"))
            #expect(mkfifo(edition.appending(path: "pipe").path, 0o600) == 0)
            // The system has every name in memory after it was used once.
            _ = try? OpenFile.open(["a", "file"], below: folder.path).read(at: 0, upTo: 5)
            #expect(cached("a", "file", below: folder) == (true, "hello"))
            #expect(cached("a", "file", below: folder, upTo: 4) == (true, nil))
            #expect(cached("a", "empty", below: folder) == (true, nil))
            for path in [["link", "file"], ["a", "other"], ["a", "pipe"], ["a"], ["a", "none"], ["..", "file"]] {
                let found = OpenFile.openCached(path, below: folder.path, at: nil, readingUpTo: 100)
                #expect(found == nil, "\(path)")
            }
        }
    }
}
