/// Whether an edition is opened.
enum EditionDecision: Sendable {
    case granted
    case refused(CredentialsRefusal.Reason?, message: String?)

    var isRefusal: Bool {
        if case .refused = self { true } else { false }
    }
}

extension PublicationProxy {
    /// One that is not out is nobody's; a free edition is everybody's, and one that was bought its buyer's, whatever the
    /// subscriber system says; else its verdict counts. While the catalogue is awaited nobody knows what is out.
    func decide(
        on edition: EditionID, for owner: PurchaseOwner, otherwise verdict: () async throws -> EditionDecision
    ) async throws -> EditionDecision {
        let (catalogue, now) = (try catalogue(), clock.now)
        guard catalogue.isOut(edition, at: now) else { return .refused(.notEntitled, message: nil) }
        if catalogue.isFree(edition, at: now) { return .granted }
        let bought: Subscription?
        var ledgerFailure: (any Error)?
        do {
            bought = try await purchased(by: owner)
        } catch {
            // The subscriber system may open it all the same; if it does not, nobody knows.
            ledgerFailure = error
            bought = nil
        }
        if bought?.opens(edition) == true { return .granted }
        let decision = try await verdict()
        if decision.isRefusal, let ledgerFailure { throw ledgerFailure }
        return decision
    }

    /// The subscriber system's verdict where it has one, and then the subscription.
    func verdict(
        on edition: EditionID, for subscriber: Subscriber, _ inquiry: Inquiry,
        subscription: () async throws -> Subscription
    ) async throws -> EditionDecision {
        let own = try await ask { try await backend.verdict(on: edition, for: subscriber, inquiry: inquiry) }
        switch own {
        case .granted: return .granted
        case .refused(let reason, let words): return .refused(reason, message: words)
        case .leftTo(let subscriptions, otherwise: let reason, message: let words):
            let isOpen = try subscriptions.contains { try applyingRule(to: $0).opens(edition) }
            return isOpen ? .granted : .refused(reason, message: words)
        case nil: break
        }
        let subscription = try await subscription()
        return switch subscription.state {
        case .unknown: .refused(.notRecognised, message: message(.tokenNotRecognised, inquiry))
        case .stale: .refused(.expired, message: message(.tokenExpired, inquiry))
        case .active, .inactive, .suspended:
            subscription.opens(edition) ? .granted : .refused(.notEntitled, message: subscription.message)
        }
    }
}
