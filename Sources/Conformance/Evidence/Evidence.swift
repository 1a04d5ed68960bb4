package import Foundation

/// All that a check found out: what the rules judge, without asking anything themselves.
package struct Evidence: Sendable {
    package let endpoint: Endpoint
    package let cases: CheckCases
    package let options: CheckOptions
    /// When the check was made.
    package let date: Date
    package var exchanges: [Exchange] = []
    /// The tokens that were signed in with, by the readers' names.
    package var tokens: [String: String] = [:]
    /// Of each server that is asked over TLS and was there.
    package var tls: [OriginTLS] = []
    /// Of known readers' sign-ins with a wrong proof and nobody's, asked for in one record, by the readers' names.
    package var answerOrders: [String: AnswerOrder] = [:]
    /// Why the server was asked no more; nil where it answered to the end.
    package var silence: String?
    /// Why something could not be asked at all; by what would have been.
    package var gateGap: String?
    package var cacheGap: String?
    package var timingGap: String?

    package init(endpoint: Endpoint, cases: CheckCases, options: CheckOptions, date: Date) {
        self.endpoint = endpoint
        self.cases = cases
        self.options = options
        self.date = date
    }
}

extension Evidence {
    /// The exchanges with the endpoint itself.
    var direct: [Exchange] { exchanges.filter(\.probe.situation.isDirect) }

    func exchanges(_ situations: Situation...) -> [Exchange] {
        exchanges.filter { situations.contains($0.probe.situation) }
    }

    func exchanges(_ call: Call, _ situations: Situation...) -> [Exchange] {
        exchanges.filter { $0.probe.call == call && situations.contains($0.probe.situation) }
    }

    /// Answers with a document, however good.
    var documents: [(exchange: Exchange, reading: DocumentReading)] {
        direct.compactMap { exchange in exchange.reading.map { (exchange, $0) } }
    }

    var gate: [Exchange] {
        exchanges.filter { if case .gate = $0.probe.situation { true } else { false } }
    }

    var malformed: [Exchange] {
        exchanges.filter { if case .malformed = $0.probe.situation { true } else { false } }
    }

    /// Whether no sign-in at all can be answered, as far as the cases know: then those of nobody may fail as well.
    var isSignInAway: Bool {
        let readers = cases.readers.filter { $0.signIn != nil }
        return !readers.isEmpty && readers.allSatisfy { $0.failing.contains(.signIn) }
    }

    /// Whether it says that the subscriber system of all readers is away, as the cases do.
    func isOutage(_ exchange: Exchange) -> Bool {
        isSignInAway && exchange.probe.call == .signIn && exchange.answer?.status == 503
    }

    func reader(_ name: String?) -> CheckReader? { cases.readers.first { $0.name == name } }

    /// Each reader's first verification, spelt plainly.
    func verifications(_ situation: Situation = .ordinary) -> [(reader: CheckReader, exchange: Exchange)] {
        plain(.verifySubscription, situation)
    }

    /// Each reader's answered exchanges of a call in the spelling that all are asked by.
    func plain(_ call: Call, _ situation: Situation = .ordinary) -> [(reader: CheckReader, exchange: Exchange)] {
        let spelling: Spelling = call == .signIn ? .form : .query
        let answered = exchanges(call, situation).filter { $0.probe.spelling == spelling && $0.answer != nil }
        return answered.compactMap { exchange in reader(exchange.probe.reader).map { ($0, exchange) } }
    }

    /// Credentials that were given, also in an outage, with the edition they were asked for.
    var granted: [(exchange: Exchange, edition: String, userid: String, password: String)] {
        exchanges(.editionCredentials, .ordinary, .failing).compactMap { exchange in
            guard let edition = exchange.probe.edition, let pair = exchange.root?.credentials else { return nil }
            return (exchange, edition, pair.userid, pair.password)
        }
    }
}
