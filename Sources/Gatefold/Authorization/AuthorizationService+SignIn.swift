import Foundation
import Primitives

extension AuthorizationService {
    /// Authenticates the reader and opens a session. Sign-in proves the reader's identity only and reveals nothing
    /// about the subscription.
    ///
    /// Source: Design rules, “Sign-in proves identity only”.
    ///
    /// - Throws: ``Unavailable`` if the backend or the state store was unavailable, or the revocations are too old.
    public func signIn(_ context: CallContext) async throws -> SignInResult {
        do {
            return try await attemptSignIn(context)
        } catch let failure as Unavailable {
            throw refused(failure, .signIn)
        }
    }

    private func attemptSignIn(_ context: CallContext) async throws -> SignInResult {
        try checkRevocationAge()
        guard let typed = publication.credentialFields.credentials(from: context.fields), backend.accepts(typed.kind)
        else {
            return reject(.rejected, message(.rejected, context), refusal(.missingCredentials, .signIn))
        }
        let device = device(in: context)
        if publication.requiresDevice, publication.deviceField != nil, device == nil {
            return reject(.deviceRequired, message(.deviceRequired, context), refusal(.deviceMissing, .signIn))
        }
        let attempt = pseudonymKey.attempt(
            typed, publication: publication.id, device: device, client: context.client)
        let permit: LoginAttemptPermit
        switch await loginThrottle.admit(attempt, at: clock.elapsed, isKnownDevice: { await isKnownDevice(attempt) }) {
        case .throttled(let wait):
            let refusal = refusal(.throttled, .signIn)
            record(refusal, typed: typed, context)
            return reject(.throttled(retryAfter: wait), message(.throttled, context), refusal)
        case .busy(let wait):
            throw Unavailable(.overloaded, retryAfter: wait, cause: "too many concurrent sign-ins")
        case .proceed(let admitted):
            permit = admitted
        }
        let credentialsOutcome: CredentialsOutcome
        do {
            credentialsOutcome = try await authenticate(typed, device: device, context)
        } catch {
            await loginThrottle.settle(permit, as: .undecided, at: clock.elapsed)
            throw error
        }
        switch credentialsOutcome {
        case .rejected(let messageText, let found, let freshness):
            let subscriber = found.all.first.map { pseudonymKey.reference(to: $0) }
            let settlement = await loginThrottle.settle(
                permit, as: .wrong, of: found.all.map { pseudonymKey.reference(to: $0) }, at: clock.elapsed)
            if case .throttled(let wait) = settlement {
                // As for a right password, so that the time does not tell them apart.
                _ = await isKnownDevice(attempt)
                let refusal = refusal(.throttled, .signIn, of: subscriber)
                record(refusal, typed: typed, context)
                return await rejectThrottled(wait, refusal, of: found.all.first, context)
            }
            let refusal = refusal(.wrongCredentials, .signIn, of: subscriber, by: backend.name, freshness)
            record(refusal, typed: typed, context)
            return await rejectCredentials(messageText, refusal, of: found.all.first, context)
        case .open(let subscriber, let device, let session, issuedAt: let issuedAt, let cacheHitRecord):
            let subscriberReference = pseudonymKey.reference(to: subscriber)
            let settlement = await loginThrottle.settle(
                permit, as: .right, of: [subscriberReference], at: clock.elapsed)
            if settlement != .final, await !isKnownDevice(attempt) {
                // The result must equal that of a wrong password. Otherwise it would reveal that this password is
                // right, or that the reader exists.
                let refusal = refusal(.throttled, .signIn, of: subscriberReference)
                record(refusal, typed: typed, context)
                if case .throttled(let wait) = settlement {
                    return await rejectThrottled(wait, refusal, of: subscriber, context)
                }
                return await rejectCredentials(nil, refusal, of: subscriber, context)
            }
            return try await admit(
                subscriber, device: device, session: session, issuedAt: issuedAt, attempt: attempt, cacheHitRecord,
                context)
        }
    }

