import Foundation
import Gatefold
import State
import TestSupport
import Testing

@Suite("Device store", .stateServers) struct DeviceConformance {
    @Test(
        "Admits devices up to the limit and rejects one more",
        arguments: TestedStore<any DeviceStore & RevocationStore>.all)
    func denying(kind: TestedStore<any DeviceStore & RevocationStore>) async throws {
        try await kind.with { store in
            let limit = DeviceLimit(maxDevices: 2, onLimit: .reject)
            for number: UInt8 in [1, 2] {
                let response = try await store.admit(
                    device(number), of: subscriber(1), in: daily, limit: limit, at: noon)
                #expect(response == .admitted(revoking: []))
            }
            #expect(try await store.admit(device(3), of: subscriber(1), in: daily, limit: limit, at: noon) == .rejected)
            #expect(
                try await store.admit(device(1), of: subscriber(1), in: daily, limit: limit, at: noon + 60)
                    == .admitted(revoking: []))
            #expect(
                try await store.devices(of: subscriber(1), in: daily) == [
                    Device(reference: device(1), firstUsed: noon, lastUsed: noon + 60),
                    Device(reference: device(2), firstUsed: noon, lastUsed: noon),
                ])
        }
    }

    @Test(
        "Finds the subscribers with a device in a publication, up to a limit",
        arguments: TestedStore<any StateStore>.durable { $0 })
    func searching(kind: TestedStore<any StateStore>) async throws {
        try await kind.with { store in
            let limit = DeviceLimit(maxDevices: 2, onLimit: .reject)
            for (number, publication): (UInt8, PublicationID) in [(2, daily), (1, daily), (3, weekly)] {
                _ = try await store.admit(device(7), of: subscriber(number), in: publication, limit: limit, at: noon)
            }
            _ = try await store.admit(device(8), of: subscriber(1), in: daily, limit: limit, at: noon)
            #expect(
                try await store.subscribers(with: device(7), in: daily, limit: 9) == [subscriber(1), subscriber(2)])
            #expect(try await store.subscribers(with: device(7), in: daily, limit: 1) == [subscriber(1)])
            #expect(try await store.subscribers(with: device(9), in: daily, limit: 9).isEmpty)
        }
    }

    @Test(
        "Evicts the least recently used device and revokes its sessions",
        arguments: TestedStore<any DeviceStore & RevocationStore>.all)
    func evicting(kind: TestedStore<any DeviceStore & RevocationStore>) async throws {
        try await kind.with { store in
            let limit = DeviceLimit(maxDevices: 2, onLimit: .evict)
            for number: UInt8 in [1, 2] {
                _ = try await store.admit(
                    device(number), of: subscriber(1), in: daily, limit: limit, at: noon + Double(number))
            }
            try await store.touch(device(1), of: subscriber(1), in: daily, at: noon + 10)
            try await store.writeUses()
            let response = try await store.admit(device(3), of: subscriber(1), in: daily, limit: limit, at: noon + 20)
            let ended = Revocation(
                publication: daily, subscriber: subscriber(1), session: SessionPseudonym(device(2)), at: noon + 20)
            #expect(response == .admitted(revoking: [ended]))
            #expect(try await store.devices(of: subscriber(1), in: daily).map(\.reference) == [device(3), device(1)])
            #expect(try await store.revocations(after: 0).map(\.revocation) == [ended])
        }
    }

    @Test(
        "An eviction ends every session of the device, even one from the same second",
        arguments: TestedStore<any DeviceStore & RevocationStore>.all)
    func evictingWithinASecond(kind: TestedStore<any DeviceStore & RevocationStore>) async throws {
        try await kind.with { store in
            let limit = DeviceLimit(maxDevices: 1, onLimit: .evict)
            func boundary(admitting number: UInt8, at timestamp: Date) async throws -> Date? {
                let response = try await store.admit(
                    device(number), of: subscriber(1), in: daily, limit: limit, at: timestamp)
                guard case .admitted(let ended) = response else { return nil }
                return ended.first?.before
            }
            #expect(try await boundary(admitting: 1, at: noon) == nil)
            #expect(try await boundary(admitting: 2, at: noon + 0.2) == noon + 1)
            #expect(try await boundary(admitting: 1, at: noon + 0.4) == noon + 1)
            // The first device's new session counts as issued at noon + 1, so the revocation takes effect after that.
            #expect(try await boundary(admitting: 2, at: noon + 0.6) == noon + 2)
            // The same holds for a device whose subscriber was revoked as a whole.
            try await store.record(
                Revocation(publication: daily, subscriber: subscriber(1), session: nil, before: noon + 9))
            #expect(try await boundary(admitting: 1, at: noon + 0.8) == noon + 10)
            // The clock of another machine may be behind.
            _ = try await boundary(admitting: 3, at: noon + 20.1)
            _ = try await boundary(admitting: 3, at: noon + 19.9)
            #expect(try await boundary(admitting: 4, at: noon + 19.8) == noon + 21)
        }
    }

    @Test(
        "Of 100 concurrent devices, exactly the limit of 5 remain",
        arguments: TestedStore<any DeviceStore & RevocationStore>.all)
    func capRace(kind: TestedStore<any DeviceStore & RevocationStore>) async throws {
        try await kind.with { store in
            var evicted: [Revocation] = []
            for onLimit in DeviceLimit.LimitAction.allCases {
                let reader = subscriber(onLimit == .evict ? 1 : 2)
                let limit = DeviceLimit(maxDevices: 5, onLimit: onLimit)
                let results = try await withThrowingTaskGroup(of: DeviceRegistration.self) { group in
                    for number in 0..<100 {
                        group.addTask {
                            try await store.admit(
                                device(UInt8(number)), of: reader, in: daily, limit: limit, at: noon + Double(number))
                        }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                #expect(try await store.devices(of: reader, in: daily).count == 5)
                for case .admitted(let revocations) in results { evicted += revocations }
                #expect(results.filter { $0 == .rejected }.count == (onLimit == .reject ? 95 : 0))
            }
            let list = RevocationList(publication: daily)
            for record in try await store.revocations(after: 0) { list.add(record.revocation) }
            #expect(evicted.count == 95)
            #expect(
                evicted.allSatisfy { ended in
                    list.isRevoked(
                        SaltSubject(subscriber: ended.subscriber, session: ended.session!, issuedAt: ended.before - 1))
                })
        }
    }

    @Test(
        "Removes a device only if it was not used after a time",
        arguments: TestedStore<any DeviceStore & RevocationStore>.all)
    func removingUnused(kind: TestedStore<any DeviceStore & RevocationStore>) async throws {
        try await kind.with { store in
            let limit = DeviceLimit(maxDevices: 5, onLimit: .reject)
            _ = try await store.admit(device(1), of: subscriber(1), in: daily, limit: limit, at: noon)
            try await store.remove(device(1), of: subscriber(1), in: daily, usedUntil: noon - 0.001)
            #expect(try await store.devices(of: subscriber(1), in: daily).count == 1)
            try await store.remove(device(1), of: subscriber(1), in: daily, usedUntil: noon)
            #expect(try await store.devices(of: subscriber(1), in: daily).isEmpty)
        }
    }

    @Test("Separates publications and subscribers", arguments: TestedStore<any DeviceStore & RevocationStore>.all)
    func separation(kind: TestedStore<any DeviceStore & RevocationStore>) async throws {
        try await kind.with { store in
            let limit = DeviceLimit(maxDevices: 1, onLimit: .reject)
            for (reader, publication) in [(1, daily), (1, weekly), (2, daily)] as [(UInt8, PublicationID)] {
                #expect(
                    try await store.admit(device(1), of: subscriber(reader), in: publication, limit: limit, at: noon)
                        == .admitted(revoking: []))
            }
            try await store.remove(device(1), of: subscriber(1), in: daily)
            #expect(try await store.devices(of: subscriber(1), in: daily).isEmpty)
            #expect(try await store.devices(of: subscriber(1), in: weekly).count == 1)
            #expect(try await store.devices(of: subscriber(2), in: daily).count == 1)
        }
    }

    @Test(
        "Updates the last use of known devices only, and never to an earlier time",
        arguments: TestedStore<any DeviceStore & RevocationStore>.all)
    func touching(kind: TestedStore<any DeviceStore & RevocationStore>) async throws {
        try await kind.with { store in
            let limit = DeviceLimit(maxDevices: 5, onLimit: .reject)
            _ = try await store.admit(device(1), of: subscriber(1), in: daily, limit: limit, at: noon)
            try await store.touch(device(1), of: subscriber(1), in: daily, at: noon - 60)
            try await store.touch(device(2), of: subscriber(1), in: daily, at: noon)
            try await store.writeUses()
            #expect(
                try await store.devices(of: subscriber(1), in: daily)
                    == [Device(reference: device(1), firstUsed: noon, lastUsed: noon)])
        }
    }

    @Test(
        "Writes the uses of many devices, the latest of each, and repeats them after a failure",
        arguments: TestedStore<any DeviceStore & RevocationStore>.all)
    func manyUses(kind: TestedStore<any DeviceStore & RevocationStore>) async throws {
        try await kind.with { store in
            let limit = DeviceLimit(maxDevices: 5, onLimit: .reject)
            let readers = (0..<700).map { number in
                SubscriberPseudonym(bytes: [0, 0, 0, 0, 0, UInt8(number / 256), UInt8(number % 256)])!
            }
            for reader in readers {
                _ = try await store.admit(device(1), of: reader, in: daily, limit: limit, at: noon)
                try await store.touch(device(1), of: reader, in: daily, at: noon + 20)
                try await store.touch(device(1), of: reader, in: daily, at: noon + 10)
            }
            let cancelled = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                try? await store.writeUses()
            }
            await cancelled.value
            try await store.writeUses()
            for reader in readers {
                #expect(try await store.devices(of: reader, in: daily).map(\.lastUsed) == [noon + 20])
            }
        }
    }

    @Test(
        "Pitfall 26: three processes together enforce the device limit of a subscriber",
        arguments: TestedStore<any DeviceStore & RevocationStore>.all)
    func limitAcrossProcesses(kind: TestedStore<any DeviceStore & RevocationStore>) async throws {
        try await kind.with(3) { stores in
            let admitted = try await withThrowingTaskGroup(of: Bool.self) { group in
                for number in 0..<100 {
                    group.addTask {
                        let registration = try await stores[number % 3].admit(
                            device(UInt8(number)), of: subscriber(1), in: daily,
                            limit: DeviceLimit(maxDevices: 5, onLimit: .reject), at: noon)
                        if case .admitted = registration { return true }
                        return false
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(admitted == 5)
            #expect(try await stores[0].devices(of: subscriber(1), in: daily).count == 5)
        }
    }
}
