public import Foundation
public import Gatefold

/// An in-memory store of push tokens and campaigns.
public actor InMemoryPushTokens: PushTokenStore, PushCampaignStore, LeaseStore {
    private var tokens: [RegisteredPushToken] = []
    private var records: [PushCampaign] = []
    private var last: Int64 = 0
    /// The number of times that a campaign's position was saved.
    public private(set) var saveCount = 0
    private var rejections = 0
    private var leases: [String: [UInt8]] = [:]

    struct Full: Error {}

    public init() {}

    /// Takes a lease, which does not end by itself.
    public func takeLease(_ name: String, owner: [UInt8], for duration: TimeInterval) -> Bool {
        guard leases[name] == nil else { return false }
        leases[name] = owner
        return true
    }

    public func extendLease(_ name: String, owner: [UInt8], for duration: TimeInterval) -> Bool {
        leases[name] == owner
    }

    public func endLease(_ name: String, owner: [UInt8]) {
        if leases[name] == owner { leases[name] = nil }
    }

    /// Registers numbered tokens of 32 bytes and returns them in hexadecimal digits.
    @discardableResult
    public func fill(_ app: String, _ count: Int, at timestamp: Date) -> [String] {
        (1...count).map { number in
            let bytes = PushToken.numbered(number)
            register(PushToken(app: app, bytes: bytes, environment: .production), at: timestamp)
            return bytes.map { String(format: "%02x", $0) }.joined()
        }
    }

    public func register(_ token: PushToken, at timestamp: Date) {
        if let index = tokens.firstIndex(where: { $0.token == token }) {
            tokens[index] = RegisteredPushToken(sequence: tokens[index].sequence, token: token, registered: timestamp)
        } else {
            last += 1
            tokens.append(RegisteredPushToken(sequence: last, token: token, registered: timestamp))
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

    public func remove(_ token: PushToken, unlessRegisteredAfter timestamp: Date) {
        tokens.removeAll { $0.token == token && $0.registered <= timestamp }
    }

    /// Makes a number of campaigns fail to start, as on a full disk.
    public func rejectCampaigns(_ count: Int) { rejections = count }

    public func begin(_ campaign: PushCampaign) throws -> PushCampaign {
        if rejections > 0 {
            rejections -= 1
            throw Full()
        }
        if let known = records.first(where: { $0.name == campaign.name }) { return known }
        records.append(campaign)
        return campaign
    }

    public func save(_ campaign: PushCampaign) throws {
        // Like a database, to which a cancelled task cannot write.
        try Task.checkCancellation()
        saveCount += 1
        records = records.map { $0.name == campaign.name ? campaign : $0 }
    }

    public func campaigns(in publication: PublicationID, unfinished: Bool, limit: Int) -> [PushCampaign] {
        let found = records.reversed().filter { $0.publication == publication && !(unfinished && $0.finished != nil) }
        return Array(found.prefix(limit))
    }
}

extension PushToken {
    /// Returns 32 bytes that end with the number.
    public static func numbered(_ number: Int) -> [UInt8] {
        let tail = withUnsafeBytes(of: UInt32(number).bigEndian) { Array($0) }
        return [UInt8](repeating: 0xA5, count: 28) + tail
    }
}
