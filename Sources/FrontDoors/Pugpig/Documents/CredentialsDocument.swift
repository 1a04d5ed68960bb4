import Gatefold
import XML

/// The response to a request for edition credentials. A denial is inside the document, where the clients expect it.
///
/// Source: Pugpig protocol, “Edition credentials” and “Position of the error element”.
enum CredentialsDocument {
    static func bytes(_ result: CredentialsResult) -> [UInt8] {
        var xml = XMLWriter()
        xml.element("credentials") { xml in
            switch result {
            case .granted(let credentials, let headers, let notes):
                xml.element("userid") { $0.text(credentials.userid) }
                xml.element("password") { $0.text(credentials.password) }
                for header in headers { xml.element("header", ["name": header.name]) { $0.text(header.value) } }
                notes.forEach { xml.comment($0) }
            case .rejected(let rejection, let notes):
                xml.element("error", ["status": rejection.reason?.rawValue, "message": rejection.message])
                notes.forEach { xml.comment($0) }
            }
        }
        return xml.bytes
    }
}
