import Foundation
public import Gatefold

/// The edge headers of the historic test endpoint: `product|unix_expiry|client_ip`, in its cookie format and alone.
/// The token protects nothing and is for the test publication only.
///
/// Source: Edition credentials and the content gate, “Edge tokens of the historic server”.
public struct TestEdgeToken: EdgeToken {
    static let seconds = 120
    /// The short lifetime in seconds for `activesome`, which shows an app how a slow download ends.
    static let shortLifetime = 3

    public init() {}

    public func headers(for grant: EdgeGrant) -> [EdgeHeader] {
        let isShort = TestUser(grant.subscriber.key) == .ordinary(.active, .some)
        let expiry = Int(grant.issuedAt.timeIntervalSince1970) + (isShort ? Self.shortLifetime : Self.seconds)
        let token = "\(grant.edition)|\(expiry)|\(grant.client?.description ?? "")"
        return [
            EdgeHeader(name: "Cookie", value: "name=FakeAuth&value=\(token)"),
            EdgeHeader(name: "X-Pugpig-Fake-Auth", value: token),
        ]
    }
}
