import OutgoingRequests
import X509

/// A client of OCSP responders over HTTP (RFC 6960 appendix A).
///
/// Only certificates that lead to a pinned root are queried, so the address of the responder is an address that
/// Apple signed.
struct RevocationRequester: OCSPRequester {
    let http: OutgoingHTTP
    /// A Boolean value that indicates whether a missing response is a failure.
    let isStrict: Bool

    func query(request: [UInt8], uri: String) async -> OCSPRequesterQueryResult {
        do {
            guard let url = ServiceURL(uri) else { throw HTTPFailure.unreachable }
            let response = try await http.send(
                OutboundRequest(
                    method: "POST", url: url,
                    headers: [.init(name: "Content-Type", value: "application/ocsp-request")], body: request,
                    isRepeatable: true))
            guard response.status == 200 else { throw HTTPFailure.other("status \(response.status)") }
            return .response(response.body)
        } catch {
            return isStrict ? .terminalError(error) : .nonTerminalError(error)
        }
    }
}
