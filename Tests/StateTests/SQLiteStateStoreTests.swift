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
            let first = try SQLiteStateStore(path: path)
            _ = try await first.admit(
                device(1), of: subscriber(1), in: daily, limit: DeviceLimit(maxDevices: 1, onLimit: .reject), at: noon)
            let revocation = Revocation(publication: daily, subscriber: subscriber(1), session: nil, before: noon)
            try await first.record(revocation)
            try await first.recordKnownDevice([1], of: [1])
            let second = try SQLiteStateStore(path: path)
            #expect(try await second.devices(of: subscriber(1), in: daily).count == 1)
            #expect(try await second.revocations(after: 0).map(\.revocation) == [revocation])
            #expect(try await second.isKnownDevice([1]))
            try await first.health()
        }
    }

    @Test("Two processes together enforce the device limit of a subscriber")
    func capAcrossConnections() async throws {
        try await withTemporaryFolder { folder in
            let stores = try (0..<2).map { _ in try SQLiteStateStore(path: folder + "/state.sqlite") }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<40 {
                    group.addTask {
                        _ = try await stores[number % 2].admit(
                            device(UInt8(number)), of: subscriber(1), in: daily,
                            limit: DeviceLimit(maxDevices: 5, onLimit: .reject), at: noon)
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await stores[0].devices(of: subscriber(1), in: daily).count == 5)
        }
    }

    @Test("Rejects a file that is not a database")
    func noDatabase() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/state.sqlite"
            try Data(repeating: 7, count: 5000).write(to: URL(fileURLWithPath: path))
            #expect(throws: StateStoreError.self) { try SQLiteStateStore(path: path) }
            #expect(throws: StateStoreError.self) { try SQLiteStateStore(path: folder + "/no/such/folder/x") }
        }
    }
}
