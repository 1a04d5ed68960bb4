/// One attempt to sign in, as the protection against guessing sees it. Holds digests, not what was typed.
public struct GuessAttempt: Sendable, Equatable {
    /// Who is claimed to sign in: a digest of publication and folded identifier.
    public let identifier: [UInt8]
    /// The same of what the identifier looks like, see ``LookAlikeSkeleton/all(of:)``. Guesses are counted by each of these; nothing
    /// is allowed by them, because people with different identifiers may have one in common.
    public let skeletons: [[UInt8]]
    /// The whole claim, proofs included: the same wrong pair again is no new guess.
    public let claim: [UInt8]
    /// The bearer, if the app named a device: a digest of identifier and device.
    public let acquaintance: [UInt8]?
    public let client: ClientAddress?

    /// - Parameter skeletons: those of the identifier; nil for the identifier itself.
    public init(
        identifier: [UInt8], skeletons: [[UInt8]]? = nil, claim: [UInt8], acquaintance: [UInt8]?, client: ClientAddress?
    ) {
        self.identifier = identifier
        self.skeletons = skeletons ?? [identifier]
        self.claim = claim
        self.acquaintance = acquaintance
        self.client = client
    }
}

extension ReferenceKey {
    /// The attempt that these credentials are, from this device and address.
    public func attempt(
        _ credentials: Credentials, publication: PublicationID, device: String?, client: ClientAddress?
    ) -> GuessAttempt {
        let who = [publication.rawValue, credentials.identifier]
        return GuessAttempt(
            identifier: digest("guess identifier", who),
            skeletons: LookAlikeSkeleton.all(of: credentials.identifier).map {
                digest("guess skeleton", [publication.rawValue, $0])
            },
            claim: digest("guess claim", who + credentials.names.flatMap { [$0, credentials[$0] ?? ""] }),
            acquaintance: device.map { digest("guess acquaintance", who + [$0]) },
            client: client)
    }
}
