public import Gatefold
public import HTTPTypes

/// Finds out who asks, when some of those who ask are proxies (PITFALLS row 11).
public struct ClientAddressResolver: Sendable {
    /// Addresses taken from one request at most; a longer list is nobody's honest work.
    static let mostHops = 32
    private let trusted: [AddressBlock]

    /// - Parameter trusted: the proxies whose `X-Forwarded-For` is believed. Empty believes nobody.
    public init(trusted: [AddressBlock]) {
        self.trusted = trusted
    }

    public func trusts(_ address: ClientAddress) -> Bool {
        trusted.contains { $0.contains(address) }
    }

    /// Whether a peer forwards requests and is not trusted to. In the internet it may also be a client that forges the header.
    func isUnlistedProxy(_ peer: ClientAddress, _ headers: HTTPFields) -> Bool {
        !trusts(peer) && headers[.forwardedFor] != nil
    }

    /// The nearest address to us that no trusted proxy vouches for itself.
    ///
    /// Every trusted proxy adds its own peer at the right end, so the list is read from there; what stands left of the
    /// first untrusted address was written by that address and says nothing. That it sent a list at all says something where
    /// it is in our own network: it is a proxy, and other clients than this one have its address.
    public func client(peer: ClientAddress?, headers: HTTPFields) -> ClientAddress? {
        guard var client = peer, trusts(client) else {
            return peer.map { isUnlistedProxy($0, headers) && $0.isLocal ? $0.asUnlistedProxy : $0 }
        }
        let hops = headers[values: .forwardedFor].joined(separator: ",").split(
            separator: ",", omittingEmptySubsequences: false
        ).suffix(Self.mostHops)
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

    /// A name written in this program, known to be a token.
    private init(lowercaseKnown name: String) {
        guard let made = HTTPField.Name(name) else { preconditionFailure("\(name) is not a header name") }
        self = made
    }
}
