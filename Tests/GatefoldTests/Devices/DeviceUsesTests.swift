import Foundation
import TestSupport
import Testing

@testable import Gatefold

@Suite("Throttle for device-use updates")
struct DeviceUsesTests {
    private let reader = PseudonymKey(.one).reference(to: Subscriber(backend: "db", key: "ada"))

    private struct Missing: Error {}

    private func device(_ number: Int) throws -> DevicePseudonym {
        let bytes = withUnsafeBytes(of: UInt64(number).bigEndian) { Array($0) }
        guard let device = DevicePseudonym(bytes: bytes) else { throw Missing() }
        return device
    }

    @Test("An update is due once an hour for each device of a reader")
    func spacing() throws {
        let uses = DeviceUseThrottle()
        let other = PseudonymKey(.one).reference(to: Subscriber(backend: "db", key: "bob"))
        for (device, reader) in [(try device(1), reader), (try device(2), reader), (try device(1), other)] {
            #expect(uses.isDue(device, of: reader, at: 0))
            #expect(!uses.isDue(device, of: reader, at: 3_599))
            #expect(uses.isDue(device, of: reader, at: 3_600))
        }
    }

    @Test("Retains at least half the capacity for an hour")
    func generations() throws {
        let uses = DeviceUseThrottle(capacity: 20)
        for number in 0..<10 { #expect(uses.isDue(try device(number), of: reader, at: 0)) }
        // The next ten devices evict none of the first ten.
        for number in 10..<20 {
            #expect(uses.isDue(try device(number), of: reader, at: 1))
            for known in 0..<number { #expect(!uses.isDue(try device(known), of: reader, at: 2)) }
        }
        // One more device evicts the first generation.
        #expect(uses.isDue(try device(20), of: reader, at: 3))
        for number in 10..<20 { #expect(!uses.isDue(try device(number), of: reader, at: 4)) }
        for number in 0..<10 { #expect(uses.isDue(try device(number), of: reader, at: 4)) }
    }

    @Test("At most one update an hour is due for each of 300,000 devices")
    func many() throws {
        let uses = DeviceUseThrottle()
        let devices = try (0..<300_000).map { try device($0) }
        let (first, again): (TimeInterval, TimeInterval) = (0, 1_800)
        #expect(devices.allSatisfy { uses.isDue($0, of: reader, at: first) })
        #expect(!devices.contains { uses.isDue($0, of: reader, at: again) })
    }
}
