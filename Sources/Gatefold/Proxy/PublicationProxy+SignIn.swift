import Foundation

extension PublicationProxy {
    /// Sign-in proves who the reader is, and says nothing about the subscription (DESIGN rule 3).
    ///
    /// - Throws: ``Unavailable`` when the backend or the state store could not be asked.
    public func signIn(_ inquiry: Inquiry) async throws -> SignInAnswer {
        guard let typed = publication.credentialFields.credentials(from: inquiry.fields), backend.reads(typed.form)
        else {
            return refuse(.notRecognised, message(.notRecognised, inquiry))
        }
        let device = device(in: inquiry)
        if publication.requiresDevice, publication.deviceField != nil, device == nil {
            return refuse(.deviceRequired, message(.deviceRequired, inquiry))
        }
        let attempt = references.attempt(
            typed, publication: publication.id, device: device, client: inquiry.client)
        let ticket: GuessTicket
        switch await guesses.admit(attempt, at: clock.now, isAcquainted: { await isAcquainted(attempt) }) {
        case .throttled(let wait):
            return refuse(.throttled(retryAfter: wait), message(.throttled, inquiry))
        case .proceed(let admitted):
            ticket = admitted
        }
        let recognition: Recognition
        do {
            recognition = try await ask { try await backend.recognise(typed, inquiry: inquiry) }
        } catch {
            guesses.settle(ticket, as: .undecided, at: clock.now)
            throw error
        }
        switch recognition {
        case .notRecognised(let words):
            guesses.settle(ticket, as: .wrong, at: clock.now)
            await hesitation.wait()
            return refuse(.notRecognised, words ?? message(.notRecognised, inquiry))
        case .recognised(let subscriber):
            guesses.settle(ticket, as: .right, at: clock.now)
            return try await admit(subscriber, device: device, attempt: attempt, inquiry)
        }
    }

    private func admit(
        _ subscriber: Subscriber, device: String?, attempt: GuessAttempt, _ inquiry: Inquiry
    ) async throws -> SignInAnswer {
        let who = references.reference(to: subscriber)
        let device = device.map { references.reference(toDevice: $0) }
        let session = device.map { SessionReference($0) } ?? .random(from: random)
        // Read before the device is admitted: whoever evicts it from then on ends this session too.
        let issuedAt = moment(of: session, for: who)
        if let device, let limit = publication.deviceLimit {
            let registration = try await keep {
                try await state.admit(device, of: who, in: publication.id, limit: limit, at: clock.now)
            }
            switch registration {
            case .refused:
                return refuse(.tooManyDevices, message(.tooManyDevices, inquiry))
            case .admitted(let ended):
                for revocation in ended {
                    revocations.add(revocation)
                    observe(.deviceEvicted(who))
                }
            }
        }
        await remember(attempt)
        let answer = try open(subscriber, device: device, reference: session, issuedAt: issuedAt)
        observe(.signedIn(who))
        return answer
    }

    /// When a session that begins now counts as issued: one opened in the second of a revocation must outlive it, so it
    /// counts as issued right after.
    func moment(of session: SessionReference, for subscriber: SubscriberReference) -> Date {
        max(wholeSecond, revocations.boundary(subscriber: subscriber, session: session))
    }

    private var wholeSecond: Date {
        Date(timeIntervalSince1970: clock.now.timeIntervalSince1970.rounded(.down))
    }

    /// Hands out a token of a session.
    ///
    /// - Parameter issuedAt: when the session, not this token, began: a renewed token ends with what its session ends with.
    func open(
        _ subscriber: Subscriber, device: DeviceReference?, reference: SessionReference, issuedAt: Date
    ) throws -> SignInAnswer {
        let session = Session(
            publication: publication.id, subscriber: subscriber, device: device, reference: reference,
            issuedAt: issuedAt, expiresAt: wholeSecond.addingTimeInterval(publication.lifetimes.token))
        let token = try tokens.seal(session)
        return .signedIn(
            token: token,
            feedPassword: publication.issuesFeedPassword && backend.grantsFeed(to: subscriber)
                ? EditionPassword.makeForFeed(token: token, secret: feedSecret) : nil,
            comments: comments(["Publication: \(publication.id)", "Generated: \(DebugTime.text(clock.now))"]))
    }

    func refuse(_ reason: SignInRefusal.Reason, _ words: String?) -> SignInAnswer {
        observe(.signInRefused(reason))
        return .refused(SignInRefusal(reason: reason, message: words))
    }

    private func device(in inquiry: Inquiry) -> String? {
        guard let field = publication.deviceField, let device = inquiry.fields[field],
            !device.allSatisfy(\.isWhitespace)
        else { return nil }
        return device
    }

    /// That it could not be written down stops nobody from signing in.
    private func remember(_ attempt: GuessAttempt) async {
        guard let acquaintance = attempt.acquaintance else { return }
        do {
            try await state.rememberAcquaintance(acquaintance, at: clock.now)
        } catch {
            observe(.stateStoreFailed(cause: String(describing: type(of: error))))
        }
    }

    /// A store that can not be asked knows nobody: the limit then holds for everyone, and sign-in goes on.
    private func isAcquainted(_ attempt: GuessAttempt) async -> Bool {
        guard let acquaintance = attempt.acquaintance else { return false }
        do {
            return try await state.isAcquainted(acquaintance)
        } catch {
            observe(.stateStoreFailed(cause: String(describing: type(of: error))))
            return false
        }
    }
}
