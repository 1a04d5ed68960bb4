import Foundation
import Gatefold
import TestSupport
import Testing

@Suite("Device limit")
struct DeviceLimitTests {
    private func device(_ number: UInt8, used seconds: TimeInterval = 0) -> Device {
        Device(
            reference: DevicePseudonym(bytes: [0, 0, 0, 0, 0, 0, 0, number])!, firstUsed: .after(-999),
            lastUsed: .after(seconds))
    }

    @Test("Admits new devices up to the limit and known devices always", arguments: DeviceLimit.LimitAction.allCases)
    func known(_ onLimit: DeviceLimit.LimitAction) {
        let limit = DeviceLimit(maxDevices: 2, onLimit: onLimit)
        #expect(limit.admit(device(1).reference, among: []) == .admitted(evicting: []))
        #expect(limit.admit(device(2).reference, among: [device(1)]) == .admitted(evicting: []))
        #expect(limit.admit(device(1).reference, among: [device(1), device(2)]) == .admitted(evicting: []))
    }

    @Test("At the limit, evicts the least recently used devices or rejects the new one")
    func onLimit() {
        let known = [device(1, used: 30), device(2, used: 10), device(3, used: 20)]
        let evicting = DeviceLimit(maxDevices: 2, onLimit: .evict)
        #expect(
            evicting.admit(device(4).reference, among: known)
                == .admitted(evicting: [device(2).reference, device(3).reference]))
        #expect(DeviceLimit(maxDevices: 3, onLimit: .reject).admit(device(4).reference, among: known) == .rejected)
        #expect(DeviceLimit(maxDevices: 0, onLimit: .evict).maxDevices == 1)
    }

    @Test("Among devices last used at the same time, evicts the same one in any order of input")
    func stable() {
        let known = [device(3), device(1), device(2)]
        let limit = DeviceLimit(maxDevices: 3, onLimit: .evict)
        for devices in [known, known.reversed(), [device(2), device(3), device(1)]] {
            #expect(limit.admit(device(4).reference, among: devices) == .admitted(evicting: [device(1).reference]))
        }
    }
}
