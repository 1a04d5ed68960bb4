package import Gatefold

/// An event of deliveries, for logs and metrics. It holds no account.
package enum DeliveryEvent: Sendable, Equatable {
    case delivered(PublicationID)
    /// - Parameters:
    ///   - reference: The ``Gatefold/Delivery/ID/reference``, which `gatefold deliveries list` shows.
    ///   - cause: The cause, without secrets.
    case failed(PublicationID, reference: String, cause: String, isRejection: Bool)
    /// The number of waiting deliveries, including those that are not due yet; at most
    /// ``DeliveryWorker/maxCounted``.
    case waiting(PublicationID, count: Int)
    /// The outbox could not be read, or an outcome could not be recorded. The operation is retried.
    case outboxFailed(PublicationID, cause: String)
}
