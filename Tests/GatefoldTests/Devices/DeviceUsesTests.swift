import Foundation
import TestSupport
import Testing

@testable import Gatefold

@Suite("The notes that a device is in use")
struct DeviceUsesTests {
    private let reader = ReferenceKey(.one).reference(to: Subscriber(backend: "db", key: "ada"))

    private struct Missing: Error {}

    private func device(_ number: Int) throws -> DeviceReference {
        let bytes = withUnsafeBytes(of: UInt64(number).bigEndian) { Array($0) }
        guard let device = DeviceReference(bytes: bytes) else { throw Missing() }
        return device
    }

    @Test("are due once an hour for each device of a reader")
    func spacing() throws {
        let uses = DeviceUses()
        let other = ReferenceKey(.one).reference(to: Subscriber(backend: "db", key: "bob"))
        for (device, reader) in [(try device(1), reader), (try device(2), reader), (try device(1), other)] {
            #expect(uses.wouldBeDue(device, of: reader, at: 0))
            #expect(uses.isDue(device, of: reader, at: 0))
            #expect(!uses.wouldBeDue(device, of: reader, at: 3_599))
            #expect(!uses.isDue(device, of: reader, at: 3_599))
            #expect(uses.wouldBeDue(device, of: reader, at: 3_600))
            #expect(uses.isDue(device, of: reader, at: 3_600))
        }
    }

    @Test("of half as many devices as are known are never forgotten within the hour")
    func generations() throws {
        let uses = DeviceUses(capacity: 20)
        for number in 0..<10 { #expect(uses.isDue(try device(number), of: reader, at: 0)) }
        // The next as many drive out nobody.
        for number in 10..<20 {
            #expect(uses.isDue(try device(number), of: reader, at: 1))
            for known in 0..<number { #expect(!uses.isDue(try device(known), of: reader, at: 2)) }
        }
        // One more drives out those that were noted first.
        #expect(uses.isDue(try device(20), of: reader, at: 3))
        for number in 10..<20 { #expect(!uses.wouldBeDue(try device(number), of: reader, at: 4)) }
        for number in 0..<10 { #expect(uses.wouldBeDue(try device(number), of: reader, at: 4)) }
    }

    @Test("are no more than one a device in an hour for 300,000 devices")
    func many() throws {
        let uses = DeviceUses()
        let devices = try (0..<300_000).map { try device($0) }
        let (first, again): (TimeInterval, TimeInterval) = (0, 1_800)
        #expect(devices.allSatisfy { uses.isDue($0, of: reader, at: first) })
        #expect(!devices.contains { uses.isDue($0, of: reader, at: again) })
    }
}
