package import XML

/// A request and its outcome.
package struct Exchange: Sendable {
    package let probe: Probe
    package let outcome: Result<ReceivedResponse, ProbeFailure>
    /// The time from the established connection, with the TLS handshake done, to the end of the response, in
    /// seconds.
    package let seconds: Double
    /// A Boolean value that indicates whether the time limit ended the exchange.
    package let isLate: Bool
    /// The parsed body; nil if no document is due. It is parsed once.
    package let reading: DocumentReading?

    package init(
        _ probe: Probe, _ outcome: Result<ReceivedResponse, ProbeFailure>, seconds: Double = 0, isLate: Bool = false
    ) {
        self.probe = probe
        self.outcome = outcome
        self.seconds = seconds
        self.isLate = isLate
        reading = (try? outcome.get()).flatMap { DocumentReading($0, to: probe) }
    }

    /// A Boolean value that indicates whether a rule can judge the response. A 200 without a readable document is
    /// left to another rule.
    var isEvaluable: Bool { response.map { $0.status != 200 || root != nil } ?? false }

    package var response: ReceivedResponse? { try? outcome.get() }
    package var root: XMLElement? { reading?.root }

    /// The approximate memory of the exchange, in bytes. A parsed element or attribute takes several hundred.
    var footprint: Int {
        (response?.footprint ?? 0) + 400 * (root == nil ? 0 : reading?.markup ?? 0) + probe.footprint
    }

    /// A short description of the outcome, without any content of the body.
    package var summary: String {
        switch outcome {
        case .success(let response): "HTTP \(response.status), \(response.body.count) bytes"
        case .failure(let failure): failure.description
        }
    }
}

/// The reason why there is no response.
package enum ProbeFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// The host name has no address.
    case unresolved
    case connectionRefused
    case unreachable
    case untrusted
    case noResponse
    case timedOut
    case notHTTP

    /// A Boolean value that indicates whether no server was reachable.
    var isUnreachable: Bool { [.unresolved, .connectionRefused, .unreachable].contains(self) }

    package var description: String {
        switch self {
        case .unresolved: "no such host"
        case .connectionRefused: "the connection was refused"
        case .unreachable: "no connection"
        case .untrusted: "no TLS connection"
        case .noResponse: "the connection was closed without a response"
        case .timedOut: "no response within the time limit"
        case .notHTTP: "the response is not HTTP/1"
        }
    }
}
