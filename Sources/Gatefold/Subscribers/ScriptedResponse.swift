/// A response that a test backend dictates word for word, in place of a result.
///
/// Decisions and protections pass it to the front door, which sends it. It says nothing about the backend, and no
/// cached result replaces it.
public struct ScriptedResponse: Error, Sendable, Equatable {
    /// The status code in the protocol of the front door.
    public let status: Int
    public let text: String

    public init(status: Int, text: String) {
        self.status = status
        self.text = text
    }
}
