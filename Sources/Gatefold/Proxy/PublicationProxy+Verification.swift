extension PublicationProxy {
    /// The reader's subscription under the publication's policy (PROTOCOLS 1.2 "Verify subscription").
    ///
    /// A token that is not good is an answer too: `stale` when it can be renewed or is missing, else `unknown`; neither
    /// opens anything.
    ///
    /// - Throws: ``Unavailable`` when the backend could not be asked, so that the app keeps its last known good state.
    public func verify(token: String, _ inquiry: Inquiry) async throws -> VerificationAnswer {
        let (standing, reading) = (self.standing, read(token))
        if let decided = decidedVerification(reading, token, inquiry, standing) { return give(decided) }
        guard case .good(let who) = reading else { return without(.unknown, .tokenNotRecognised, inquiry) }
        return give(verification(try await subscription(of: who, inquiry), who, inquiry, standing))
    }

    /// The same where nobody has to be asked, not yet given: nil where somebody has to.
    public func decidedVerification(token: String, _ inquiry: Inquiry) -> Decided<VerificationAnswer>? {
        let standing = self.standing
        return decidedVerification(read(token), token, inquiry, standing)
    }

    private func decidedVerification(
        _ reading: TokenReading, _ token: String, _ inquiry: Inquiry, _ standing: Standing
    ) -> Decided<VerificationAnswer>? {
        switch reading {
        case .unreadable:
            Decided(
                token.isEmpty ? without(.stale, .noToken, inquiry) : without(.unknown, .tokenNotRecognised, inquiry),
                standing)
        case .revoked: Decided(without(.unknown, .tokenNotRecognised, inquiry), standing)
        case .expired: Decided(without(.unknown, .tokenExpired, inquiry), standing)
        case .renewable: Decided(without(.stale, .stale, inquiry), standing)
        case .good(let who):
            // Purchases are on disk.
            purchases == nil
                ? remembered(about: who, inquiry).map { known in
                    verification(
                        known.value.subscription, who, inquiry, standing.joined(with: known.standing),
                        words: [known.value.word])
                } : nil
        }
    }

    private func verification(
        _ told: Subscription, _ who: SessionHolder, _ inquiry: Inquiry, _ standing: Standing,
        words: [DenialCache.Word] = []
    ) -> Decided<VerificationAnswer> {
        var subscription = told
        if subscription.message == nil { subscription.message = message(MessageKey(subscription.state), inquiry) }
        let answer = VerificationAnswer(
            subscription: subscription,
            comments: comments([
                "Publication: \(publication.id)", "Policy: \(publication.rule.policy.rawValue)",
                "Generated: \(DebugTime.text(clock.now))",
            ]))
        return Decided(answer, standing, .verified(who.reference, subscription.state), words: words)
    }

    /// What the subscriber system says, under the publication's policy, and what the reader bought.
    private func subscription(of who: SessionHolder, _ inquiry: Inquiry) async throws -> Subscription {
        let own = try await purchased(by: references.owner(who.session.subscriber))
        return Subscription.merged([try await told(about: who, inquiry), own].compactMap(\.self))
    }

    /// What the subscriber system says, under the publication's policy.
    func told(about who: SessionHolder, _ inquiry: Inquiry) async throws -> Subscription {
        await noteUse(of: who)
        let asked = denials.order
        let (told, isEarlier) = try await StandIns.watching {
            try await ask { try await backend.subscription(of: who.session.subscriber, inquiry: inquiry) }
        }
        denials.note(memory(of: who, inquiry), Denial(told.state), isEarlier: isEarlier, asked: asked)
        return try applyingRule(to: told)
    }

    /// A subscription under the publication's policy.
    struct Known {
        let subscription: Subscription
        /// The subscriber system's own: a refusal where it was anything but "active".
        let word: DenialCache.Word
    }

    /// The same where it is known without asking anybody, and nothing has to be written down.
    func remembered(about who: SessionHolder, _ inquiry: Inquiry) -> Remembered<Known>? {
        guard !isNoteDue(of: who),
            let told = backend.rememberedSubscription(of: who.session.subscriber, inquiry: inquiry),
            let subscription = try? applyingRule(to: told.value)
        else { return nil }
        return Remembered(
            Known(
                subscription: subscription,
                word: DenialCache.Word(key: memory(of: who, inquiry), denial: Denial(told.value.state))),
            standing: told.standing)
    }

    private func without(_ state: SubscriptionState, _ key: MessageKey, _ inquiry: Inquiry) -> VerificationAnswer {
        VerificationAnswer(
            subscription: Subscription(state: state, message: message(key, inquiry)),
            comments: comments(["Generated: \(DebugTime.text(clock.now))"]))
    }

    private func isNoteDue(of who: SessionHolder) -> Bool {
        guard let device = who.session.device, publication.deviceLimit != nil else { return false }
        return uses.wouldBeDue(device, of: who.reference, at: clock.elapsed)
    }

    /// Tells the state store now and then that a device is in use; that it could not be told stops nobody.
    private func noteUse(of who: SessionHolder) async {
        guard let device = who.session.device, publication.deviceLimit != nil,
            uses.isDue(device, of: who.reference, at: clock.elapsed)
        else { return }
        do {
            try await state.touch(device, of: who.reference, in: publication.id, at: clock.now)
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
