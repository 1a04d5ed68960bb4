import Foundation
import Gatefold
import State
import TestSupport
import Testing

@Suite("SQLite state store") struct SQLiteStateStoreTests {
    @Test("Acknowledged writes are visible to a second connection while the first is still open")
    func durability() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/state.sqlite"
            let first = try SQLStateStore(path: path)
            _ = try await first.admit(
                device(1), of: subscriber(1), in: daily, limit: DeviceLimit(maxDevices: 1, onLimit: .reject), at: noon)
            let revocation = Revocation(publication: daily, subscriber: subscriber(1), session: nil, before: noon)
            try await first.record(revocation)
            try await first.recordKnownDevice([1], of: [1])
            let second = try SQLStateStore(path: path)
            #expect(try await second.devices(of: subscriber(1), in: daily).count == 1)
            #expect(try await second.revocations(after: 0).map(\.revocation) == [revocation])
            #expect(try await second.isKnownDevice([1]))
            try await first.health()
        }
    }

    @Test("Rejects a file that is not a database")
    func noDatabase() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/state.sqlite"
            try Data(repeating: 7, count: 5000).write(to: URL(fileURLWithPath: path))
            #expect(throws: StateStoreError.self) { try SQLStateStore(path: path) }
            #expect(throws: StateStoreError.self) { try SQLStateStore(path: folder + "/no/such/folder/x") }
        }
    }
}
