import Gatefold
import XML

/// The response to sign-in and renewal: `<token>`, or `<error>` as the root.
///
/// Source: Pugpig protocol, “Sign in and renew”.
enum TokenDocument {
    static func bytes(_ result: SignInResult) -> [UInt8] {
        var xml = XMLWriter()
        switch result {
        case .signedIn(let token, let feedPassword, let notes):
            xml.element("token", ["global_auth_password": feedPassword]) { $0.text(token) }
            notes.forEach { xml.comment($0) }
        case .rejected(let rejection):
            xml.element("error", ["status": rejection.reason.status, "message": rejection.message])
        }
        return xml.bytes
    }
}

extension SignInRejection.Reason {
    /// The status value: the value that apps know, or one of two additions of Gatefold. An app that does not know a
    /// value shows the message.
    ///
    /// Source: Pugpig protocol, “Status values of a refused sign-in”.
    fileprivate var status: String {
        switch self {
        case .rejected, .deviceRequired: "notrecognised"
        case .throttled: "throttled"
        case .tooManyDevices: "toomanydevices"
        }
    }
}
