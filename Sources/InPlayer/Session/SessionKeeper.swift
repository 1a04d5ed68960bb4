import Foundation

/// Hands out access tokens, and renews them: once for however many callers wait for it.
actor SessionKeeper {
    /// Asks the service for new tokens.
    typealias Renew = @Sendable (_ refreshToken: String) async throws(InPlayerError) -> StoredSession

    private typealias Outcome = Result<StoredSession, InPlayerError>

    /// A renewal, and who waits for it.
    private final class Renewal {
        var waiters: [Int: CheckedContinuation<Outcome, Never>] = [:]
    }

    /// An access token that ends within so many seconds is renewed first.
    static let margin: TimeInterval = 10

    private let storage: any SessionStorage
    private let now: @Sendable () -> Date
    private let renew: Renew
    private var session: StoredSession?
    private var isLoaded = false
    /// The renewal under way; everybody who needs one waits for it.
    private var renewal: Renewal?
    private var lastWaiter = 0
    /// Counts sign-ins and sign-outs, so that what began before does not undo them.
    private(set) var era = 0

    init(storage: any SessionStorage, now: @escaping @Sendable () -> Date, renew: @escaping Renew) {
        self.storage = storage
        self.now = now
        self.renew = renew
    }

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

    /// Somebody has signed in.
    func begin(_ session: StoredSession) throws(InPlayerError) {
        era += 1
        renewal = nil
        try keep(session)
    }

    /// Nobody is signed in any more, on this device.
    ///
    /// - Parameter began: the era in which the end was asked for; somebody who has signed in since stays.
    func end(_ began: Int? = nil) throws(InPlayerError) {
        if let began, began != era { return }
        era += 1
        renewal = nil
        session = nil
        isLoaded = true
        do {
            try storage.remove()
        } catch {
            throw .storage(error)
        }
    }

    /// The account as told just now.
    ///
    /// - Parameter began: the era in which it was asked for; it is not the account of somebody who has signed in since.
    func update(_ account: Account, _ began: Int) throws(InPlayerError) {
        guard began == era, var session = try current() else { return }
        session.account = account
        try keep(session)
    }

    /// An access token to call with.
    ///
    /// - Throws: ``InPlayerError/notSignedIn``; what a renewal can end in.
    func token() async throws(InPlayerError) -> String {
        guard let session = try current() else { throw .notSignedIn }
        guard let expires = session.expires, expires <= now().addingTimeInterval(Self.margin) else {
            return session.accessToken
        }
        return try await renewed(session).accessToken
    }

    /// An access token in place of one that the service does not take any more.
    ///
    /// - Throws: ``InPlayerError/notSignedIn``; what a renewal can end in.
    func token(insteadOf refused: String) async throws(InPlayerError) -> String {
        guard let session = try current() else { throw .notSignedIn }
        // Renewed meanwhile by somebody else.
        if session.accessToken != refused { return session.accessToken }
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
        // Belongs to all who wait, so that the first of them to be cancelled does not end it for the others.
        Task { [era] in
            let result: Outcome
            do throws(InPlayerError) {
                result = .success(try await renew(refreshToken))
            } catch {
                result = .failure(error)
            }
            let outcome = finish(session, result, era)
            let waiters = renewal.waiters.values
            renewal.waiters = [:]
            for waiter in waiters { waiter.resume(returning: outcome) }
        }
        return try await outcome(of: renewal)
    }

    /// Whoever is cancelled waits no longer.
    private func outcome(of renewal: Renewal) async throws(InPlayerError) -> StoredSession {
        lastWaiter += 1
        let number = lastWaiter
        let outcome = await withTaskCancellationHandler {
            // By way of the actor: a closure that does not name it would run beside it, and beside others of its kind.
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
            renewal.waiters[number] = continuation
        }
    }

    private func leave(_ number: Int) {
        renewal?.waiters.removeValue(forKey: number)?.resume(
            returning: .failure(.unreachable(CancellationError())))
    }

    private func finish(
        _ old: StoredSession, _ result: Result<StoredSession, InPlayerError>, _ began: Int
    ) -> Result<StoredSession, InPlayerError> {
        guard era == began else { return .failure(.notSignedIn) }
        renewal = nil
        do throws(InPlayerError) {
            switch result {
            case .success(let answer):
                let renewed = (session ?? old).renewed(by: answer)
                try keep(renewed)
                return .success(renewed)
            case .failure(.refused(let fault)) where fault.endsSession:
                try end()
                return .failure(.sessionEnded(fault))
            case .failure(let error):
                return .failure(error)
            }
        } catch {
            return .failure(error)
        }
    }

    private func keep(_ session: StoredSession) throws(InPlayerError) {
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
    /// Whether the service itself says that the tokens are no longer good. What a proxy or a page in between says, and what is
    /// wrong with the app's own settings, leaves them as they are.
    var endsSession: Bool { isServicesOwn && [400, 401, 422].contains(status) && !blamesClient }

    /// Whether it is about the client or the merchant, and not about the reader.
    var blamesClient: Bool {
        let settings: Set<String> = ["client_id", "client_secret", "grant_type", "merchant_uuid", "branding_id"]
        return !settings.isDisjoint(with: fields.keys)
    }
}