    /// Rejects an attempt whose outcome is not revealed.
    private func rejectThrottled(
        _ wait: Int, _ refusal: Refusal, of reader: Subscriber?, _ context: CallContext
    ) async -> SignInResult {
        await rejectionJitter.wait()
        return reject(.throttled(retryAfter: wait), message(.throttled, context), refusal, of: reader)
    }

    private func rejectCredentials(
        _ messageText: String?, _ refusal: Refusal, of reader: Subscriber?, _ context: CallContext
    ) async -> SignInResult {
        await rejectionJitter.wait()
        return reject(.rejected, messageText ?? message(.rejected, context), refusal, of: reader)
    }

    /// The backend's result for credentials.
    private enum CredentialsOutcome {
        case rejected(messageText: String?, FoundSubscribers, Freshness)
        /// - Parameter issuedAt: The issue time of the session that may now begin.
        case open(Subscriber, DevicePseudonym?, SessionPseudonym, issuedAt: Date, CacheHitRecord)
    }

    /// The parts of a sign-in that came from a cache.
    private struct CacheHitRecord {
        let signIns: [CachedSignIn]
        /// The ``CachedSignInSessions/order`` before the query.
        let order: UInt64
    }

    /// Authenticates the credentials. Repeats the query if all sessions of the reader were revoked meanwhile. The
    /// password that the backend accepted may be the former password, and the session would outlive the password
    /// change.
    private func authenticate(_ typed: Credentials, device: String?, _ context: CallContext) async throws
        -> CredentialsOutcome
    {
        let device = device.map { pseudonymKey.reference(toDevice: $0) }
        for _ in 0...Self.maxRetries {
            let noted = revocations.order
            let order = cachedSignIns.order
            let authentication = try await queryBackend {
                try await backend.authenticate(typed, context: context)
            }
            switch authentication.value {
            case .rejected(let messageText, let found):
                return .rejected(messageText: messageText, found, authentication.freshness)
            case .authenticated(let subscriber):
                let subscriberReference = pseudonymKey.reference(to: subscriber)
                let session = device.map { SessionPseudonym($0) } ?? .random(from: random)
                // The issue time is read before the check for revocations, so that any later revocation also ends
                // this session. It is read before the device is admitted, so that an eviction of the device also
                // ends this session.
                let issuedAt = timestamp(of: session, for: subscriberReference)
                if !revocations.hasRevokedAll(of: subscriberReference, since: noted) {
                    return .open(
                        subscriber, device, session, issuedAt: issuedAt,
                        CacheHitRecord(signIns: authentication.cachedSignIns, order: order))
                }
            }
        }
        throw Unavailable(.conflict, retryAfter: 1, cause: "the sessions of the reader were ended repeatedly")
    }

    /// The maximum number of repeated backend queries for one sign-in.
    private static var maxRetries: Int { 2 }

    private func admit(
        _ subscriber: Subscriber, device: DevicePseudonym?, session: SessionPseudonym, issuedAt: Date,
        attempt: LoginAttempt, _ cacheHitRecord: CacheHitRecord, _ context: CallContext
    ) async throws -> SignInResult {
        let subscriberReference = pseudonymKey.reference(to: subscriber)
        if let wait = await sessions?.wait(subscriberReference, at: clock.elapsed) {
            return reject(
                .throttled(retryAfter: wait), message(.throttled, context),
                refusal(.sessionLimit, .signIn, of: subscriberReference))
        }
        if let device, let limit = publication.deviceLimit {
            let registration = try await withStore {
                try await state.admit(device, of: subscriberReference, in: publication.id, limit: limit, at: clock.now)
            }
            switch registration {
            case .rejected:
                return reject(
                    .tooManyDevices, message(.tooManyDevices, context),
                    refusal(.deviceLimit, .signIn, of: subscriberReference))
            case .admitted(let ended):
                for revocation in ended {
                    revocations.add(revocation)
                    observe(.deviceEvicted(subscriberReference))
                    // A revocation has the first half of the device's pseudonym.
                    record(
                        .deviceEvicted, of: subscriber, as: subscriberReference, detail: revocation.session?.description
                    )
                }
            }
        }
        let isNewDevice = await recordDevice(attempt)
        let opened = CachedSignInSessions.Opened(
            publication: publication.id, subscriber: subscriberReference, session: session, issuedAt: issuedAt,
            openedAt: clock.now,
            cachedSignIns: cacheHitRecord.signIns)
        guard cachedSignIns.record(opened, since: cacheHitRecord.order) else {
            throw Unavailable(.conflict, retryAfter: 1, cause: "the credentials changed in the meantime")
        }
        let result = try open(subscriber, device: device, reference: session, issuedAt: issuedAt, .signIn)
        if case .signedIn = result {
            observe(.signedIn(subscriberReference))
            if isNewDevice { record(.deviceAdded, of: subscriber, as: subscriberReference, device: device) }
            record(.signIn, of: subscriber, as: subscriberReference, device: device)
        }
        return result
    }

