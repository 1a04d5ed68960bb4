import Foundation
import Gatefold
import State
import TestSupport
import Testing

@Suite("The embedded state store") struct SQLiteStateStoreTests {
    @Test("What was acknowledged is there when the file is opened again, beside a connection still open")
    func durability() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/state.sqlite"
            let first = try SQLiteStateStore(path: path)
            _ = try await first.admit(
                device(1), of: subscriber(1), in: daily, limit: DeviceLimit(most: 1, excess: .refuse), at: noon)
            let revocation = Revocation(publication: daily, subscriber: subscriber(1), session: nil, before: noon)
            try await first.record(revocation)
            try await first.rememberAcquaintance([1], of: [1])
            let second = try SQLiteStateStore(path: path)
            #expect(try await second.devices(of: subscriber(1), in: daily).count == 1)
            #expect(try await second.revocations(after: 0).map(\.revocation) == [revocation])
            #expect(try await second.isAcquainted([1]))
            try await first.health()
        }
    }

    @Test("Two processes together hold the cap of a subscriber's devices")
    func capAcrossConnections() async throws {
        try await withTemporaryFolder { folder in
            let stores = try (0..<2).map { _ in try SQLiteStateStore(path: folder + "/state.sqlite") }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<40 {
                    group.addTask {
                        _ = try await stores[number % 2].admit(
                            device(UInt8(number)), of: subscriber(1), in: daily,
                            limit: DeviceLimit(most: 5, excess: .refuse), at: noon)
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await stores[0].devices(of: subscriber(1), in: daily).count == 5)
        }
    }

    @Test("A file that is no database is refused in one line")
    func noDatabase() async throws {
        try await withTemporaryFolder { folder in
            let path = folder + "/state.sqlite"
            try Data(repeating: 7, count: 5000).write(to: URL(fileURLWithPath: path))
            #expect(throws: StateStoreError.self) { try SQLiteStateStore(path: path) }
            #expect(throws: StateStoreError.self) { try SQLiteStateStore(path: folder + "/no/such/folder/x") }
        }
    }
}
