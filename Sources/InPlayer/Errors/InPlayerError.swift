/// Why a call did not succeed.
public enum InPlayerError: Error, Sendable, CustomStringConvertible {
    /// The service answered, and refused.
    case refused(InPlayerFault)
    /// Nobody is signed in on this device.
    case notSignedIn
    /// The session on this device is over, and its tokens are deleted: the reader signs in anew.
    case sessionEnded(InPlayerFault?)
    /// No answer came; the call may or may not have been carried out.
    case unreachable(any Error)
    /// An answer came that can not be read.
    ///
    /// - Parameter expected: what was expected of it.
    case unreadable(status: Int, expected: String)
    /// The tokens could not be read or written on this device.
    case storage(any Error)
    /// The call was not made, because it could not be what was meant.
    case invalid(String)

    /// What the service said, where it said something.
    public var fault: InPlayerFault? {
        switch self {
        case .refused(let fault): fault
        case .sessionEnded(let fault): fault
        case .notSignedIn, .unreachable, .unreadable, .storage, .invalid: nil
        }
    }

    public var description: String {
        switch self {
        case .refused(let fault): fault.description
        case .notSignedIn: "nobody is signed in"
        case .sessionEnded(let fault): "the session is over" + (fault.map { ", \($0)" } ?? "")
        case .unreachable(let error): "no answer came: \(error)"
        case .unreadable(let status, let expected): "the answer with status \(status) can not be read: \(expected)"
        case .storage(let error): "the session could not be read or written: \(error)"
        case .invalid(let what): what
        }
    }
}