    /// Returns the issue time of a session that begins now. A session that is opened in the same second as a
    /// revocation must outlive the revocation, so its issue time is the next second.
    func timestamp(of session: SessionPseudonym, for subscriber: SubscriberPseudonym) -> Date {
        max(wholeSecond, revocations.boundary(subscriber: subscriber, session: session))
    }

    private var wholeSecond: Date {
        Date(timeIntervalSince1970: clock.now.timeIntervalSince1970.rounded(.down))
    }

    /// Issues a token for a session.
    ///
    /// - Parameters:
    ///   - issuedAt: The start of the session, not of this token. A renewed token ends with every revocation of its
    ///     session.
    ///   - call: The call that opens or renews the session.
    func open(
        _ subscriber: Subscriber, device: DevicePseudonym?, reference: SessionPseudonym, issuedAt: Date,
        _ call: RefusedCall
    ) throws -> SignInResult {
        let session = Session(
            publication: publication.id, subscriber: subscriber, device: device, reference: reference,
            issuedAt: issuedAt, expiresAt: wholeSecond.addingTimeInterval(publication.lifetimes.token))
        let token: String
        do {
            token = try tokens.seal(session)
        } catch let error as TokenError {
            // A retry would fail again, because the system's own session is too large.
            observe(.backendFailed(backend: backend.name, cause: error.description))
            return reject(
                .rejected, publication.messages.text(.unavailable, for: []),
                refusal(
                    .backendUnavailable, call, of: pseudonymKey.reference(to: subscriber), by: subscriber.backend))
        }
        return .signedIn(
            token: token,
            feedPassword: publication.issuesFeedPassword && backend.grantsFeed(to: subscriber)
                ? EditionPassword.makeForFeed(token: token, secret: feedSecret) : nil,
            notes: notes(["Publication: \(publication.id)", "Generated: \(DebugTime.text(clock.now))"]))
    }

    func reject(
        _ reason: SignInRejection.Reason, _ messageText: String?, _ refusal: Refusal, of reader: Subscriber? = nil
    ) -> SignInResult {
        report(refusal, of: reader)
        observe(.signInRejected(reason))
        return .rejected(SignInRejection(reason: reason, message: messageText))
    }

    private func device(in context: CallContext) -> String? {
        guard let field = publication.deviceField, let device = context.fields[field],
            !device.allSatisfy(\.isWhitespace), !TemplateVariable.occurs(in: device)
        else { return nil }
        return device
    }

    /// Stores the device as known. A failure of the store does not prevent the sign-in.
    ///
    /// - Returns: True if the device was not known before.
    private func recordDevice(_ attempt: LoginAttempt) async -> Bool {
        guard let deviceDigest = attempt.deviceDigest else { return false }
        return (try? await withStore { try await state.recordKnownDevice(deviceDigest, of: attempt.identifier) })
            ?? false
    }

    /// Returns whether the device is known. If the state store is unavailable, no device is known: the throttle
    /// applies to all attempts, and sign-in continues.
    private func isKnownDevice(_ attempt: LoginAttempt) async -> Bool {
        guard let deviceDigest = attempt.deviceDigest else { return false }
        return (try? await withStore { try await state.isKnownDevice(deviceDigest) }) ?? false
    }
}
