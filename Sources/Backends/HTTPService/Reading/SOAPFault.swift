import OutgoingRequests
import XML

/// A detector of SOAP 1.1 and SOAP 1.2 faults.
enum SOAPFault {
    private static let path = try? XPath(
        "/*[local-name()='Envelope']/*[local-name()='Body']/*[local-name()='Fault']")

    static func isIn(_ response: OutboundResponse) -> Bool {
        let limits = XMLDocument.Limits(size: response.body.count)
        guard let path, let found = try? XPath.values(of: [path], in: response.body, limits: limits) else {
            return false
        }
        return !found.joined().isEmpty
    }
}
