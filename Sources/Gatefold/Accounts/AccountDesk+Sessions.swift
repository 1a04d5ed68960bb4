import Foundation

extension AccountDesk {
    /// Ends all sessions of a subscriber, or all but one.
    ///
    /// - Throws: ``Unavailable`` when that could not be written down; it is then not in force.
    func endSessions(of subscriber: Subscriber, sparing spared: SparedSession? = nil) async throws {
        let revocation = ending(subscriber, sparing: spared)
        try await proxy.keep { try await proxy.state.record(revocation) }
        proxy.revocations.add(revocation)
    }

    /// Ends what began by the former password since ``endSessions(of:sparing:)``, and before the password was another.
    ///
    /// What can not be written down any more ends in this process alone: the password is set, and that is what has to be said.
    func endLatecomers(of subscriber: Subscriber, sparing spared: SparedSession? = nil) async {
        let revocation = ending(subscriber, sparing: spared)
        proxy.revocations.add(revocation)
        _ = try? await proxy.keep { try await proxy.state.record(revocation) }
    }

    /// A session that begins in the second of a revocation counts as issued at its boundary, so this one lies behind all there
    /// are.
    private func ending(_ subscriber: Subscriber, sparing spared: SparedSession?) -> Revocation {
        let reference = proxy.references.reference(to: subscriber)
        let moment = max(proxy.clock.now, proxy.revocations.boundary(subscriber: reference))
        let publication = proxy.publication.id
        guard let spared else {
            return Revocation(publication: publication, subscriber: reference, session: nil, at: moment)
        }
        return Revocation(publication: publication, subscriber: reference, sparing: spared, at: moment)
    }
}
