/// A failure of the store of shared documents, for logs and metrics.
package struct SharedDocumentEvent: Sendable, Equatable {
    package enum Failure: String, Sendable {
        /// The result of a fetch could not be stored, so that the other nodes do not get it.
        case notStored = "not_stored"
        /// A former content could not be deleted. The state's retention deletes it.
        case notDeleted = "not_deleted"
    }

    /// The name of the document.
    package let document: String
    package let failure: Failure
    /// The cause, without contents.
    package let cause: String

    init(document: String, failure: Failure, cause: String) {
        self.document = document
        self.failure = failure
        self.cause = cause
    }
}

extension SharedDocumentEvent: ReportableEvent {
    package var report: EventReport {
        EventReport.counter("gatefold_shared_document_failures_total", ["failure": failure.rawValue])
            .log(.warning, "Shared document event", ["document": document, "event": failure.rawValue, "cause": cause])
    }
}
