import OutgoingRequests
import XML

/// Finds the fault of SOAP 1.1 and 1.2.
enum SOAPFault {
    private static let path = try? XPath(
        "/*[local-name()='Envelope']/*[local-name()='Body']/*[local-name()='Fault']")

    static func isIn(_ answer: HTTPAnswer) -> Bool {
        let limits = XMLDocument.Limits(size: answer.body.count)
        guard let path, let found = try? XPath.values(of: [path], in: answer.body, limits: limits) else { return false }
        return !found.joined().isEmpty
    }
}
