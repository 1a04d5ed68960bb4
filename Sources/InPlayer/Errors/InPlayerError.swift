/// An error that indicates why a call failed.
public enum InPlayerError: Error, Sendable, CustomStringConvertible {
    /// The service responded with an error.
    case rejected(InPlayerFault)
    /// No reader is signed in on this device.
    case notSignedIn
    /// The session on this device has ended, and its tokens are deleted. The reader must sign in again.
    case sessionEnded(InPlayerFault?)
    /// No response was received. The service may or may not have processed the call.
    case unreachable(any Error)
    /// A response is unreadable.
    ///
    /// - Parameter expected: A description of the expected content.
    case unreadable(status: Int, expected: String)
    /// The tokens on this device are unreadable or not writable.
    case storage(any Error)
    /// The call was not sent, because its arguments are invalid.
    case invalid(String)

    /// The error document of the service, if there is one.
    public var fault: InPlayerFault? {
        switch self {
        case .rejected(let fault): fault
        case .sessionEnded(let fault): fault
        case .notSignedIn, .unreachable, .unreadable, .storage, .invalid: nil
        }
    }

    public var description: String {
        switch self {
        case .rejected(let fault): fault.description
        case .notSignedIn: "no account is signed in"
        case .sessionEnded(let fault): "the session has ended" + (fault.map { ", \($0)" } ?? "")
        case .unreachable(let error): "no response was received: \(error)"
        case .unreadable(let status, let expected): "the response with status \(status) cannot be read: \(expected)"
        case .storage(let error): "the session could not be read or written: \(error)"
        case .invalid(let what): what
        }
    }
}
