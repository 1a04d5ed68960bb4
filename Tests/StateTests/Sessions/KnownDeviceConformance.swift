import Foundation
import Gatefold
import State
import TestSupport
import Testing

@Suite("Known device store", .stateServers) struct KnownDeviceConformance {
    @Test("Stores the latest 50 known devices of each reader", arguments: TestedStore<any KnownDeviceStore>.all)
    func knownDevices(kind: TestedStore<any KnownDeviceStore>) async throws {
        try await kind.with { store in
            #expect(try await !store.isKnownDevice([1, 2, 3]))
            try await store.recordKnownDevice([1, 2, 3], of: [1])
            try await store.recordKnownDevice([1, 2, 3], of: [1])
            #expect(try await store.isKnownDevice([1, 2, 3]))
            #expect(try await !store.isKnownDevice([1, 2]))
            for number: UInt8 in 0..<120 { try await store.recordKnownDevice([9, number], of: [2]) }
            var known = 0
            for number: UInt8 in 0..<120 where try await store.isKnownDevice([9, number]) { known += 1 }
            #expect(known == 50)
            #expect(try await store.isKnownDevice([9, 119]))
            #expect(try await store.isKnownDevice([1, 2, 3]))
        }
    }
}
