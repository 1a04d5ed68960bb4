package import Foundation
package import Primitives
import Synchronization

/// A token cache that fetches the next token shortly before the current one expires. Concurrent callers share one
/// fetch.
package final class TokenCache: Sendable {
    package struct Token: Sendable, Equatable {
        package let text: String
        /// The lifetime in seconds, or nil when the server did not send one.
        package let lifetime: TimeInterval?

        package init(text: String, lifetime: TimeInterval?) {
            self.text = text
            self.lifetime = lifetime
        }
    }

    private typealias Continuation = CheckedContinuation<String, any Error>

    private struct State {
        var token: String?
        /// The time to fetch the next token. `expiresAt` is the time when the current token expires.
        var renewAt = -TimeInterval.infinity
        var expiresAt = -TimeInterval.infinity
        var continuations: [UInt64: Continuation] = [:]
        var nextContinuationID: UInt64 = 0
        var isFetching = false
        /// The earliest time of the next fetch while the current token is still valid.
        var nextAttempt = -TimeInterval.infinity
    }

    /// The minimum interval between fetches while a valid token exists, in seconds.
    private static let pause: TimeInterval = 10

    /// The lifetime of a token whose server sent none, in seconds.
    private static let defaultLifetime: TimeInterval = 300

    private let clock: WallClock
    private let fetch: @Sendable () async throws -> Token
    private let state = Mutex(State())

    package init(clock: WallClock, fetch: @escaping @Sendable () async throws -> Token) {
        self.clock = clock
        self.fetch = fetch
    }

    /// Returns the token to use now.
    ///
    /// A token that is still valid is returned immediately, and the next one is fetched in the background.
    ///
    /// - Throws: the error of the fetch when no valid token exists; `CancellationError` immediately when the
    ///   calling task is cancelled, while the other callers continue to wait.
    package func token() async throws -> String {
        let now = clock.elapsed
        let (cached, isDue) = state.withLock { state -> (String?, Bool) in
            guard let token = state.token, now < state.expiresAt else { return (nil, false) }
            guard now >= state.renewAt, now >= state.nextAttempt, !state.isFetching else { return (token, false) }
            state.isFetching = true
            return (token, true)
        }
        if isDue { Task { await refresh() } }
        if let cached { return cached }
        return try await next()
    }

    /// Returns a token to use in place of a rejected one. Other callers keep using the rejected token until a new
    /// one exists. Returns nil when no other token exists, or when the last fetch was so recent that the token is
    /// not the cause.
    ///
    /// - Throws: the same errors as ``token()``.
    package func replacement(of token: String) async throws -> String? {
        let now = clock.elapsed
        let (other, mayFetch) = state.withLock { state -> (String?, Bool) in
            if let other = state.token, other != token { return (other, false) }
            if state.isFetching { return (nil, true) }
            guard now >= state.nextAttempt else { return (nil, false) }
            state.nextAttempt = now + Self.pause
            return (nil, true)
        }
        if let other { return other }
        guard mayFetch else { return nil }
        let next = try await next()
        return next == token ? nil : next
    }

    /// Returns the token from the fetch in progress, or from a new fetch.
    private func next() async throws -> String {
        let number = state.withLock { state in
            state.nextContinuationID += 1
            return state.nextContinuationID
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // A cancellation handler that ran before the waiter was registered did not find it.
                if Task.isCancelled { return continuation.resume(throwing: CancellationError()) }
                let isFirst = state.withLock { state in
                    state.continuations[number] = continuation
                    defer { state.isFetching = true }
                    return !state.isFetching
                }
                if isFirst { Task { await refresh() } }
                if Task.isCancelled { cancel(number) }
            }
        } onCancel: {
            cancel(number)
        }
    }

    private func cancel(_ number: UInt64) {
        state.withLock { $0.continuations.removeValue(forKey: number) }?.resume(throwing: CancellationError())
    }

    /// Fetches a token in a separate task, because no caller owns the fetch. The client's timeout ends it.
    private func refresh() async {
        let result: Result<Token, any Error>
        do {
            result = .success(try await fetch())
        } catch {
            result = .failure(error)
        }
        let now = clock.elapsed
        let (continuations, tokenResult) = state.withLock { state -> ([Continuation], Result<String, any Error>) in
            var tokenResult: Result<String, any Error> = result.map(\.text)
            switch result {
            case .success(let token):
                let lifetime = token.lifetime ?? Self.defaultLifetime
                state.token = token.text
                state.expiresAt = now + lifetime
                state.renewAt = now + lifetime - min(60, lifetime / 10)
            case .failure:
                state.nextAttempt = now + Self.pause
                if let old = state.token, now < state.expiresAt { tokenResult = .success(old) }
            }
            defer { state.continuations = [:] }
            state.isFetching = false
            return (Array(state.continuations.values), tokenResult)
        }
        for continuation in continuations { continuation.resume(with: tokenResult) }
    }
}
