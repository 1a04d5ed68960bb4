import Foundation

/// A source of access tokens. It renews an expired token once for all waiting callers.
actor SessionManager {
    /// A closure that requests new tokens from the service.
    typealias Renew = @Sendable (_ refreshToken: String) async throws(InPlayerError) -> StoredSession

    private typealias Outcome = Result<StoredSession, InPlayerError>

    /// A renewal in progress and its waiting callers.
    private final class Renewal {
        var continuations: [Int: CheckedContinuation<Outcome, Never>] = [:]
    }

    /// The margin in seconds before the expiry of an access token. A token within the margin is renewed first.
    static let margin: TimeInterval = 10

    private let storage: any SessionStorage
    private let now: @Sendable () -> Date
    private let renew: Renew
    private var session: StoredSession?
    private var isLoaded = false
    /// The renewal in progress. All callers that need a renewal wait for it.
    private var renewal: Renewal?
    private var lastNumber = 0
    /// The number of sign-ins and sign-outs. Calls that began in an earlier era must not undo a later sign-in or
    /// sign-out.
    private(set) var generation = 0

    init(storage: any SessionStorage, now: @escaping @Sendable () -> Date, renew: @escaping Renew) {
        self.storage = storage
        self.now = now
        self.renew = renew
    }

    /// Returns the current session, and loads it from the storage at the first call.
    ///
    /// - Throws: ``InPlayerError/storage(_:)``.
    func current() throws(InPlayerError) -> StoredSession? {
        if isLoaded { return session }
        do {
            session = try storage.load()
        } catch {
            throw .storage(error)
        }
        isLoaded = true
        return session
    }

    /// Starts a session after a sign-in.
    func begin(_ session: StoredSession) throws(InPlayerError) {
        generation += 1
        renewal = nil
        try save(session)
    }

    /// Ends the session on this device.
    ///
    /// - Parameter began: The era in which the end was requested. A session that began later is not ended.
    func end(_ began: Int? = nil) throws(InPlayerError) {
        if let began, began != generation { return }
        generation += 1
        renewal = nil
        session = nil
        isLoaded = true
        do {
            try storage.remove()
        } catch {
            throw .storage(error)
        }
    }

    /// Stores a newly received account in the session.
    ///
    /// - Parameter began: The era of the request. The account does not belong to a session that began later.
    func update(_ account: Account, _ began: Int) throws(InPlayerError) {
        guard began == generation, var session = try current() else { return }
        session.account = account
        try save(session)
    }

    /// Returns a valid access token, and renews it if necessary.
    ///
    /// - Throws: ``InPlayerError/notSignedIn``, or an error of the renewal.
    func token() async throws(InPlayerError) -> String {
        guard let session = try current() else { throw .notSignedIn }
        guard let expires = session.expires, expires <= now().addingTimeInterval(Self.margin) else {
            return session.accessToken
        }
        return try await renewed(session).accessToken
    }

    /// Returns a replacement for an access token that the service rejects.
    ///
    /// - Throws: ``InPlayerError/notSignedIn``, or an error of the renewal.
    func token(insteadOf rejected: String) async throws(InPlayerError) -> String {
        guard let session = try current() else { throw .notSignedIn }
        // Another call has already renewed the token.
        if session.accessToken != rejected { return session.accessToken }
        return try await renewed(session).accessToken
    }

    private func renewed(_ session: StoredSession) async throws(InPlayerError) -> StoredSession {
        if let renewal { return try await outcome(of: renewal) }
        guard let refreshToken = session.refreshToken else {
            try end()
            throw .sessionEnded(nil)
        }
        let renewal = Renewal()
        self.renewal = renewal
        // The task is unstructured and shared by all waiting callers, so that the cancellation of one caller does
        // not end it for the others.
        Task { [generation] in
            let result: Outcome
            do throws(InPlayerError) {
                result = .success(try await renew(refreshToken))
            } catch {
                result = .failure(error)
            }
            let outcome = finish(session, result, generation)
            let continuations = renewal.continuations.values
            renewal.continuations = [:]
            for continuation in continuations { continuation.resume(returning: outcome) }
        }
        return try await outcome(of: renewal)
    }

    /// Waits for a renewal. A cancelled caller stops waiting.
    private func outcome(of renewal: Renewal) async throws(InPlayerError) -> StoredSession {
        lastNumber += 1
        let number = lastNumber
        let outcome = await withTaskCancellationHandler {
            // `self.join` keeps the closure isolated to the actor. Without a use of `self`, the closure would run
            // concurrently with it.
            await withCheckedContinuation { self.join(renewal, as: number, $0) }
        } onCancel: {
            Task { await leave(number) }
        }
        return try outcome.get()
    }

    private func join(
        _ renewal: Renewal, as number: Int, _ continuation: CheckedContinuation<Outcome, Never>
    ) {
        if Task.isCancelled {
            continuation.resume(returning: .failure(.unreachable(CancellationError())))
        } else {
            renewal.continuations[number] = continuation
        }
    }

    private func leave(_ number: Int) {
        renewal?.continuations.removeValue(forKey: number)?.resume(
            returning: .failure(.unreachable(CancellationError())))
    }

    private func finish(
        _ old: StoredSession, _ result: Result<StoredSession, InPlayerError>, _ began: Int
    ) -> Result<StoredSession, InPlayerError> {
        guard generation == began else { return .failure(.notSignedIn) }
        renewal = nil
        do throws(InPlayerError) {
            switch result {
            case .success(let response):
                let renewed = (session ?? old).renewed(by: response)
                try save(renewed)
                return .success(renewed)
            case .failure(.rejected(let fault)) where fault.endsSession:
                try end()
                return .failure(.sessionEnded(fault))
            case .failure(let error):
                return .failure(error)
            }
        } catch {
            return .failure(error)
        }
    }

    private func save(_ session: StoredSession) throws(InPlayerError) {
        self.session = session
        isLoaded = true
        do {
            try storage.save(session)
        } catch {
            throw .storage(error)
        }
    }
}

extension InPlayerFault {
    /// A Boolean value that indicates whether the service itself reports that the tokens are invalid. A response of
    /// a proxy, or an error in the app's own settings, does not invalidate the tokens.
    var endsSession: Bool { isServiceError && [400, 401, 422].contains(status) && !isClientError }

    /// A Boolean value that indicates whether the error concerns the client or the merchant, not the reader.
    var isClientError: Bool {
        let settings: Set<String> = ["client_id", "client_secret", "grant_type", "merchant_uuid", "branding_id"]
        return !settings.isDisjoint(with: fields.keys)
    }
}
