/// A sequence of the signed-in reader's notifications.
///
/// Iteration connects. The end of the loop or the cancellation of its task disconnects. The sequence reconnects
/// after a failure and renews keys before they expire, without an event. Notifications that are sent during a
/// disconnection are lost. The sequence ends with an ``InPlayerError`` if no reader is signed in any more.
///
/// ```swift
/// for try await notification in client.notifications() {
///     if case .accessGranted(let access) = notification.event { print(access.item?.title ?? "") }
/// }
/// ```
///
/// The service identifies a connection by the account. A second connection of the same account on another device
/// ends the first, which then reconnects and ends the second. Therefore iterate only while notifications are
/// needed, not permanently on every device.
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

        @concurrent
        public mutating func next() async throws -> InPlayerNotification? { try await iterator.next() }
    }

    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(service) }

    /// Runs the service while the stream has a consumer.
    static func stream<Element: Sendable>(
        of service: NotificationService, _ choose: @escaping @Sendable (NotificationService.Output) -> Element?
    ) -> AsyncThrowingStream<Element, any Error> {
        // If the consumer is slower than the broker, only the newest notifications are buffered.
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1000)) { continuation in
            // The stream owns this task and cancels it when the iteration ends.
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
    /// Returns the notifications of the signed-in reader's account.
    public func notifications(_ settings: NotificationSettings = NotificationSettings()) -> Notifications {
        Notifications(service: notificationService(settings))
    }

    func notificationService(_ settings: NotificationSettings) -> NotificationService {
        NotificationService(
            calls: calls, keysURL: environment.notificationKeys, settings: settings, now: now, sleep: sleep)
    }
}
