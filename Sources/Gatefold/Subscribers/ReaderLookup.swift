/// The subscribers that a backend has for a sign-in identifier, found without a proof.
///
/// A lookup is no authentication. Its result is for operators and must not reach an app.
public struct ReaderLookup: Sendable, Equatable {
    /// The subscribers, each once. They have no upstream session, because a lookup is no sign-in.
    public private(set) var subscribers: [Subscriber]
    /// The names of the backends that cannot find readers by an identifier alone.
    public private(set) var unsupported: Set<String>
    /// The names of the backends that did not respond, with the causes.
    public private(set) var failures: [String: String]
    /// The names of the backends in which the identifier is not that of one subscriber only, so that they reject a sign-in.
    public private(set) var ambiguous: Set<String>

    public init(
        _ subscribers: [Subscriber] = [], unsupported: Set<String> = [], failures: [String: String] = [:],
        ambiguous: Set<String> = []
    ) {
        var seen: Set<Subscriber> = []
        self.subscribers = subscribers.filter { seen.insert($0).inserted }
        self.unsupported = unsupported
        self.failures = failures
        self.ambiguous = ambiguous
    }

    /// Returns the result of both lookups, this one first.
    public func joined(with other: ReaderLookup) -> ReaderLookup {
        ReaderLookup(
            subscribers + other.subscribers, unsupported: unsupported.union(other.unsupported),
            failures: failures.merging(other.failures) { first, _ in first },
            ambiguous: ambiguous.union(other.ambiguous))
    }
}

extension Credentials {
    /// Creates credentials with an identifier and no proof, for a lookup.
    ///
    /// - Parameters:
    ///   - identifier: The sign-in identifier.
    ///   - field: The field in which the publication's apps send it. A statement or a filter may contain its name.
    /// - Returns: Nil if no sign-in accepts the identifier: it is blank, too long, or contains a control character.
    public init?(finding identifier: String, field: String) {
        let fields = CredentialFields(identifier: field, proofs: [])
        guard let credentials = fields.credentials(from: [field: identifier]) else { return nil }
        self = credentials
    }
}
