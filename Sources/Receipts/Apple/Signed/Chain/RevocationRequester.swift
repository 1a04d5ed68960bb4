import OutgoingRequests
import X509

/// Asks OCSP responders over HTTP (RFC 6960 appendix A).
///
/// It is only asked about certificates that lead to a pinned root, so the responder's address is one that Apple signed.
struct RevocationRequester: OCSPRequester {
    let http: OutgoingHTTP
    /// Whether no answer is a failure.
    let isStrict: Bool

    func query(request: [UInt8], uri: String) async -> OCSPRequesterQueryResult {
        do {
            guard let url = ServiceURL(uri) else { throw HTTPFailure.unreachable }
            let answer = try await http.send(
                HTTPQuestion(
                    method: "POST", url: url,
                    headers: [.init(name: "Content-Type", value: "application/ocsp-request")], body: request,
                    isRepeatable: true))
            guard answer.status == 200 else { throw HTTPFailure.other("status \(answer.status)") }
            return .response(answer.body)
        } catch {
            return isStrict ? .terminalError(error) : .nonTerminalError(error)
        }
    }
}
