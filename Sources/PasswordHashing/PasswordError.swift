public import Primitives
public import SharedLibraries

/// A failure to hash or check a password. It is never a rejection.
public enum PasswordError: BackendFailure, Equatable, CustomStringConvertible {
    /// The queue of password checks is full.
    case queueFull
    /// The stored hash is in no expected format or is damaged.
    case unreadableHash
    /// The stored hash is keyed, but no pepper is configured.
    case pepperMissing
    /// crypt(3) failed, for example because memory ran out.
    case hashingFailed
    /// The stored hash costs more than the limit for one sign-in.
    case tooCostly
    /// The libcrypt of this machine was built without the method of the stored hash.
    case methodMissing
    /// The library that computes the stored hash is not installed.
    case libraryMissing(SharedLibraryError)
    /// The password is unacceptable: it is empty, longer than ``PasswordHasher/maxPasswordLength`` bytes, or contains
    /// a NUL.
    case unacceptablePassword

    public var cause: String { description }

    public var description: String {
        switch self {
        case .queueFull: "too many passwords wait to be checked"
        case .unreadableHash: "a stored password hash is in no known format"
        case .pepperMissing: "a stored password hash is keyed, and no pepper is configured"
        case .hashingFailed: "crypt(3) could not hash"
        case .tooCostly: "a stored password hash costs more than is allowed"
        case .methodMissing: "this machine's crypt(3) does not know a stored password hash's method"
        case .libraryMissing(let error): "a stored password hash \(error)"
        case .unacceptablePassword:
            "expected a password of 1 to \(PasswordHasher.maxPasswordLength) bytes without NUL"
        }
    }
}

extension PasswordError: RequestScopedFailure {
    /// A Boolean value that indicates whether the failure concerns one reader only. Always true: hashing is local,
    /// so its failures come from the data of one reader.
    package var isRequestScoped: Bool { true }
}
