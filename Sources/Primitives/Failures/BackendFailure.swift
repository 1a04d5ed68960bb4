/// A backend error with a text for the log. The text contains no secret and no reader input.
public protocol BackendFailure: Error {
    var cause: String { get }
}
