import Foundation
package import Gatefold
import NIOSSL
import OutgoingRequests
package import Protections

/// Sends one app's notifications to one environment of APNs.
///
/// ```swift
/// let client = try APNsClient(app, service: settings.service, in: .production)
/// let outcome = try await client.send(notification, to: token.bytes)
/// ```
package final class APNsClient: Sendable {
    private let connection: APNsConnection
    /// Nil where a client certificate authenticates the app.
    private let provider: ProviderToken?
    private let plan: RetryPlan
    private let random: RandomSource
    private let sleep: Sleep
    private let didRetry: @Sendable () -> Void

    /// - Parameters:
    ///   - providers: those of the whole process.
    ///   - didRetry: told of each attempt after the first.
    package init(
        _ credentials: PushCredentials, service: APNsService, in environment: PushEnvironment,
        providers: ProviderTokens, plan: RetryPlan = RetryPlan(),
        clock: WallClock = .system, random: RandomSource = .system,
        sleep: @escaping Sleep = { try await Task.sleep(for: .seconds($0)) },
        didRetry: @escaping @Sendable () -> Void = {}
    ) {
        var tls = service.tls
        switch credentials {
        case .key(let team, let keyID, let key):
            provider = providers.issuer(team: team, keyID: keyID, key: key, clock: clock)
        case .certificate(let chain, let key):
            provider = nil
            tls.certificateChain = chain.map { .certificate($0) }
            tls.privateKey = .privateKey(key)
        }
        connection = APNsConnection(to: service.url(of: environment), tls: tls, timeout: service.timeout)
        self.plan = plan
        self.random = random
        self.sleep = sleep
        self.didRetry = didRetry
    }

    /// Sends a notification, again where that may help.
    ///
    /// A request under way is waited for even when the task is cancelled, so that what was sent is known; waiting between
    /// two attempts ends at once.
    ///
    /// - Throws: ``PushStop``, or `CancellationError` when the token is still to be dealt with.
    package func send(_ notification: APNsNotification, to device: [UInt8]) async throws -> PushOutcome {
        let id = APNsNotification.identifier(random)
        var issue = try await provider?.current()
        var attempt = 0
        while true {
            attempt += 1
            if attempt > 1 { didRetry() }
            let verdict = try await exchange(notification, device, id, issue)
            switch verdict {
            case .accepted: return .sent
            case .unregistered(let since): return .gone(since: since)
            case .badToken: return .badToken
            case .notForTopic: return .notForTopic
            case .refused(let reason): throw PushStop.refused(reason)
            case .providerTokenExpired:
                guard let refused = issue, let next = try await provider?.replacement(for: refused),
                    attempt < plan.attempts
                else { throw PushStop.clock }
                issue = next
            case .later(let reason, let asked):
                guard attempt < plan.attempts else { return .notTaken(reason) }
                try await sleep(plan.wait(after: attempt, asked: asked, jitter: random.fraction()))
                // A long wait may have outlived it.
                issue = try await provider?.current()
            case .unreached(let failure):
                guard attempt < plan.attempts else { throw PushStop.unavailable(failure.cause) }
                try await sleep(plan.wait(after: attempt, asked: nil, jitter: random.fraction()))
                issue = try await provider?.current()
            }
        }
    }

    private func exchange(
        _ notification: APNsNotification, _ device: [UInt8], _ id: String, _ issue: ProviderToken.Issue?
    ) async throws -> APNsVerdict {
        var headers = notification.headers(id: id)
        if let issue { headers.append((name: "authorization", value: "bearer \(issue.text)")) }
        // A task of its own is not cancelled with the one that asks.
        let exchange = Task { [connection, headers] in
            try await connection.post("/3/device/\(device.hex)", headers: headers, body: notification.payload.bytes)
        }
        do {
            let answer = try await exchange.value
            return APNsVerdict(status: answer.status, retryAfter: answer.retryAfter, body: answer.body)
        } catch HTTPFailure.untrusted {
            throw PushStop.untrusted
        } catch let failure as HTTPFailure {
            return .unreached(failure)
        }
    }
}
