import Foundation
import NIOPosix
package import SQLAccess

#if canImport(Glibc)
    import Glibc
#endif

/// The disk with the journal of a node. The simulation of several nodes replaces it by one that loses power.
package protocol JournalDisk: Sendable {
    /// Runs work on the thread that writes. One piece of work runs at a time.
    func perform(_ work: @escaping @Sendable () throws -> Void) async throws

    /// Returns the content of a file; nil if there is no such file.
    func content(of path: String) throws(FileSync.SyncFailure) -> [UInt8]?

    /// Opens a file for writing.
    ///
    /// - Parameter creates: Whether the file is created. An existing file is then emptied, and the name of the file is
    ///   on disk when the call returns.
    func open(_ path: String, creates: Bool) throws(FileSync.SyncFailure) -> any OpenJournal

    /// Deletes a file, if it exists. It may come back after a power cut, unless its folder is synchronised.
    func delete(_ path: String) throws(FileSync.SyncFailure)

    /// Renames a file to the first free name that begins with the given one. The new name is on disk when the call
    /// returns.
    func setAside(_ path: String, as name: String) throws(FileSync.SyncFailure)

    /// Synchronises the folder of a file.
    func synchroniseFolder(of path: String) throws(FileSync.SyncFailure)
}

/// An open file of a journal. Each write is on disk when the call returns.
package protocol OpenJournal: Sendable {
    /// Writes bytes at the end of the file. After an error the file is cut back, as far as the disk permits, so that a
    /// later process does not find entries that were refused.
    ///
    /// - Parameter end: The length of the file.
    func append(_ bytes: [UInt8], at end: Int) throws(FileSync.SyncFailure)

    /// Cuts off everything after a length.
    func cut(to length: Int) throws(FileSync.SyncFailure)
}

/// The disk of this machine.
package struct LocalJournalDisk: JournalDisk {
    /// The thread that writes. Entries that arrive during a write are written together.
    private static let writer: NIOThreadPool = {
        let pool = NIOThreadPool(numberOfThreads: 1)
        pool.start()
        return pool
    }()

    package init() {}

    package func perform(_ work: @escaping @Sendable () throws -> Void) async throws {
        try await Self.writer.runIfActive { try work() }
    }

    package func content(of path: String) throws(FileSync.SyncFailure) -> [UInt8]? {
        guard access(path, F_OK) == 0 else { return nil }
        guard let data = FileManager.default.contents(atPath: path) else {
            throw FileSync.SyncFailure(path: path, code: errno)
        }
        return Array(data)
    }

    package func open(_ path: String, creates: Bool) throws(FileSync.SyncFailure) -> any OpenJournal {
        try JournalFile(path, creates: creates)
    }

    package func delete(_ path: String) throws(FileSync.SyncFailure) {
        guard unlink(path) == 0 || errno == ENOENT else { throw FileSync.SyncFailure(path: path, code: errno) }
    }

    package func setAside(_ path: String, as first: String) throws(FileSync.SyncFailure) {
        var name = first
        var number = 1
        while access(name, F_OK) == 0 {
            number += 1
            name = "\(first).\(number)"
        }
        guard rename(path, name) == 0 else { throw FileSync.SyncFailure(path: path, code: errno) }
        try FileSync.synchronise(of: path)
    }

    package func synchroniseFolder(of path: String) throws(FileSync.SyncFailure) {
        try FileSync.synchronise(of: path)
    }
}
