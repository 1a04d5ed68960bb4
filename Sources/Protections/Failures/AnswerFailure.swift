package import Gatefold

/// A failure that may be about a single question: the backend was there, and what it said about one reader or one edition
/// was not understood. Whoever chooses what is asked about must not be able to make an outage of it.
package protocol AnswerFailure: BackendFailure {
    /// Whether it says nothing about the next question, so that the circuit breaker does not count it.
    var isOfOneAnswer: Bool { get }
}
