package import Foundation

/// The response to a change that a client of the admin API requested with an idempotency key.
package struct AdminOutcome: Sendable, Equatable {
    /// The time in seconds during which an outcome is stored: one day.
    package static let lifetime: TimeInterval = 86_400

    package let status: Int
    /// The sealed body, because it may name a person.
    package let body: [UInt8]

    package init(status: Int, body: [UInt8]) {
        self.status = status
        self.body = body
    }
}

/// The state of a request when it begins.
package enum AdminOutcomeStart: Sendable, Equatable {
    /// The caller makes the change, and then calls ``AdminOutcomeStore/finish(_:lease:_:)``.
    ///
    /// - Parameter firstAttempt: The time of the first attempt. A repetition of one that failed, or whose end is not known,
    ///   must leave what the first one would have left.
    case started(firstAttempt: Date)
    /// Another request with the key runs, or ended without an outcome less than the lease ago.
    case running
    /// The key belongs to another request.
    case mismatch
    /// The request was made before.
    case finished(AdminOutcome)
}

/// A store of the outcomes of changes, so that a repeated request changes nothing and gets the same response, also from
/// another node.
package protocol AdminOutcomeStore: Sendable {
    /// Begins a request, atomically: of parallel calls for one key, one starts.
    ///
    /// - Parameters:
    ///   - id: A digest of the token and the idempotency key.
    ///   - request: A digest of the request.
    ///   - lease: Bytes that no other call uses.
    ///   - timestamp: The current time.
    ///   - lifetime: The time in seconds during which an outcome counts, see ``AdminOutcome/lifetime``.
    ///   - leaseTime: The time in seconds after which a request without an outcome counts as failed, and may begin again.
    func begin(
        _ id: [UInt8], request: [UInt8], lease: [UInt8], at timestamp: Date, lifetime: TimeInterval,
        leaseTime: TimeInterval
    ) async throws -> AdminOutcomeStart

    /// Stores the outcome, or records a failure, so that the request can begin again at once. Without the lease, nothing
    /// changes. After a failure the key may also be used for another request.
    ///
    /// - Parameter outcome: The outcome; nil if the request failed and may be repeated.
    func finish(_ id: [UInt8], lease: [UInt8], _ outcome: AdminOutcome?) async throws
}
