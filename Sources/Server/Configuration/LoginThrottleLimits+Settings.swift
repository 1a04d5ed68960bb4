import Gatefold
import Settings

extension LoginThrottleLimits {
    init(_ section: SettingsSection) throws(SettingsError) {
        let standard = LoginThrottleLimits()
        self.init(
            perIdentifier: try section.integer("per_identifier", default: standard.perIdentifier, in: 1...1_000_000),
            perAddress: try section.integer("per_address", default: standard.perAddress, in: 1...1_000_000),
            perNetwork: try section.integer("per_network", default: standard.perNetwork, in: 1...10_000_000),
            perUnlistedProxy: try section.integer(
                "per_unlisted_proxy", default: standard.perUnlistedProxy, in: 1...10_000_000),
            perKnownDevice: try section.integer(
                "per_known_device", default: standard.perKnownDevice, in: 1...1_000_000),
            window: try section.duration("window", default: standard.window, in: 1...86_400),
            addressBits: try section.integer("ipv6_prefix", default: standard.addressBits, in: 32...128),
            networkPrefixBits: try section.integer(
                "ipv6_network_prefix", default: standard.networkPrefixBits, in: 16...128),
            knownDeviceTTL: try section.duration(
                "known_device_ttl", default: standard.knownDeviceTTL, in: 0...31_536_000),
            capacity: try section.integer("capacity", default: standard.capacity, in: 1000...10_000_000))
        try section.finish()
    }
}
