import Foundation

/// The rule by which a failed message is retried or abandoned.
enum MailRetries {
    /// The waits in seconds after the first, second and third failed attempt.
    private static let waits: [TimeInterval] = [10, 60, 300]
    /// The maximum number of attempts for a message. Attempts without a recorded outcome count.
    static let maxAttempts = waits.count + 1
    /// The lifetime in seconds of a message without an expiry of its own: a day.
    static let maxAge: TimeInterval = 86_400
    /// The time in seconds by which a lease is longer than the time limit of an attempt.
    static let leaseMargin: TimeInterval = 30

    /// Returns the time of the attempt after a failed one; nil if there is none.
    ///
    /// - Parameters:
    ///   - attempts: The number of attempts so far.
    ///   - end: The expiry of the message.
    static func next(after attempts: Int, at timestamp: Date, until end: Date) -> Date? {
        guard waits.indices.contains(attempts - 1) else { return nil }
        let next = timestamp.addingTimeInterval(waits[attempts - 1])
        return next < end ? next : nil
    }
}
