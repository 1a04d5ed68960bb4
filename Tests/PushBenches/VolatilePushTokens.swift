public import Foundation
public import Gatefold

/// A store of push tokens that forgets everything when the test ends.
public actor VolatilePushTokens: PushTokenStore {
    private var tokens: [RegisteredPushToken] = []
    private var kept: [PushCampaign] = []
    private var last: Int64 = 0
    /// How often a campaign's place was kept.
    public private(set) var keepings = 0
    private var refusals = 0

    struct Full: Error {}

    public init() {}

    /// Registers made-up tokens, each its number in 32 bytes, and returns them in hex.
    @discardableResult
    public func fill(_ app: String, _ count: Int, at moment: Date) -> [String] {
        (1...count).map { number in
            let bytes = PushToken.numbered(number)
            register(PushToken(app: app, bytes: bytes, environment: .production), at: moment)
            return bytes.map { String(format: "%02x", $0) }.joined()
        }
    }

    public func register(_ token: PushToken, at moment: Date) {
        if let index = tokens.firstIndex(where: { $0.token == token }) {
            tokens[index] = RegisteredPushToken(sequence: tokens[index].sequence, token: token, registered: moment)
        } else {
            last += 1
            tokens.append(RegisteredPushToken(sequence: last, token: token, registered: moment))
        }
    }

    public func pushTokens(
        of app: String, in environment: PushEnvironment, after: Int64, limit: Int
    ) -> [RegisteredPushToken] {
        Array(
            tokens.lazy.filter { $0.sequence > after && $0.token.app == app && $0.token.environment == environment }
                .prefix(limit))
    }

    public func countPushTokens(of app: String, in environment: PushEnvironment, after: Int64) -> Int {
        tokens.count { $0.sequence > after && $0.token.app == app && $0.token.environment == environment }
    }

    public func forget(_ token: PushToken, unlessRegisteredAfter moment: Date) {
        tokens.removeAll { $0.token == token && $0.registered <= moment }
    }

    /// So many campaigns can not be begun, as while a disk is full.
    public func refuseCampaigns(_ count: Int) { refusals = count }

    public func begin(_ campaign: PushCampaign) throws -> PushCampaign {
        if refusals > 0 {
            refusals -= 1
            throw Full()
        }
        if let known = kept.first(where: { $0.name == campaign.name }) { return known }
        kept.append(campaign)
        return campaign
    }

    public func keep(_ campaign: PushCampaign) throws {
        // As a database does, which a cancelled task can not write to.
        try Task.checkCancellation()
        keepings += 1
        kept = kept.map { $0.name == campaign.name ? campaign : $0 }
    }

    public func campaigns(in publication: PublicationID, unfinished: Bool, limit: Int) -> [PushCampaign] {
        let found = kept.reversed().filter { $0.publication == publication && !(unfinished && $0.finished != nil) }
        return Array(found.prefix(limit))
    }
}

extension PushToken {
    /// 32 bytes that end with the number.
    public static func numbered(_ number: Int) -> [UInt8] {
        let tail = withUnsafeBytes(of: UInt32(number).bigEndian) { Array($0) }
        return [UInt8](repeating: 0xA5, count: 28) + tail
    }
}
