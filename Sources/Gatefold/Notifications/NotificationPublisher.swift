/// A publisher of account notifications to the account's apps. Source: InPlayer notifications protocol.
public protocol NotificationPublisher: Sendable {
    /// Publishes a notification to all subscribed apps and returns at once.
    ///
    /// A notification that cannot be delivered in time is lost. Apps request the current state when they start.
    ///
    /// - Parameters:
    ///   - payload: The bytes of the message.
    ///   - topic: The account's uuid.
    func publish(_ payload: [UInt8], to topic: String)
}
