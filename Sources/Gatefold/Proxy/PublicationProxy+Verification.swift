extension PublicationProxy {
    /// The reader's subscription under the publication's policy (PROTOCOLS 1.2 "Verify subscription").
    ///
    /// A token that is not good is an answer too: `stale` when it can be renewed or is missing, else `unknown`; neither
    /// opens anything.
    ///
    /// - Throws: ``Unavailable`` when the backend could not be asked, so that the app keeps its last known good state.
    public func verify(token: String, _ inquiry: Inquiry) async throws -> VerificationAnswer {
        switch read(token) {
        case .unreadable:
            return token.isEmpty ? without(.stale, .noToken, inquiry) : without(.unknown, .tokenNotRecognised, inquiry)
        case .revoked:
            return without(.unknown, .tokenNotRecognised, inquiry)
        case .expired:
            return without(.unknown, .tokenExpired, inquiry)
        case .renewable:
            return without(.stale, .stale, inquiry)
        case .good(let session):
            var subscription = try await subscription(of: session, inquiry)
            if subscription.message == nil {
                subscription.message = message(MessageKey(subscription.state), inquiry)
            }
            observe(.verified(references.reference(to: session.subscriber), subscription.state))
            return VerificationAnswer(
                subscription: subscription,
                comments: comments([
                    "Publication: \(publication.id)", "Policy: \(publication.rule.policy.rawValue)",
                    "Generated: \(DebugTime.text(clock.now))",
                ]))
        }
    }

    /// What the subscriber system says, under the publication's policy, and what the reader bought.
    private func subscription(of session: Session, _ inquiry: Inquiry) async throws -> Subscription {
        let own = try await purchased(by: references.owner(session.subscriber))
        return Subscription.merged([try await told(about: session, inquiry), own].compactMap(\.self))
    }

    /// What the subscriber system says, under the publication's policy.
    func told(about session: Session, _ inquiry: Inquiry) async throws -> Subscription {
        await noteUse(of: session)
        let (told, isEarlier) = try await StandIns.watching {
            try await ask { try await backend.subscription(of: session.subscriber, inquiry: inquiry) }
        }
        refusals.note(memory(of: session), refused: told.state != .active, isEarlier: isEarlier)
        return try applyingRule(to: told)
    }

    private func without(_ state: SubscriptionState, _ key: MessageKey, _ inquiry: Inquiry) -> VerificationAnswer {
        VerificationAnswer(
            subscription: Subscription(state: state, message: message(key, inquiry)),
            comments: comments(["Generated: \(DebugTime.text(clock.now))"]))
    }

    /// Tells the state store now and then that a device is in use; that it could not be told stops nobody.
    private func noteUse(of session: Session) async {
        let who = references.reference(to: session.subscriber)
        guard let device = session.device, publication.deviceLimit != nil,
            uses.isDue(device, of: who, at: clock.now)
        else { return }
        do {
            try await state.touch(
                device, of: who, in: publication.id, at: clock.now)
        } catch {
            observe(.stateStoreFailed(cause: String(describing: type(of: error))))
        }
    }
}

extension MessageKey {
    init(_ state: SubscriptionState) {
        self =
            switch state {
            case .active: .active
            case .inactive: .inactive
            case .suspended: .suspended
            case .unknown: .unknown
            case .stale: .stale
            }
    }
}
