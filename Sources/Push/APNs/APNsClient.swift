import Foundation
package import Gatefold
import NIOSSL
import OutgoingRequests
package import Primitives

/// A client that sends the notifications of one app to one environment of APNs.
///
/// ```swift
/// let client = try APNsClient(app, service: settings.service, in: .production)
/// let outcome = try await client.send(notification, to: token.bytes)
/// ```
package final class APNsClient: Sendable {
    private let connection: APNsConnection
    /// The issuer of provider tokens; nil if a client certificate authenticates the app.
    private let provider: ProviderToken?
    private let plan: RetryPlan
    private let random: RandomSource
    private let sleep: Sleep
    private let didRetry: @Sendable () -> Void

    /// - Parameters:
    ///   - providers: The provider tokens of the whole process.
    ///   - didRetry: Called before each attempt after the first.
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

    /// Sends a notification, and retries where a retry may help.
    ///
    /// A request under way is completed even if the task is cancelled, so that its outcome is known. A wait between
    /// two attempts ends immediately.
    ///
    /// - Throws: ``PushCampaignError``, or `CancellationError` if the outcome for the token is still open.
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
            case .rejected(let reason): throw PushCampaignError.rejected(reason)
            case .providerTokenExpired:
                guard let rejected = issue, let next = try await provider?.replacement(for: rejected),
                    attempt < plan.attempts
                else { throw PushCampaignError.clock }
                issue = next
            case .later(let reason, let requestedDelay):
                guard attempt < plan.attempts else { return .notAccepted(reason) }
                try await sleep(plan.wait(after: attempt, requestedDelay: requestedDelay, jitter: random.fraction()))
                // The provider token may have expired during a long wait.
                issue = try await provider?.current()
            case .noResponse(let failure):
                guard attempt < plan.attempts else { throw PushCampaignError.unavailable(failure.cause) }
                try await sleep(plan.wait(after: attempt, requestedDelay: nil, jitter: random.fraction()))
                issue = try await provider?.current()
            }
        }
    }

    private func exchange(
        _ notification: APNsNotification, _ device: [UInt8], _ id: String, _ issue: ProviderToken.Issue?
    ) async throws -> APNsVerdict {
        var headers = notification.headers(id: id)
        if let issue { headers.append((name: "authorization", value: "bearer \(issue.text)")) }
        // An unstructured task is not cancelled together with the caller.
        let exchange = Task { [connection, headers] in
            try await connection.post("/3/device/\(device.hex)", headers: headers, body: notification.payload.bytes)
        }
        do {
            let response = try await exchange.value
            return APNsVerdict(status: response.status, retryAfter: response.retryAfter, body: response.body)
        } catch HTTPFailure.untrusted {
            throw PushCampaignError.untrusted
        } catch let failure as HTTPFailure {
            return .noResponse(failure)
        }
    }
}
