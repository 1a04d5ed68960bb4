package import Gatefold
package import Resilience

/// An event of deliveries, for logs and metrics. It holds no account.
package enum DeliveryEvent: Sendable, Equatable {
    case delivered(PublicationID)
    /// - Parameters:
    ///   - reference: The ``Gatefold/Delivery/ID/reference``, which `gatefold deliveries list` shows.
    ///   - cause: The cause, without secrets.
    case failed(PublicationID, reference: String, cause: String, isRejection: Bool)
    /// The number of pending deliveries, including those that are not due yet; at most
    /// ``DeliveryWorker/maxCounted``.
    case pending(PublicationID, count: Int)
    /// The outbox could not be read, or an outcome could not be recorded. The operation is retried.
    case outboxFailed(PublicationID, cause: String)
    /// The circuit breaker of the receiver paused or resumed the calls.
    case breakerChanged(PublicationID, BreakerState.Change)
}

extension DeliveryEvent: ReportableEvent {
    package var report: EventReport {
        switch self {
        case .delivered(let publication): .delivery(publication, "delivered")
        case .failed(let publication, let reference, let cause, let isRejection):
            .delivery(publication, isRejection ? "rejected" : "failed")
                .log(
                    isRejection ? .error : .warning, "Delivery failed",
                    ["publication": publication, "delivery": reference, "cause": cause])
        case .pending(let publication, let count):
            .gauge("gatefold_deliveries_pending", ["publication": publication.rawValue], count)
        case .outboxFailed(let publication, let cause):
            .delivery(publication, "outbox_failed")
                .log(.error, "Deliveries not read", ["publication": publication, "cause": cause])
        case .breakerChanged(let publication, let change): .delivery(publication, "breaker_\(change)")
        }
    }
}

extension EventReport {
    fileprivate static func delivery(_ publication: PublicationID, _ result: String) -> EventReport {
        .counter("gatefold_deliveries_total", ["publication": publication.rawValue, "result": result])
    }
}
