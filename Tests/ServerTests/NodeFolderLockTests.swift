import Foundation
import TestSupport
import Testing

@testable import Server

@Suite("Lock of a node's folder") struct NodeFolderLockTests {
    @Test("Permits one process at a time, and the next one after it")
    func exclusion() async throws {
        try await withTemporaryFolder { folder in
            let folder = folder.path
            for _ in 0..<2 {
                let lock = try NodeFolderLock(folder: folder)
                withExtendedLifetime(lock) {
                    _ = #expect(throws: NodeFolderError.inUse(folder)) { try NodeFolderLock(folder: folder) }
                }
            }
            #expect(throws: NodeFolderError.cannotLock(folder + "/missing", code: ENOENT)) {
                try NodeFolderLock(folder: folder + "/missing")
            }
        }
    }
}
