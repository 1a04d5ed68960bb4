package import Gatefold

/// What became of deliveries, for logs and metrics. Holds no account.
package enum DeliveryEvent: Sendable, Equatable {
    case delivered(PublicationID)
    /// - Parameters:
    ///   - reference: ``Gatefold/Delivery/ID/reference``, which `gatefold deliveries list` shows.
    ///   - cause: in words that hold no secret.
    case failed(PublicationID, reference: String, cause: String, isRefusal: Bool)
    /// So many wait, those that are not yet due included; at most ``DeliveryWorker/mostCounted``.
    case waiting(PublicationID, count: Int)
    /// What is to be delivered could not be read, or what was could not be noted; it is tried again.
    case outboxFailed(PublicationID, cause: String)
}
