import Gatefold
import LDAP

/// What a directory's code says about a reader: that is who they say, that it is not, or neither.
///
/// The one place where a refusal is told from an outage; PITFALLS row 9 is about every code in the wrong column.
enum DirectoryVerdict: Sendable, Equatable {
    case proved
    case refused
    /// The directory could not be asked: the code is about itself, about Gatefold or about a setting.
    case failed

    /// A bind with the reader's name and password.
    ///
    /// A code is a refusal only when it can be about this one reader. 19 and 53 are what directories answer for a locked or
    /// expired account (389 Directory Server among them): taken for outages, a stranger who locks an account would open the
    /// circuit breaker for everybody. Everything that is not listed is an outage. A bind whose name was not searched before
    /// also asks whether the readers' tree is there.
    static func ofBind(_ code: ResultCode) -> DirectoryVerdict {
        switch code {
        case .success: .proved
        // Wrong password, no such entry, no password stored, no name that could be one.
        case .invalidCredentials, .noSuchObject, .inappropriateAuthentication, .invalidDNSyntax: .refused
        // Locked, expired, or not allowed to sign in.
        case .constraintViolation, .unwillingToPerform: .refused
        default: .failed
        }
    }

    /// A compare of an attribute with what the reader typed.
    static func ofCompare(_ code: ResultCode) -> DirectoryVerdict {
        switch code {
        case .compareTrue: .proved
        // Another value, none, or a text that can be nobody's value.
        case .compareFalse, .noSuchAttribute, .invalidAttributeSyntax: .refused
        default: .failed
        }
    }
}

/// Proofs that may be sent to a directory at all.
enum DirectoryProof {
    /// An empty password is a bind as nobody, which succeeds (RFC 4513 section 5.1.2; PITFALLS row 14); to a server that
    /// reads texts as C does, so is one that begins with a NUL. The domain refuses these before any backend is asked; here
    /// they are refused again, because this is where it would hurt.
    static func isUsable(_ text: String) -> Bool {
        !text.allSatisfy(\.isWhitespace) && !text.utf8.contains(0)
            // Directories close the connection on what is far too long, which would be an outage.
            && text.utf8.count <= CredentialFields.longestField
    }
}
