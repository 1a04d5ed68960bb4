import Foundation
import Gatefold
import TestSupport
import Testing

@Suite("The limit of devices")
struct DeviceLimitTests {
    private func device(_ number: UInt8, used seconds: TimeInterval = 0) -> Device {
        Device(
            reference: DeviceReference(bytes: [0, 0, 0, 0, 0, 0, 0, number])!, firstUsed: .after(-999),
            lastUsed: .after(seconds))
    }

    @Test("admits as many as it says, and known ones always", arguments: DeviceLimit.Excess.allCases)
    func known(_ excess: DeviceLimit.Excess) {
        let limit = DeviceLimit(most: 2, excess: excess)
        #expect(limit.admit(device(1).reference, among: []) == .admitted(evicting: []))
        #expect(limit.admit(device(2).reference, among: [device(1)]) == .admitted(evicting: []))
        #expect(limit.admit(device(1).reference, among: [device(1), device(2)]) == .admitted(evicting: []))
    }

    @Test("makes room by the longest unused, as many as it takes, or refuses")
    func excess() {
        let known = [device(1, used: 30), device(2, used: 10), device(3, used: 20)]
        let evicting = DeviceLimit(most: 2, excess: .evict)
        #expect(
            evicting.admit(device(4).reference, among: known)
                == .admitted(evicting: [device(2).reference, device(3).reference]))
        #expect(DeviceLimit(most: 3, excess: .refuse).admit(device(4).reference, among: known) == .refused)
        #expect(DeviceLimit(most: 0, excess: .evict).most == 1)
    }

    @Test("Of devices used at the same moment the same one goes, in whatever order they are told")
    func stable() {
        let known = [device(3), device(1), device(2)]
        let limit = DeviceLimit(most: 3, excess: .evict)
        for devices in [known, known.reversed(), [device(2), device(3), device(1)]] {
            #expect(limit.admit(device(4).reference, among: devices) == .admitted(evicting: [device(1).reference]))
        }
    }
}
