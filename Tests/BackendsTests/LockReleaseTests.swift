import Foundation
import TestSupport
import Testing

@testable import Backends

#if canImport(Glibc)
    import Glibc
#endif

/// Between fork and exec, a child process has the descriptors of its parent, including those that are closed on exec.
@Suite("Release of lock files")
struct LockReleaseTests {
    /// Returns copies of all descriptors that this process has of a file, as a child process has them.
    private func copies(of path: String) throws -> [CInt] {
        let copies = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap { name -> CInt? in
            guard let number = CInt(name),
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")) == path
            else { return nil }
            return fcntl(number, F_DUPFD_CLOEXEC, 0)
        }
        try #require(!copies.isEmpty)
        return copies
    }

    @Test("The next import can start while a child process still has the descriptor of the import lock")
    func importLock() async throws {
        try await withTemporaryFolder { folder in
            let database = folder.resolvingSymlinksInPath().appending(path: "readers.sqlite").path
            let inherited = try withExtendedLifetime(try FileImportLock(database: database)) { _ in
                #expect(throws: ImportError.anotherImport) { try FileImportLock(database: database) }
                return try copies(of: database + ".import")
            }
            defer { for descriptor in inherited { close(descriptor) } }
            #expect(throws: Never.self) { try FileImportLock(database: database) }
        }
    }

    @Test("Another instance can take the feed lock while a child process still has the descriptor")
    func feedLock() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.resolvingSymlinksInPath().appending(path: "feed.lock").path
            let other = try FeedLock(path: path)
            let inherited = try withExtendedLifetime(try FeedLock(path: path)) { taken in
                #expect(taken.take())
                #expect(!other.take())
                return try copies(of: path)
            }
            defer { for descriptor in inherited { close(descriptor) } }
            #expect(other.take())
        }
    }
}
