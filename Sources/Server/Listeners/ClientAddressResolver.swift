public import Gatefold
public import HTTPTypes

/// A resolver that finds the client address of a request behind trusted proxies. Source: Pitfall 11, “Header
/// spoofing”.
public struct ClientAddressResolver: Sendable {
    /// The maximum number of addresses read from one request. No legitimate list is longer.
    static let maxHops = 32
    private let trusted: [AddressBlock]

    /// - Parameter trusted: The proxies whose `X-Forwarded-For` is trusted. If it is empty, no peer is trusted.
    public init(trusted: [AddressBlock]) {
        self.trusted = trusted
    }

    public func trusts(_ address: ClientAddress) -> Bool {
        trusted.contains { $0.contains(address) }
    }

    /// Returns a Boolean value that indicates whether a peer forwards requests and is not trusted to. On the
    /// internet, the peer may also be a client that forges the header.
    func isUnlistedProxy(_ peer: ClientAddress, _ headers: HTTPFields) -> Bool {
        !trusts(peer) && headers.contains(.forwardedFor)
    }

    /// Returns the nearest address that is not itself a trusted proxy.
    ///
    /// Every trusted proxy appends its own peer at the right end, so the list is read from there. The first
    /// untrusted address wrote all entries to its left, so they prove nothing. An untrusted peer in the local
    /// network that sends a list is a proxy, so other clients share its address.
    public func client(peer: ClientAddress?, headers: HTTPFields) -> ClientAddress? {
        guard var client = peer, trusts(client) else {
            return peer.map { isUnlistedProxy($0, headers) && $0.isLocal ? $0.asUnlistedProxy : $0 }
        }
        let hops = headers[values: .forwardedFor].joined(separator: ",").split(
            separator: ",", omittingEmptySubsequences: false
        ).suffix(Self.maxHops)
        for hop in hops.reversed() {
            let text = hop.trimmingPrefix(while: \.isWhitespace)
            guard let address = ClientAddress(String(text.reversed().drop(while: \.isWhitespace).reversed())) else {
                return client
            }
            client = address
            if !trusts(client) { return client }
        }
        return client
    }
}

extension HTTPField.Name {
    static let forwardedFor = HTTPField.Name(lowercaseKnown: "x-forwarded-for")

    /// Creates a name from a literal of this program that is known to be a token.
    private init(lowercaseKnown name: String) {
        guard let made = HTTPField.Name(name) else { preconditionFailure("\(name) is not a header name") }
        self = made
    }
}
