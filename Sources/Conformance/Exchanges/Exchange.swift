package import XML

/// A request and what came of it.
package struct Exchange: Sendable {
    package let probe: Probe
    package let outcome: Result<RawAnswer, ProbeFailure>
    /// From the moment the connection stood, with the TLS handshake done, in seconds.
    package let seconds: Double
    /// Whether the time for it was over before it was.
    package let isLate: Bool
    /// What the body says; nil where no document is due. Read once.
    package let reading: DocumentReading?

    package init(
        _ probe: Probe, _ outcome: Result<RawAnswer, ProbeFailure>, seconds: Double = 0, isLate: Bool = false
    ) {
        self.probe = probe
        self.outcome = outcome
        self.seconds = seconds
        self.isLate = isLate
        reading = (try? outcome.get()).flatMap { DocumentReading($0, to: probe) }
    }

    /// Whether what it says can be told: a 200 that is no document is another rule's.
    var isJudged: Bool { answer.map { $0.status != 200 || root != nil } ?? false }

    package var answer: RawAnswer? { try? outcome.get() }
    package var root: XMLElement? { reading?.root }

    /// About how much it takes to keep, in bytes: an element or attribute that was read takes some hundred.
    var footprint: Int {
        (answer?.footprint ?? 0) + 400 * (root == nil ? 0 : reading?.markup ?? 0) + probe.footprint
    }

    /// What came, in a few words that hold nothing of the body.
    package var summary: String {
        switch outcome {
        case .success(let answer): "HTTP \(answer.status), \(answer.body.count) bytes"
        case .failure(let failure): failure.description
        }
    }
}

/// Why there is no answer to look at.
package enum ProbeFailure: Error, Sendable, Equatable, CustomStringConvertible {
    /// The name has no address.
    case unresolved
    case refused
    case unreachable
    case untrusted
    case noAnswer
    case timedOut
    case notHTTP

    /// Whether nobody was there.
    var isAbsence: Bool { [.unresolved, .refused, .unreachable].contains(self) }

    package var description: String {
        switch self {
        case .unresolved: "no such host"
        case .refused: "the connection was refused"
        case .unreachable: "no connection"
        case .untrusted: "no TLS connection"
        case .noAnswer: "the connection was closed without an answer"
        case .timedOut: "no answer in time"
        case .notHTTP: "something that is not HTTP/1"
        }
    }
}
