import XML

/// The rules about the list of editions: an absent list means all editions, an empty one none.
///
/// Source: Pugpig protocol, “List of issues”; Pitfall 1, “A missing issue list read as everything”.
enum IssueRules {
    static let all = [nothing, everything, listed, inactive, unspecified]

    private static let source = "Pugpig protocol: List of issues; Pitfall 1"

    static let nothing = Rule(
        "issues-nothing", "A reader without any edition has an empty list", source: source,
        fix:
            "Write <issues/>: without it, the whole catalogue is open to an active reader. Otherwise, check whether "
            + "the subscriber system or the case is wrong."
    ) { evidence in
        evaluate(evidence) { reader, _ in reader.issues == .nothing }
    }

    static let everything = Rule(
        "issues-everything", "A reader with all editions has no list, or a list of all held editions",
        source: source, fix: "Leave <issues> out if the subscription opens all editions."
    ) { evidence in
        evaluate(evidence) { reader, _ in reader.issues == .everything }
    }

    static let listed = Rule(
        "issues-listed", "An active reader's list has exactly the editions that the reader holds", source: source,
        fix: "List exactly the editions for which the endpoint issues credentials."
    ) { evidence in
        evaluate(evidence) { isListed($0) && $1 == active }
    }

    static let inactive = Rule(
        "issues-inactive", "A reader who is not active keeps the editions that the reader holds",
        source: "Pugpig protocol: List of issues",
        fix: "List the editions that the reader bought or that were current during the subscription: a lapsed reader "
            + "keeps them."
    ) { evidence in
        evaluate(evidence) { isListed($0) && $1 != active }
    }

    static let unspecified = Rule(
        "issues-unsaid", "A reader who is not active has a list",
        source: "Pugpig protocol: Inactive subscriptions without a list",
        fix:
            "Write the list, or <issues/>: read literally, a missing list opens all editions to an inactive reader. If "
            + "that is intended, set “issues: everything” in the case."
    ) { evidence in
        let reported = evidence.verifications().filter { reader, exchange in
            reader.issues == nil && ["inactive", "suspended"].contains(exchange.root?.state ?? "")
        }
        return .of(reported, none: "no inactive reader is known whose case omits issues", as: .warning) { _, exchange in
            exchange.root?.issues == nil ? Finding("<issues> is missing", exchange) : nil
        }
    }

    private static func isListed(_ reader: CheckReader) -> Bool {
        if case .listed = reader.issues { true } else { false }
    }

    private static let active = CheckReader.State.active.rawValue

    /// Returns the fault in the list of a reader with the given state, or nil if there is none or nothing is known.
    static func fault(of list: [String]?, for reader: CheckReader, state: String) -> String? {
        switch reader.issues {
        case nil: return nil
        case .nothing:
            guard let list else { return "<issues> is missing, which means all editions" }
            guard let one = list.first else { return nil }
            let count = list.count == 1 ? "" : "\(list.count) editions, among them "
            return "the list names \(count)\(Printable.quote(one))"
        case .everything:
            guard let list else { return nil }
            guard state == active, !list.isEmpty else { return "<issues> is present, which means no other editions" }
            let missing = Set(reader.holds).subtracting(list).min()
            return missing.map { "the list lacks \(Printable.quote($0))" }
        case .listed(let expected): return difference(list, expected)
        }
    }

    private static func difference(_ list: [String]?, _ expected: Set<String>) -> String? {
        guard let list else { return "<issues> is missing, which means all editions" }
        if let missing = expected.subtracting(list).min() { return "the list lacks \(Printable.quote(missing))" }
        if let more = Set(list).subtracting(expected).min() { return "the list also names \(Printable.quote(more))" }
        return list.count == expected.count ? nil : "the list names an edition twice"
    }

    /// - Parameter isMeant: Returns whether the rule applies to a reader and a state. The state is that of the
    ///   case, or else that of the response.
    private static func evaluate(_ evidence: Evidence, _ isMeant: (CheckReader, String) -> Bool) -> Verdict {
        let reported = evidence.verifications().compactMap { reader, exchange -> (CheckReader, String, Exchange)? in
            guard let responded = exchange.root?.state else { return nil }
            let state = reader.state?.rawValue ?? responded
            return isMeant(reader, state) ? (reader, state, exchange) : nil
        }
        return .of(reported, none: "no such reader is known, or no response was received") { reader, state, exchange in
            fault(of: exchange.root?.issues, for: reader, state: state).map { Finding($0, exchange) }
        }
    }
}
