import Foundation

/// Hands out access tokens, and renews them: once for however many callers wait for it.
actor SessionKeeper {
    /// Asks the service for new tokens.
    typealias Renew = @Sendable (_ refreshToken: String) async throws(InPlayerError) -> StoredSession

    /// An access token that ends within so many seconds is renewed first.
    static let margin: TimeInterval = 10

    private let storage: any SessionStorage
    private let now: @Sendable () -> Date
    private let renew: Renew
    private var session: StoredSession?
    private var isLoaded = false
    /// The renewal under way; everybody who needs one waits for it.
    private var renewal: Task<Result<StoredSession, InPlayerError>, Never>?
    /// Counts sign-ins and sign-outs, so that a renewal that began before does not undo them.
    private var era = 0

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
    func end() throws(InPlayerError) {
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
    func update(_ account: Account) throws(InPlayerError) {
        guard var session = try current() else { return }
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
        if let renewal { return try await renewal.value.get() }
        guard let refreshToken = session.refreshToken else {
            try end()
            throw .sessionEnded(nil)
        }
        // Belongs to all who wait, so that the first of them to be cancelled does not end it for the others.
        let era = era
        let task = Task {
            let result: Result<StoredSession, InPlayerError>
            do throws(InPlayerError) {
                result = .success(try await renew(refreshToken))
            } catch {
                result = .failure(error)
            }
            return finish(session, result, era)
        }
        renewal = task
        return try await task.value.get()
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
    /// Whether a renewal so answered will never succeed; a busy service may answer the next one.
    var endsSession: Bool { (400..<500).contains(status) && status != 408 && status != 429 }
}
