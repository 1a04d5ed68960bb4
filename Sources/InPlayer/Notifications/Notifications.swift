/// The notifications of whoever is signed in, as they come.
///
/// Iterating connects; leaving the loop, or cancelling its task, disconnects. Connections that break are made again and keys
/// are renewed before they end, unseen. What happened while there was no connection is not told later. The sequence ends
/// with an ``InPlayerError`` when nobody is signed in any more.
///
/// ```swift
/// for try await notification in client.notifications() {
///     if case .accessGranted(let access) = notification.event { print(access.item?.title ?? "") }
/// }
/// ```
///
/// The service names a connection by the account: a second one of the same account, on another device, ends the first,
/// which then comes back and ends the second. Iterate where it is needed, and not for ever on every device.
public struct Notifications: AsyncSequence, Sendable {
    public typealias Element = InPlayerNotification

    let service: NotificationService

    public struct AsyncIterator: AsyncIteratorProtocol {
        private var iterator: AsyncThrowingStream<InPlayerNotification, any Error>.Iterator

        init(_ service: NotificationService) {
            iterator = Notifications.stream(of: service) {
                if case .notification(let notification) = $0 { notification } else { nil }
            }.makeAsyncIterator()
        }

        public mutating func next() async throws -> InPlayerNotification? { try await iterator.next() }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(service) }

    /// Runs the service for as long as somebody iterates.
    static func stream<Element: Sendable>(
        of service: NotificationService, _ choose: @escaping @Sendable (NotificationService.Output) -> Element?
    ) -> AsyncThrowingStream<Element, any Error> {
        // Of a broker that tells more than anybody reads, the newest are kept.
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1000)) { continuation in
            // The stream is its parent: it is cancelled when nobody iterates any more.
            let task = Task {
                do {
                    try await service.run { output in
                        if let element = choose(output) { continuation.yield(element) }
                    }
                } catch is CancellationError {
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}

extension InPlayerClient {
    /// What happens to the account of whoever is signed in.
    public func notifications(_ settings: NotificationSettings = NotificationSettings()) -> Notifications {
        Notifications(service: notificationService(settings))
    }

    func notificationService(_ settings: NotificationSettings) -> NotificationService {
        NotificationService(
            calls: calls, keysURL: environment.notificationKeys, settings: settings, now: now, sleep: sleep)
    }
}
