import Gatefold
import LDAP

/// The meaning of a directory's result code for a reader: the proof is correct, the proof is rejected, or the
/// directory failed.
///
/// This type alone distinguishes rejections from outages.
///
/// Source: Pitfall 9, “Outage and rejection confused”.
enum DirectoryVerdict: Sendable, Equatable {
    case confirmed
    case rejected
    /// The query failed: the code concerns the directory, Gatefold or a setting.
    case failed

    /// Returns the verdict of a bind with the reader's name and password.
    ///
    /// A code is a rejection only if it can concern this one reader. Directories, such as 389 Directory Server,
    /// return 19 and 53 for a locked or expired account. If these codes counted as outages, a stranger who locks an
    /// account could open the circuit breaker for all readers. Every unlisted code is an outage. A bind whose name
    /// was not searched before also checks that the readers' tree exists.
    static func forBind(_ code: ResultCode) -> DirectoryVerdict {
        switch code {
        case .success: .confirmed
        // Wrong password, no such entry, no stored password, or an invalid name.
        case .invalidCredentials, .noSuchObject, .inappropriateAuthentication, .invalidDNSyntax: .rejected
        // Locked, expired, or not allowed to sign in.
        case .constraintViolation, .unwillingToPerform: .rejected
        default: .failed
        }
    }

    /// Returns the verdict of a compare of an attribute with the typed value.
    static func forCompare(_ code: ResultCode) -> DirectoryVerdict {
        switch code {
        case .compareTrue: .confirmed
        // Another value, no value, or a text that violates the attribute's syntax.
        case .compareFalse, .noSuchAttribute, .invalidAttributeSyntax: .rejected
        default: .failed
        }
    }
}

/// The check for proofs that may be sent to a directory.
enum DirectoryProof {
    /// Returns whether a proof may be sent. An empty password is an anonymous bind, which succeeds (RFC 4513,
    /// section 5.1.2). A server that reads C strings treats a password that starts with NUL in the same way. The
    /// domain rejects both before any backend is queried. This check repeats the rule because here a violation
    /// would sign a reader in.
    ///
    /// Source: Pitfall 14, “Empty passwords and blank fields that succeed”.
    static func isUsable(_ text: String) -> Bool {
        !text.allSatisfy(\.isWhitespace) && !text.utf8.contains(0)
            // Directories close the connection on a much too long value, which would count as an outage.
            && text.utf8.count <= CredentialFields.maxFieldLength
    }
}
