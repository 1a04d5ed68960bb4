import Foundation
import MQTT

/// A receiver of the signed-in reader's notifications, across any number of connections.
struct NotificationService: Sendable {
    let calls: Calls
    let keysURL: String
    let settings: NotificationSettings
    let now: @Sendable () -> Date
    let sleep: @Sendable (Double) async throws -> Void

    /// An event of the receiver: a connection is ready, or a notification was received.
    enum Output: Sendable {
        case connected
        case notification(InPlayerNotification)
    }

    /// Receives notifications until an error that a new connection cannot fix.
    ///
    /// - Throws: An error if no reader is signed in, the session has ended, or the task is cancelled. The function
    ///   never returns without an error.
    func run(_ notify: @escaping @Sendable (Output) -> Void) async throws {
        var failures = 0
        while true {
            try Task.checkCancellation()
            do {
                let began = now()
                let broker = try await broker()
                let wasReplaced = try await receive(from: broker, notify)
                // A long connection may have ended together with all others, so there is a pause in any case.
                failures =
                    wasReplaced ? 0 : now().timeIntervalSince(began) > settings.maxPause ? 1 : failures + 1
            } catch let error as InPlayerError {
                switch error {
                case .notSignedIn, .sessionEnded, .storage, .invalid: throw error
                case .rejected(let fault) where fault.endsSession: throw error
                case .rejected, .unreachable, .unreadable: failures += 1
                }
            }
            if failures > 0 { try await sleep(pause(after: failures)) }
        }
    }

    private func pause(after failures: Int) -> Double {
        let doubled = settings.minPause * pow(2, Double(min(failures - 1, 30)))
        // The random factor of up to 1.5 prevents all devices of a restarted broker from reconnecting at the same
        // moment.
        return min(settings.maxPause, doubled) * Double.random(in: 1...1.5)
    }

    /// Returns the broker for the next connection, with new keys.
    private func broker() async throws(InPlayerError) -> MQTTBroker {
        let response = try await calls.response(.required) { token in
            TransportRequest(method: "GET", url: keysURL, headers: Endpoint.headers(token: token))
        }
        let keys: NotificationKeys = try Calls.model(response)
        guard let broker = keys.broker(at: now(), tls: settings.tls) else {
            throw .unreadable(status: 200, expected: "expected a broker's address in `iotEndpoint`")
        }
        return broker
    }

    /// Receives until the connection fails or its keys are about to expire.
    ///
    /// - Returns: Whether the connection ended because of the keys.
    private func receive(
        from broker: MQTTBroker, _ notify: @escaping @Sendable (Output) -> Void
    ) async throws -> Bool {
        guard let uuid = try await account() else {
            throw InPlayerError.unreadable(status: 200, expected: "expected the account's `uuid`")
        }
        let connect = MQTTConnect(clientID: uuid, keepAlive: settings.keepAlive)
        return try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                do {
                    try await broker.subscribe(to: uuid, as: connect, begin: { notify(.connected) }) { message in
                        guard let notification = InPlayerNotification(parsing: message.payload) else { return }
                        notify(.notification(notification))
                    }
                } catch is CancellationError {
                    throw CancellationError()
                } catch {
                    // The cause does not matter, because another connection follows.
                }
                return false
            }
            group.addTask {
                try await sleep(max(1, NotificationKeys.lifetime - settings.renewal))
                return true
            }
            defer { group.cancelAll() }
            return try await group.next() ?? false
        }
    }

    /// Returns the account's UUID, which is both the client identifier and the topic.
    private func account() async throws(InPlayerError) -> String? {
        if let uuid = try await calls.sessionManager.current()?.account?.uuid { return uuid }
        let generation = await calls.sessionManager.generation
        let account: Account = try await calls.model(Endpoint(.get, "accounts", authorization: .required))
        try await calls.sessionManager.update(account, generation)
        return account.uuid
    }
}
