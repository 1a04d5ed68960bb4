/// A login attempt, as the login throttle sees it. It contains digests, not the reader's input.
public struct LoginAttempt: Sendable, Equatable {
    /// The claimed identity: a digest of the publication and the folded identifier.
    public let identifier: [UInt8]
    /// Digests of the look-alike skeletons of the identifier, see ``LookAlikeSkeleton/all(of:)``. The throttle
    /// counts wrong attempts by each of them. A skeleton grants nothing, because different identifiers may share
    /// one.
    public let skeletons: [[UInt8]]
    /// A digest of the whole claim, including proofs. A repeated wrong claim is not a new wrong attempt.
    public let claim: [UInt8]
    /// A digest of the identifier and the device, if the app named a device.
    public let deviceDigest: [UInt8]?
    public let client: ClientAddress?

    /// - Parameters:
    ///   - identifier: The claimed identity: a digest of the publication and the folded identifier.
    ///   - skeletons: The skeletons of the identifier, or nil for the identifier itself.
    ///   - claim: A digest of the whole claim, including proofs.
    ///   - deviceDigest: A digest of the identifier and the device, or nil if the app named no device.
    ///   - client: The address of the client, if it is known.
    public init(
        identifier: [UInt8], skeletons: [[UInt8]]? = nil, claim: [UInt8], deviceDigest: [UInt8]?, client: ClientAddress?
    ) {
        self.identifier = identifier
        self.skeletons = skeletons ?? [identifier]
        self.claim = claim
        self.deviceDigest = deviceDigest
        self.client = client
    }
}

extension PseudonymKey {
    /// Returns the login attempt for credentials from a device and an address.
    public func attempt(
        _ credentials: Credentials, publication: PublicationID, device: String?, client: ClientAddress?
    ) -> LoginAttempt {
        let identity = [publication.rawValue, credentials.identifier]
        return LoginAttempt(
            identifier: digest("guess identifier", identity),
            skeletons: LookAlikeSkeleton.all(of: credentials.identifier).map {
                digest("guess skeleton", [publication.rawValue, $0])
            },
            claim: digest("guess claim", identity + credentials.names.flatMap { [$0, credentials[$0] ?? ""] }),
            deviceDigest: device.map { digest("guess acquaintance", identity + [$0]) },
            client: client)
    }
}
