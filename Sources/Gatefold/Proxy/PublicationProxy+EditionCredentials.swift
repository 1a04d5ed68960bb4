import Foundation

extension PublicationProxy {
    /// Credentials for one edition, or why not; never an error of transport (DESIGN rule 6).
    ///
    /// - Parameters:
    ///   - edition: the app's product identifier as it came, nil or blank when it sent none.
    ///   - isInURL: whether they will travel in a URL: then they live no longer than ``Lifetimes/ticket``, and are sealed.
    /// - Throws: only what the test backend wants answered byte for byte, and a failure to seal.
    public func editionCredentials(
        token: String, edition: String?, inURL isInURL: Bool = false, _ inquiry: Inquiry
    ) async throws -> CredentialsAnswer {
        let standing = self.standing
        return switch question(read(token), token, edition, inquiry) {
        case .refused(let reason, let words): refuse(reason, words)
        case .ofNoEdition(let who): try await credentialsForNoEdition(who.session, inquiry)
        case .of(let edition, let who):
            if let decided = try decidedCredentials(for: edition, who, inURL: isInURL, inquiry, standing) {
                give(decided)
            } else {
                try await credentials(for: edition, who, inURL: isInURL, inquiry)
            }
        }
    }

    /// The same where nobody has to be asked, not yet given: nil where somebody has to.
    ///
    /// - Parameter isToBeKept: whether to say how credentials are made anew for whoever asks the same again.
    public func decidedCredentials(
        token: String, edition: String?, _ inquiry: Inquiry, isToBeKept: Bool = false
    ) throws -> Decided<CredentialsAnswer>? {
        let standing = self.standing
        return switch question(read(token), token, edition, inquiry) {
        case .refused(let reason, let words):
            Decided(refused(reason, words), standing, .credentialsRefused(reason))
        case .ofNoEdition: nil
        case .of(let edition, let who):
            try decidedCredentials(for: edition, who, inURL: false, inquiry, standing, isToBeKept: isToBeKept)
        }
    }

    private enum CredentialsQuestion {
        case refused(CredentialsRefusal.Reason, String?)
        case ofNoEdition(SessionHolder)
        case of(EditionID, SessionHolder)
    }

    private func question(
        _ reading: TokenReading, _ token: String, _ edition: String?, _ inquiry: Inquiry
    ) -> CredentialsQuestion {
        switch reading {
        case .unreadable, .revoked:
            return .refused(.notRecognised, message(token.isEmpty ? .noToken : .tokenNotRecognised, inquiry))
        case .expired, .renewable:
            return .refused(.expired, message(.tokenExpired, inquiry))
        case .good(let who):
            let named = edition.flatMap { $0.allSatisfy(\.isWhitespace) ? nil : $0 }
            guard let named else { return .ofNoEdition(who) }
            guard let edition = EditionID(named) else {
                return .refused(.notEntitled, message(.notEntitled, inquiry))
            }
            return .of(edition, who)
        }
    }

    private func decidedCredentials(
        for edition: EditionID, _ who: SessionHolder, inURL isInURL: Bool, _ inquiry: Inquiry, _ standing: Standing,
        isToBeKept: Bool = false
    ) throws -> Decided<CredentialsAnswer>? {
        guard let known = rememberedDecision(on: edition, for: who, inquiry) else { return nil }
        return try answer(
            Remembered(known.value.decision, standing: standing.joined(with: known.standing)), on: edition, who,
            inURL: isInURL, inquiry, words: known.value.words, isToBeKept: isToBeKept)
    }

    private func answer(
        _ decision: Remembered<EditionDecision>, on edition: EditionID, _ who: SessionHolder, inURL isInURL: Bool,
        _ inquiry: Inquiry, words: [DenialCache.Word] = [], isToBeKept: Bool = false
    ) throws -> Decided<CredentialsAnswer> {
        switch decision.value {
        case .refused(let reason, let text):
            return Decided(
                refused(reason, text ?? message(.notEntitled, inquiry)), decision.standing,
                .credentialsRefused(reason), words: words)
        case .granted:
            let answer = try grant(edition, who, inURL: isInURL, inquiry)
            return Decided(
                answer, decision.standing, .credentialsIssued(who.reference, edition), words: words,
                repetition: isToBeKept && !isInURL ? repetition(of: answer, edition, who) : .never)
        }
    }

    private func repetition(of answer: CredentialsAnswer, _ edition: EditionID, _ who: SessionHolder) -> Repetition {
        // What is signed for an edge, and remarks that tell the time, are of their own moment.
        guard case .granted(let first, let headers, let comments) = answer, headers.isEmpty, comments.isEmpty else {
            return .never
        }
        let (grantee, lifetime) = (Grantee(who), publication.lifetimes.editionCredentials)
        return .replacing(first) { [credentials, clock] in
            try credentials.issue(edition, for: grantee.holder, until: grantee.end(lifetime, from: clock.now))
        }
    }

    private func grant(
        _ edition: EditionID, _ who: SessionHolder, inURL isInURL: Bool, _ inquiry: Inquiry
    ) throws -> CredentialsAnswer {
        let lifetimes = publication.lifetimes
        return try grant(
            edition, Grantee(who), inquiry,
            lifetime: isInURL ? min(lifetimes.editionCredentials, lifetimes.ticket) : lifetimes.editionCredentials,
            isSealed: isInURL)
    }

    /// Of an edition that the catalogue does not list nothing is remembered: in an outage nobody gets it.
    private func note(
        _ decision: EditionDecision, _ key: DenialCache.Key, _ edition: EditionID, isEarlier: Bool, asked: UInt64
    ) {
        guard !decision.isRefusal || publication.rule.catalogue.mayHave(edition) else { return }
        denials.note(key, decision.isRefusal ? .edition : nil, isEarlier: isEarlier, asked: asked)
    }

