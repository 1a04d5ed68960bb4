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
        switch await guesses.admit(attempt, at: clock.elapsed, isAcquainted: { await isAcquainted(attempt) }) {
        case .throttled(let wait):
            return refuse(.throttled(retryAfter: wait), message(.throttled, inquiry))
        case .busy(let wait):
            throw Unavailable(retryAfter: wait, cause: "too many sign-ins are under way")
        case .proceed(let admitted):
            ticket = admitted
        }
        let entrance: Entrance
        do {
            entrance = try await recognise(typed, device: device, inquiry)
        } catch {
            guesses.settle(ticket, as: .undecided, at: clock.elapsed)
            throw error
        }
        switch entrance {
        case .refused(let words, let found):
            guesses.settle(ticket, as: .wrong, of: found.all.map { references.reference(to: $0) }, at: clock.elapsed)
            return await refuseCredentials(words, inquiry)
        case .open(let subscriber, let device, let session, issuedAt: let issuedAt, let recall):
            let who = references.reference(to: subscriber)
            if !guesses.settle(ticket, as: .right, of: [who], at: clock.elapsed), await !isAcquainted(attempt) {
                // Another answer than a wrong password has would tell that this one is right, or that there is such a reader.
                return await refuseCredentials(nil, inquiry)
            }
            return try await admit(
                subscriber, device: device, session: session, issuedAt: issuedAt, attempt: attempt, recall, inquiry)
        }
    }

    private func refuseCredentials(_ words: String?, _ inquiry: Inquiry) async -> SignInAnswer {
        await hesitation.wait()
        return refuse(.notRecognised, words ?? message(.notRecognised, inquiry))
    }

    /// What the backend made of credentials.
    private enum Entrance {
        case refused(words: String?, FoundSubscribers)
        /// - Parameter issuedAt: when the session that may begin now counts as issued.
        case open(Subscriber, DeviceReference?, SessionReference, issuedAt: Date, Recall)
    }

    /// What of a sign-in came from memory.
    private struct Recall {
        let signIns: [RecalledSignIn]
        /// ``RecalledSessions/order`` when it was asked.
        let order: UInt64
    }

    /// Asks who this is, and once more where all sessions of the reader were ended meanwhile: the password that was right when
    /// the backend looked may be the former one, and the session would outlive its change.
    private func recognise(_ typed: Credentials, device: String?, _ inquiry: Inquiry) async throws -> Entrance {
        let device = device.map { references.reference(toDevice: $0) }
        for _ in 0...Self.mostRepeats {
            let noted = revocations.order
            let order = recalled.order
            let (recognition, signIns) = try await RecalledSignIns.watching {
                try await ask { try await backend.recognise(typed, inquiry: inquiry) }
            }
            switch recognition {
            case .notRecognised(let words, let found): return .refused(words: words, found)
            case .recognised(let subscriber):
                let who = references.reference(to: subscriber)
                let session = device.map { SessionReference($0) } ?? .random(from: random)
                // Read before it is looked whether anything ended: what ends from then on ends this session too. And before the
                // device is admitted: whoever evicts it ends this session as well.
                let issuedAt = moment(of: session, for: who)
                if !revocations.hasEndedAll(of: who, since: noted) {
                    return .open(
                        subscriber, device, session, issuedAt: issuedAt, Recall(signIns: signIns, order: order))
                }
            }
        }
        throw Unavailable(retryAfter: 1, cause: "the sessions of the reader end again and again")
    }

    /// How often the backend is asked anew about one sign-in.
    private static var mostRepeats: Int { 2 }

    private func admit(
        _ subscriber: Subscriber, device: DeviceReference?, session: SessionReference, issuedAt: Date,
        attempt: GuessAttempt, _ recall: Recall, _ inquiry: Inquiry
    ) async throws -> SignInAnswer {
        let who = references.reference(to: subscriber)
        if let wait = sessions?.wait(who, at: clock.elapsed) {
            return refuse(.throttled(retryAfter: wait), message(.throttled, inquiry))
        }
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
        let opened = RecalledSessions.Opened(
            publication: publication.id, subscriber: who, session: session, issuedAt: issuedAt, openedAt: clock.now,
            recalled: recall.signIns)
        guard recalled.note(opened, since: recall.order) else {
            throw Unavailable(retryAfter: 1, cause: "the credentials changed meanwhile")
        }
        let answer = try open(subscriber, device: device, reference: session, issuedAt: issuedAt)
        if case .signedIn = answer { observe(.signedIn(who)) }
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
        let token: String
        do {
            token = try tokens.seal(session)
        } catch let error as TokenError {
            // To try again would be in vain: the system's own session is what takes too much room.
            observe(.backendFailed(backend: backend.name, cause: error.description))
            return refuse(.notRecognised, publication.messages.text(.unavailable, for: []))
        }
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
            !device.allSatisfy(\.isWhitespace), !TemplateVariable.occurs(in: device)
        else { return nil }
        return device
    }

    /// That it could not be written down stops nobody from signing in.
    private func remember(_ attempt: GuessAttempt) async {
        guard let acquaintance = attempt.acquaintance else { return }
        do {
            try await state.rememberAcquaintance(acquaintance, of: attempt.identifier)
        } catch {
            observe(.stateStoreFailed(cause: String(describing: type(of: error))))
        }
    }

    /// If the state store is unavailable, no device is known: the throttle applies to all attempts, and sign-in continues.
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
