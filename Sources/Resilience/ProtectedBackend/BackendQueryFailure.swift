public import Foundation
import Primitives

/// A query that a backend did not respond to, for an operator.
public struct BackendQueryFailure: Sendable, Equatable {
    public let time: Date
    /// The kind of query, such as `subscription`.
    public let call: String
    /// The cause, without text that a reader typed.
    public let cause: String

    init(_ error: any Error, of call: String, at time: Date) {
        self.time = time
        self.call = call
        // The text of another error may quote a reader's input.
        cause = (error as? any BackendFailure)?.cause ?? String(describing: type(of: error))
    }
}
