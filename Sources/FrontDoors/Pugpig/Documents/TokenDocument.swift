import Gatefold
import XML

/// The answer to sign-in and renewal (PROTOCOLS 1.2): `<token>`, or `<error>` as the root.
enum TokenDocument {
    static func bytes(_ answer: SignInAnswer) -> [UInt8] {
        var xml = XMLWriter()
        switch answer {
        case .signedIn(let token, let feedPassword, let comments):
            xml.element("token", ["global_auth_password": feedPassword]) { $0.text(token) }
            comments.forEach { xml.comment($0) }
        case .refused(let refusal):
            xml.element("error", ["status": refusal.reason.status, "message": refusal.message])
        }
        return xml.bytes
    }
}

extension SignInRefusal.Reason {
    /// The word apps know, and two of ours for what they do not: an app that knows neither shows the message.
    fileprivate var status: String {
        switch self {
        case .notRecognised, .deviceRequired: "notrecognised"
        case .throttled: "throttled"
        case .tooManyDevices: "toomanydevices"
        }
    }
}
