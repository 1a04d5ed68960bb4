import Gatefold
import XML

/// The answer to a request for edition credentials (PROTOCOLS 1.2); a refusal stands inside, where the clients look.
enum CredentialsDocument {
    static func bytes(_ answer: CredentialsAnswer) -> [UInt8] {
        var xml = XMLWriter()
        xml.element("credentials") { xml in
            switch answer {
            case .granted(let credentials, let headers, let comments):
                xml.element("userid") { $0.text(credentials.userid) }
                xml.element("password") { $0.text(credentials.password) }
                for header in headers { xml.element("header", ["name": header.name]) { $0.text(header.value) } }
                comments.forEach { xml.comment($0) }
            case .refused(let refusal, let comments):
                xml.element("error", ["status": refusal.reason?.rawValue, "message": refusal.message])
                comments.forEach { xml.comment($0) }
            }
        }
        return xml.bytes
    }
}
