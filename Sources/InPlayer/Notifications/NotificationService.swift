import Foundation
import MQTT

/// Receives the notifications of whoever is signed in, over however many connections it takes.
struct NotificationService: Sendable {
    let calls: Calls
    let keysURL: String
    let settings: NotificationSettings
    let now: @Sendable () -> Date
    let sleep: @Sendable (Double) async throws -> Void

    /// A connection has begun to deliver, or has delivered something.
    enum Output: Sendable {
        case connected
        case notification(InPlayerNotification)
    }

    /// - Throws: when it makes no sense to go on: nobody is signed in any more, the session has ended, or the task is
    ///   cancelled. It does not return otherwise.
    func run(_ tell: @escaping @Sendable (Output) -> Void) async throws {
        var failures = 0
        while true {
            try Task.checkCancellation()
            do {
                let began = now()
                let broker = try await broker()
                try await receive(from: broker, tell)
                // It was replaced in time, or it had held for a while: that is no failure.
                failures = now().timeIntervalSince(began) > settings.longestPause ? 0 : failures + 1
            } catch let error as InPlayerError {
                switch error {
                case .notSignedIn, .sessionEnded, .storage, .invalid: throw error
                case .refused(let fault) where fault.endsSession: throw error
                case .refused, .unreachable, .unreadable: failures += 1
                }
            }
            if failures > 0 { try await sleep(pause(after: failures)) }
        }
    }

    private func pause(after failures: Int) -> Double {
        let doubled = settings.shortestPause * pow(2, Double(min(failures - 1, 30)))
        // Up to half as long again, so that the devices of a broker that went away do not all come back at once.
        return min(settings.longestPause, doubled) * Double.random(in: 1...1.5)
    }

    /// The broker for the next connection, with new keys.
    private func broker() async throws(InPlayerError) -> MQTTBroker {
        let answer = try await calls.answer(.required) { token in
            TransportRequest(method: "GET", url: keysURL, headers: Endpoint.headers(token: token))
        }
        let keys: NotificationKeys = try Calls.model(answer)
        guard let broker = keys.broker(at: now(), tls: settings.tls) else {
            throw .unreadable(status: 200, expected: "expected a broker's address in `iotEndpoint`")
        }
        return broker
    }

    /// Receives until the connection fails or its keys are about to end.
    private func receive(from broker: MQTTBroker, _ tell: @escaping @Sendable (Output) -> Void) async throws {
        guard let uuid = try await account() else {
            throw InPlayerError.unreadable(status: 200, expected: "expected the account's `uuid`")
        }
        let connect = MQTTConnect(clientID: uuid, keepAlive: settings.keepAlive)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                do {
                    try await broker.subscribe(to: uuid, as: connect, begin: { tell(.connected) }) { message in
                        guard let notification = InPlayerNotification(parsing: message.payload) else { return }
                        tell(.notification(notification))
                    }
                } catch is CancellationError {
                    throw CancellationError()
                } catch {
                    // Whatever ended the connection: there will be another.
                }
            }
            group.addTask { try await sleep(max(1, NotificationKeys.lifetime - settings.renewal)) }
            defer { group.cancelAll() }
            try await group.next()
        }
    }

    /// Client and topic are both named by the account.
    private func account() async throws(InPlayerError) -> String? {
        if let uuid = try await calls.keeper.current()?.account?.uuid { return uuid }
        let era = await calls.keeper.era
        let account: Account = try await calls.model(Endpoint(.get, "accounts", authorization: .required))
        try await calls.keeper.update(account, era)
        return account.uuid
    }
}
