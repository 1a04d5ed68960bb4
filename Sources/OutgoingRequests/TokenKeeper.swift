package import Foundation
package import Gatefold
import Synchronization

/// Keeps a token, and gets the next one shortly before it expires: once, however many wait for it.
package final class TokenKeeper: Sendable {
    package struct Token: Sendable, Equatable {
        package let text: String
        /// In seconds; nil when the server did not say.
        package let lifetime: TimeInterval?

        package init(text: String, lifetime: TimeInterval?) {
            self.text = text
            self.lifetime = lifetime
        }
    }

    private typealias Waiter = CheckedContinuation<String, any Error>

    private struct State {
        var token: String?
        /// When the next one is to be had, and when this one is of no use.
        var renewAt = -TimeInterval.infinity
        var endsAt = -TimeInterval.infinity
        var waiters: [UInt64: Waiter] = [:]
        var nextWaiter: UInt64 = 0
        var isFetching = false
        /// Before that a token that still lasts is not asked for again.
        var nextTry = -TimeInterval.infinity
    }

    /// How long a question for the next token is not repeated while there is an old one, in seconds.
    private static let pause: TimeInterval = 10

    /// For a token of which nobody said how long it lasts.
    private static let standardLifetime: TimeInterval = 300

    private let clock: WallClock
    private let fetch: @Sendable () async throws -> Token
    private let state = Mutex(State())

    package init(clock: WallClock, fetch: @escaping @Sendable () async throws -> Token) {
        self.clock = clock
        self.fetch = fetch
    }

    /// The token to use now.
    ///
    /// One that still lasts is used at once, and the next one is fetched meanwhile.
    ///
    /// - Throws: what fetching threw, when there is no old one that still lasts; `CancellationError` at once when the
    ///   asking task is cancelled, while the others go on waiting.
    package func token() async throws -> String {
        let now = clock.elapsed
        let (kept, isDue) = state.withLock { state -> (String?, Bool) in
            guard let token = state.token, now < state.endsAt else { return (nil, false) }
            guard now >= state.renewAt, now >= state.nextTry, !state.isFetching else { return (token, false) }
            state.isFetching = true
            return (token, true)
        }
        if isDue { Task { await refresh() } }
        if let kept { return kept }
        return try await next()
    }

    /// The token to use in place of one that was refused, which the others keep using until there is another; nil when
    /// there is none, or the last was fetched so lately that it is not the token.
    ///
    /// - Throws: as ``token()``.
    package func replacement(of token: String) async throws -> String? {
        let now = clock.elapsed
        let (other, mayFetch) = state.withLock { state -> (String?, Bool) in
            if let other = state.token, other != token { return (other, false) }
            if state.isFetching { return (nil, true) }
            guard now >= state.nextTry else { return (nil, false) }
            state.nextTry = now + Self.pause
            return (nil, true)
        }
        if let other { return other }
        guard mayFetch else { return nil }
        let next = try await next()
        return next == token ? nil : next
    }

    /// What the fetch brings that is under way, or begins now.
    private func next() async throws -> String {
        let number = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiter in
                // A handler that ran before the waiter was there found none.
                if Task.isCancelled { return waiter.resume(throwing: CancellationError()) }
                let isFirst = state.withLock { state in
                    state.waiters[number] = waiter
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
        state.withLock { $0.waiters.removeValue(forKey: number) }?.resume(throwing: CancellationError())
    }

    /// In a task of its own: none of those who wait owns it. The client's timeout ends it.
    private func refresh() async {
        let result: Result<Token, any Error>
        do {
            result = .success(try await fetch())
        } catch {
            result = .failure(error)
        }
        let now = clock.elapsed
        let (waiters, answer) = state.withLock { state -> ([Waiter], Result<String, any Error>) in
            var answer: Result<String, any Error> = result.map(\.text)
            switch result {
            case .success(let token):
                let lifetime = token.lifetime ?? Self.standardLifetime
                state.token = token.text
                state.endsAt = now + lifetime
                state.renewAt = now + lifetime - min(60, lifetime / 10)
            case .failure:
                state.nextTry = now + Self.pause
                if let old = state.token, now < state.endsAt { answer = .success(old) }
            }
            defer { state.waiters = [:] }
            state.isFetching = false
            return (Array(state.waiters.values), answer)
        }
        for waiter in waiters { waiter.resume(with: answer) }
    }
}
