import Foundation
public import Gatefold

/// The historic test endpoint's headers for an edge: `product|unix_expiry|client_ip`, as a cookie spelt its way and by
/// itself (PROTOCOLS 1.2). Protects nothing, and is for the test publication alone.
public struct TestEdgeToken: EdgeToken {
    static let seconds = 120
    /// For `activesome`, to show an app what becomes of a download that takes longer.
    static let fewSeconds = 3

    public init() {}

    public func headers(for grant: EdgeGrant) -> [EdgeHeader] {
        let isShort = TestUser(grant.subscriber.key) == .ordinary(.active, .some)
        let expiry = Int(grant.issuedAt.timeIntervalSince1970) + (isShort ? Self.fewSeconds : Self.seconds)
        let token = "\(grant.edition)|\(expiry)|\(grant.client?.description ?? "")"
        return [
            EdgeHeader(name: "Cookie", value: "name=FakeAuth&value=\(token)"),
            EdgeHeader(name: "X-Pugpig-Fake-Auth", value: token),
        ]
    }
}
