import Gatefold
import Settings

extension GuessLimits {
    init(_ section: SettingsSection) throws(SettingsError) {
        let standard = GuessLimits()
        self.init(
            perIdentifier: try section.integer("per_identifier", default: standard.perIdentifier, in: 1...1_000_000),
            perAddress: try section.integer("per_address", default: standard.perAddress, in: 1...1_000_000),
            perWideBlock: try section.integer("per_wide_block", default: standard.perWideBlock, in: 1...10_000_000),
            perUnlistedProxy: try section.integer(
                "per_unlisted_proxy", default: standard.perUnlistedProxy, in: 1...10_000_000),
            perAcquaintance: try section.integer(
                "per_acquaintance", default: standard.perAcquaintance, in: 1...1_000_000),
            window: try section.duration("window", default: standard.window, in: 1...86_400),
            addressBits: try section.integer("ipv6_prefix", default: standard.addressBits, in: 32...128),
            wideBlockBits: try section.integer("ipv6_wide_prefix", default: standard.wideBlockBits, in: 16...128),
            familiarity: try section.duration("familiarity", default: standard.familiarity, in: 0...31_536_000),
            capacity: try section.integer("capacity", default: standard.capacity, in: 1000...10_000_000))
        try section.finish()
    }
}
