import Gatefold

extension BackendResultStore {
    /// A group of results about one identifier or subscriber. Invalidation works by group, so if two people share a
    /// number by chance, the only effect is an additional query.
    package enum Group: Hashable, Sendable {
        /// A keyed digest of the identifier that the person signs in with.
        case identifier(UInt64)
        /// The subscriber's pseudonym, as the logs show it.
        case subscriber(UInt64)

        init(_ reference: SubscriberPseudonym) {
            self = .subscriber(reference.bytes.reduce(0) { $0 << 8 | UInt64($1) })
        }
    }

    enum LookupResult: Equatable {
        case fresh(StoredResult)
        /// - Parameter isDue: A Boolean value that indicates whether this call must start the refresh.
        case revalidating(StoredResult, isDue: Bool)
        case missing
    }

    /// The metadata of a cached result.
    struct Subject: Sendable {
        let key: BackendQueryKey
        let groups: [Group]
        /// A digest of the proofs that the reader typed, if the result is about typed credentials. See
        /// ``BackendQueryKeys/proofs(of:)``.
        var proofs: UInt64?
        /// The edition of a verdict.
        var edition: EditionID?
    }
}
