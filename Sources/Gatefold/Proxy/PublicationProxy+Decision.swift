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
        if let plain = plainDecision(on: edition, by: try catalogue()) { return plain }
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

    /// What the catalogue alone decides; nil where it depends on the reader.
    func plainDecision(on edition: EditionID, by catalogue: Catalogue) -> EditionDecision? {
        let now = clock.now
        guard catalogue.isOut(edition, at: now) else { return .refused(.notEntitled, message: nil) }
        return catalogue.isFree(edition, at: now) ? .granted : nil
    }

    /// A decision, and what the subscriber system said for it of the edition and of the reader: nothing where the catalogue
    /// alone decides, because an edition comes out, or is no longer free, without anybody's word on the reader.
    struct KnownDecision {
        let decision: EditionDecision
        let words: [DenialCache.Word]

        /// The catalogue's alone.
        init(plain decision: EditionDecision) {
            self.decision = decision
            words = []
        }

        /// - Parameters:
        ///   - memory: of the edition and the reader.
        ///   - reader: what was said of the reader as a whole, where that decides.
        ///   - isListed: whether the catalogue may have the edition: of any other no denial is remembered.
        init(
            _ decision: EditionDecision, _ memory: DenialCache.Key, isListed: Bool, reader: DenialCache.Word? = nil
        ) {
            self.decision = decision
            var words: [DenialCache.Word] = []
            if let reader { words.append(reader) }
            if isListed || !decision.isRefusal {
                words.append(DenialCache.Word(key: memory, denial: decision.isRefusal ? .edition : nil))
            }
            self.words = words
        }
    }

    /// The decision where nobody has to be asked: nil where somebody has to.
    func rememberedDecision(
        on edition: EditionID, for who: SessionHolder, _ inquiry: Inquiry
    ) -> Remembered<KnownDecision>? {
        guard purchases == nil, let catalogue = try? catalogue() else { return nil }
        if let plain = plainDecision(on: edition, by: catalogue) { return Remembered(KnownDecision(plain: plain)) }
        let subscriber = who.session.subscriber
        let known: Remembered<RememberedVerdict>
        if publication.rule.policy == .backendDecides {
            guard let told = backend.rememberedVerdict(on: edition, for: subscriber, inquiry: inquiry) else {
                return nil
            }
            known = told
        } else {
            known = Remembered(.none)
        }
        let memory = memory(of: who, edition: edition, inquiry)
        let isListed = catalogue.mayHave(edition)
        switch known.value {
        case .verdict(let verdict):
            return (try? decision(by: verdict, on: edition)).map {
                Remembered(KnownDecision($0, memory, isListed: isListed), standing: known.standing)
            }
        case .none:
            return remembered(about: who, inquiry).map { told in
                Remembered(
                    KnownDecision(
                        decision(by: told.value.subscription, on: edition, inquiry), memory, isListed: isListed,
                        reader: told.value.word),
                    standing: known.standing.joined(with: told.standing))
            }
        }
    }

    /// The subscriber system's verdict, where its word is final and it has one; else the subscription decides, as it does
    /// for what a verification lists.
    func verdict(
        on edition: EditionID, for subscriber: Subscriber, _ inquiry: Inquiry,
        subscription: () async throws -> Subscription
    ) async throws -> EditionDecision {
        if publication.rule.policy == .backendDecides,
            let own = try await ask({ try await backend.verdict(on: edition, for: subscriber, inquiry: inquiry) })
        {
            return try decision(by: own, on: edition)
        }
        return decision(by: try await subscription(), on: edition, inquiry)
    }

    private func decision(by verdict: EditionVerdict, on edition: EditionID) throws(Unavailable) -> EditionDecision {
        switch verdict {
        case .granted: return .granted
        case .refused(let reason, let words): return .refused(reason, message: words)
        case .leftTo(let subscriptions, otherwise: let reason, message: let words):
            for subscription in subscriptions where try applyingRule(to: subscription).opens(edition) {
                return .granted
            }
            return .refused(reason, message: words)
        }
    }

    private func decision(
        by subscription: Subscription, on edition: EditionID, _ inquiry: Inquiry
    ) -> EditionDecision {
        switch subscription.state {
        case .unknown: .refused(.notRecognised, message: message(.tokenNotRecognised, inquiry))
        case .stale: .refused(.expired, message: message(.tokenExpired, inquiry))
        case .active, .inactive, .suspended:
            subscription.opens(edition) ? .granted : .refused(.notEntitled, message: subscription.message)
        }
    }
}