    private func credentialsForNoEdition(_ session: Session, _ inquiry: Inquiry) async throws -> CredentialsAnswer {
        let verdict: EditionVerdict?
        do {
            verdict = try await ask {
                try await backend.verdict(on: nil, for: session.subscriber, inquiry: inquiry)
            }
        } catch is Unavailable {
            verdict = nil
        }
        switch verdict {
        case .granted: return .granted(credentials.issueForNoEdition(), headers: [], comments: [])
        // No edition is named that a subscription could open.
        case .refused(let reason, let words), .leftTo(_, otherwise: let reason, message: let words):
            return refuse(reason, words ?? message(.noEdition, inquiry))
        case nil: return refuse(.notEntitled, message(.noEdition, inquiry))
        }
    }

    private func credentials(
        for edition: EditionID, _ who: SessionHolder, inURL isInURL: Bool, _ inquiry: Inquiry
    ) async throws -> CredentialsAnswer {
        let lifetimes = publication.lifetimes
        let longest = isInURL ? lifetimes.ticket : .infinity
        let subscriber = who.session.subscriber
        let memory = memory(of: who, edition: edition, inquiry)
        do {
            let decision = try await decide(on: edition, for: references.owner(subscriber)) {
                let asked = denials.order
                let (own, isEarlier) = try await StandIns.watching {
                    try await verdict(on: edition, for: subscriber, inquiry) {
                        try await told(about: who, inquiry)
                    }
                }
                // The subscriber system's word alone, for what the catalogue or a purchase decides says nothing of it. And at
                // once: what keeps the purchases may be out of order, which makes no refusal undone.
                note(own, memory, edition, isEarlier: isEarlier, asked: asked)
                // What was granted before another process was told otherwise.
                if isEarlier, !own.isRefusal, denials.wasEditionDenied(memory) {
                    throw Unavailable(retryAfter: retryAfter, cause: "the edition was denied since")
                }
                return own
            }
            return give(try answer(Remembered(decision), on: edition, who, inURL: isInURL, inquiry))
        } catch let failure as Unavailable {
            let catalogue = publication.rule.catalogue
            guard publication.failsOpen, catalogue.mayHave(edition), catalogue.isOut(edition, at: clock.now),
                !denials.wasDenied(memory)
            else {
                observe(.credentialsRefused(.notEntitled))
                return .refused(
                    CredentialsRefusal(
                        reason: .notEntitled, message: message(.unavailable, inquiry), retryAfter: failure.retryAfter),
                    comments: [])
            }
            let answer = try grant(
                edition, Grantee(who), inquiry,
                lifetime: min(lifetimes.failOpenCredentials, longest), isFailOpen: true)
            observe(.failedOpen(who.reference, edition))
            return answer
        }
    }

    /// Who credentials are for.
    struct Grantee {
        let holder: SaltHolder
        let subscriber: Subscriber
        /// The credentials end no later than this.
        let until: Date

        init(_ holder: SaltHolder, subscriber: Subscriber, until: Date = .distantFuture) {
            self.holder = holder
            self.subscriber = subscriber
            self.until = until
        }

        fileprivate init(_ who: SessionHolder) {
            self.init(who.holder, subscriber: who.session.subscriber, until: who.session.expiresAt)
        }

        /// When credentials end that are made now.
        ///
        /// - Parameter lifetime: in seconds.
        fileprivate func end(_ lifetime: TimeInterval, from now: Date) -> Date {
            min(now.addingTimeInterval(lifetime), until)
        }
    }

    /// - Parameters:
    ///   - lifetime: in seconds.
    ///   - isSealed: seals the salt in any case: a plain one would be good for ever.
    func grant(
        _ edition: EditionID, _ grantee: Grantee, _ inquiry: Inquiry, lifetime: TimeInterval, isSealed: Bool = false,
        isFailOpen: Bool = false
    ) throws -> CredentialsAnswer {
        let now = clock.now
        let expiresAt = grantee.end(lifetime, from: now)
        return .granted(
            // A plain salt would be good for ever, which failing open never means.
            try credentials.issue(edition, for: grantee.holder, until: expiresAt, sealing: isFailOpen || isSealed),
            headers: try edgeHeaders(
                EdgeGrant(
                    publication: publication.id, subscriber: grantee.subscriber, edition: edition, issuedAt: now,
                    expiresAt: expiresAt, client: inquiry.client)),
            comments: comments(
                [
                    "Publication: \(publication.id)", "Requested edition: \(edition)",
                    "Generated: \(DebugTime.text(now))",
                    isFailOpen ? "Failed open: the subscriber system could not be asked" : nil,
                ].compactMap(\.self)))
    }

    private func edgeHeaders(_ grant: @autoclosure () -> EdgeGrant) throws -> [EdgeHeader] {
        if publication.edgeTokens.isEmpty { return [] }
        let grant = grant()
        return EdgeHeader.joiningCookies(try publication.edgeTokens.flatMap { try $0.headers(for: grant) })
    }

    func refuse(_ reason: CredentialsRefusal.Reason?, _ words: String?) -> CredentialsAnswer {
        observe(.credentialsRefused(reason))
        return refused(reason, words)
    }

    private func refused(_ reason: CredentialsRefusal.Reason?, _ words: String?) -> CredentialsAnswer {
        .refused(
            CredentialsRefusal(reason: reason, message: words),
            comments: comments(["Generated: \(DebugTime.text(clock.now))"]))
    }
}
