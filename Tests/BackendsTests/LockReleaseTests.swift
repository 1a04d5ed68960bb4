import Foundation
import TestSupport
import Testing

@testable import Backends

#if canImport(Glibc)
    import Glibc
#endif

/// A child process has the parent's descriptors between fork and exec, also those that are closed on exec.
@Suite("The release of a lock file")
struct LockReleaseTests {
    /// Another descriptor of the same open file, as a child process has it.
    private func copy(of path: String) throws -> CInt {
        for name in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
            guard let number = CInt(name),
                (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)")) == path
            else { continue }
            return fcntl(number, F_DUPFD_CLOEXEC, 0)
        }
        throw CocoaError(.fileNoSuchFile)
    }

    @Test("lets the next import begin while a child process still has the descriptor")
    func importLock() async throws {
        try await withTemporaryFolder { folder in
            let database = folder.resolvingSymlinksInPath().appending(path: "readers.sqlite").path
            var held: ImportLock? = try ImportLock(database: database)
            let inherited = try copy(of: database + ".import")
            defer { close(inherited) }
            #expect(throws: ImportError.anotherImport) { try ImportLock(database: database) }
            held = nil
            #expect(throws: Never.self) { try ImportLock(database: database) }
            _ = held
        }
    }

    @Test("lets another instance keep a feed while a child process still has the descriptor")
    func feedLock() async throws {
        try await withTemporaryFolder { folder in
            let path = folder.resolvingSymlinksInPath().appending(path: "feed.lock").path
            var held: FeedLock? = try FeedLock(path: path)
            #expect(held?.take() == true)
            let inherited = try copy(of: path)
            defer { close(inherited) }
            let other = try FeedLock(path: path)
            #expect(!other.take())
            held = nil
            #expect(other.take())
        }
    }
}
