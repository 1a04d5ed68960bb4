package import Foundation

/// The results of a check, which the rules judge. A rule sends no requests.
package struct Evidence: Sendable {
    package let endpoint: Endpoint
    package let cases: CheckCases
    package let options: CheckOptions
    /// The time of the check.
    package let date: Date
    package var exchanges: [Exchange] = []
    /// The tokens that sign-in returned or the cases contain, by the readers' names.
    package var tokens: [String: String] = [:]
    /// The TLS facts of each server that the check reaches over TLS.
    package var tls: [OriginTLS] = []
    /// The order of the responses to a known reader's sign-in with a wrong proof and an unknown reader's, by the
    /// readers' names. The two requests are sent in one TLS record.
    package var responseOrders: [String: ResponseOrder] = [:]
    /// The reason why the check stopped sending requests; nil if the server responded to the end.
    package var abortReason: String?
    /// The reason why the gate was not tried. The next two properties are the same for the shared cache and the
    /// timing.
    package var gateSkipReason: String?
    package var cacheSkipReason: String?
    package var timingSkipReason: String?

    package init(endpoint: Endpoint, cases: CheckCases, options: CheckOptions, date: Date) {
        self.endpoint = endpoint
        self.cases = cases
        self.options = options
        self.date = date
    }
}

extension Evidence {
    /// The exchanges with the endpoint itself.
    var direct: [Exchange] { exchanges.filter(\.probe.purpose.isDirect) }

    func exchanges(_ purposes: ProbePurpose...) -> [Exchange] {
        exchanges.filter { purposes.contains($0.probe.purpose) }
    }

    func exchanges(_ call: Call, _ purposes: ProbePurpose...) -> [Exchange] {
        exchanges.filter { $0.probe.call == call && purposes.contains($0.probe.purpose) }
    }

    /// The responses with a document, whether it is valid or not.
    var documents: [(exchange: Exchange, reading: DocumentReading)] {
        direct.compactMap { exchange in exchange.reading.map { (exchange, $0) } }
    }

    var gate: [Exchange] {
        exchanges.filter { if case .gate = $0.probe.purpose { true } else { false } }
    }

    var malformed: [Exchange] {
        exchanges.filter { if case .malformed = $0.probe.purpose { true } else { false } }
    }

    /// A Boolean value that indicates whether, according to the cases, every sign-in fails. Sign-ins of unknown
    /// readers may then fail too.
    var isSignInUnavailable: Bool {
        let readers = cases.readers.filter { $0.signIn != nil }
        return !readers.isEmpty && readers.allSatisfy { $0.failing.contains(.signIn) }
    }

    /// Returns whether the response is a 503 to a sign-in while, according to the cases, the subscriber system of
    /// all readers is unavailable.
    func isOutage(_ exchange: Exchange) -> Bool {
        isSignInUnavailable && exchange.probe.call == .signIn && exchange.response?.status == 503
    }

    func reader(_ name: String?) -> CheckReader? { cases.readers.first { $0.name == name } }

    /// Returns each reader's verifications in the plain spelling.
    func verifications(_ purpose: ProbePurpose = .ordinary) -> [(reader: CheckReader, exchange: Exchange)] {
        plain(.verifySubscription, purpose)
    }

    /// Returns each reader's exchanges of a call that have a response, in the spelling that the check uses for
    /// every reader.
    func plain(_ call: Call, _ purpose: ProbePurpose = .ordinary) -> [(reader: CheckReader, exchange: Exchange)] {
        let requestStyle: RequestStyle = call == .signIn ? .form : .query
        let responded = exchanges(call, purpose).filter { $0.probe.requestStyle == requestStyle && $0.response != nil }
        return responded.compactMap { exchange in reader(exchange.probe.reader).map { ($0, exchange) } }
    }

    /// The credentials that the endpoint issued, also in an outage, with the requested edition.
    var granted: [(exchange: Exchange, edition: String, userid: String, password: String)] {
        exchanges(.editionCredentials, .ordinary, .failing).compactMap { exchange in
            guard let edition = exchange.probe.edition, let pair = exchange.root?.credentials else { return nil }
            return (exchange, edition, pair.userid, pair.password)
        }
    }
}
