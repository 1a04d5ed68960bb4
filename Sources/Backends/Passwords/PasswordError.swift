public import Gatefold
import Protections
public import SharedLibraries

/// Why a password could not be hashed or checked: never a refusal.
public enum PasswordError: BackendFailure, Equatable, CustomStringConvertible {
    /// More passwords wait to be checked than the queue holds.
    case queueFull
    /// The stored hash is in no form that is expected there, or is damaged.
    case unreadableHash
    /// The stored hash is keyed, and the pepper is not configured.
    case pepperMissing
    /// crypt(3) failed, such as for want of memory.
    case hashingFailed
    /// The stored hash costs more than one reader's sign-in may.
    case tooCostly
    /// This machine's libcrypt was built without the stored hash's method.
    case methodMissing
    /// The library that computes the stored hash is not installed.
    case libraryMissing(SharedLibraryError)
    /// No password: empty, longer than ``PasswordHasher/longestPassword`` bytes, or with a NUL in it.
    case unacceptablePassword

    public var cause: String { description }

    public var description: String {
        switch self {
        case .queueFull: "too many passwords wait to be checked"
        case .unreadableHash: "a stored password hash is in no known form"
        case .pepperMissing: "a stored password hash is keyed, and no pepper is configured"
        case .hashingFailed: "crypt(3) could not hash"
        case .tooCostly: "a stored password hash costs more than is allowed"
        case .methodMissing: "this machine's crypt(3) does not know a stored password hash's method"
        case .libraryMissing(let error): "a stored password hash \(error)"
        case .unacceptablePassword:
            "expected a password of 1 to \(PasswordHasher.longestPassword) bytes without NUL"
        }
    }
}

extension PasswordError: AnswerFailure {
    /// Hashing is done here, and what it stumbles over is one reader's.
    package var isOfOneAnswer: Bool { true }
}
