import Foundation

extension AccountDesk {
    /// The revocations of this publication, and of all in which sessions end with those here.
    var lists: [RevocationList] { [proxy.revocations] + siblings }

    /// Ends all sessions of a subscriber, or all but one of this publication.
    ///
    /// - Throws: ``Unavailable`` when that could not be written down everywhere; where it was not, it is not in force.
    func endSessions(of subscriber: Subscriber, sparing spared: SparedSession? = nil) async throws {
        for list in lists {
            let revocation = ending(subscriber, sparing: spared, in: list)
            try await proxy.keep { try await proxy.state.record(revocation) }
            list.add(revocation)
        }
    }

    /// Ends what began by the former password since ``endSessions(of:sparing:)``, and before the password was another.
    ///
    /// What can not be written down any more ends in this process alone: the password is set, and that is what has to be said.
    func endLatecomers(of subscriber: Subscriber, sparing spared: SparedSession? = nil) async {
        let revocations = lists.map { list in
            let revocation = ending(subscriber, sparing: spared, in: list)
            list.add(revocation)
            return revocation
        }
        for revocation in revocations {
            _ = try? await proxy.keep { try await proxy.state.record(revocation) }
        }
    }

    /// A session that begins in the second of a revocation counts as issued at its boundary, so this one lies behind all there
    /// are.
    private func ending(
        _ subscriber: Subscriber, sparing spared: SparedSession?, in list: RevocationList
    ) -> Revocation {
        let reference = proxy.references.reference(to: subscriber)
        let moment = max(proxy.clock.now, list.boundary(subscriber: reference))
        // The device that is spared here is another session there, and whoever has it may be somebody else.
        guard let spared, list.publication == proxy.publication.id else {
            return Revocation(publication: list.publication, subscriber: reference, session: nil, at: moment)
        }
        return Revocation(publication: list.publication, subscriber: reference, sparing: spared, at: moment)
    }
}
