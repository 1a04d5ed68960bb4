import XML

/// The list of editions: absent is everything, empty is nothing (PROTOCOLS 1.2, PITFALLS row 1).
enum IssueRules {
    static let all = [nothing, everything, listed, inactive, unsaid]

    private static let source = "PROTOCOLS 1.2; PITFALLS 1"

    static let nothing = Rule(
        "issues-nothing", "A reader who may have nothing has a list with nothing in it", source: source,
        fix:
            "Write <issues/>: left out, it opens the whole catalogue to an active reader. Or find out who is right, the subscriber system or the file of cases."
    ) { evidence in
        judge(evidence) { reader, _ in reader.issues == .nothing }
    }

    static let everything = Rule(
        "issues-everything", "A reader who may have everything has no list, or one with all that is held",
        source: source, fix: "Leave <issues> out where the subscription opens everything."
    ) { evidence in
        judge(evidence) { reader, _ in reader.issues == .everything }
    }

    static let listed = Rule(
        "issues-listed", "An active reader's list names what the reader holds, and nothing else", source: source,
        fix: "List exactly the editions that credentials would be given for."
    ) { evidence in
        judge(evidence) { isListed($0) && $1 == active }
    }

    static let inactive = Rule(
        "issues-inactive", "A reader who is not active keeps what the reader holds",
        source: "PROTOCOLS 1.2: inactive users may still hold issues",
        fix: "List what was bought or was current while the subscription ran; a lapsed reader has not given it back."
    ) { evidence in
        judge(evidence) { isListed($0) && $1 != active }
    }

    static let unsaid = Rule(
        "issues-unsaid", "A reader who is not active has a list", source: "PROTOCOLS 6A row 9",
        fix:
            "Write the list, or <issues/>: read literally, no list opens everything to a reader who is inactive. Where that is meant, say “issues: everything” in the case."
    ) { evidence in
        let told = evidence.verifications().filter { reader, exchange in
            reader.issues == nil && ["inactive", "suspended"].contains(exchange.root?.state ?? "")
        }
        return .of(told, none: "no inactive reader is without a word about issues", as: .warning) { _, exchange in
            exchange.root?.issues == nil ? Finding("there is no <issues>", exchange) : nil
        }
    }

    private static func isListed(_ reader: CheckReader) -> Bool {
        if case .listed = reader.issues { true } else { false }
    }

    private static let active = CheckReader.State.active.rawValue

    /// What is wrong with the list of a reader whose state it is; nil where nothing is, or nothing is known.
    static func fault(of list: [String]?, for reader: CheckReader, state: String) -> String? {
        switch reader.issues {
        case nil: return nil
        case .nothing:
            guard let list else { return "there is no <issues>, which means everything" }
            guard let one = list.first else { return nil }
            let count = list.count == 1 ? "" : "\(list.count) editions, among them "
            return "the list names \(count)\(Printable.quote(one))"
        case .everything:
            guard let list else { return nil }
            guard state == active, !list.isEmpty else { return "there is an <issues>, which means nothing else" }
            let missing = Set(reader.holds).subtracting(list).min()
            return missing.map { "the list lacks \(Printable.quote($0))" }
        case .listed(let expected): return difference(list, expected)
        }
    }

    private static func difference(_ list: [String]?, _ expected: Set<String>) -> String? {
        guard let list else { return "there is no <issues>, which means everything" }
        if let missing = expected.subtracting(list).min() { return "the list lacks \(Printable.quote(missing))" }
        if let more = Set(list).subtracting(expected).min() { return "the list names \(Printable.quote(more)) as well" }
        return list.count == expected.count ? nil : "the list names an edition twice"
    }

    /// - Parameter isMeant: of a reader and the state that the case says, or else the one that was answered.
    private static func judge(_ evidence: Evidence, _ isMeant: (CheckReader, String) -> Bool) -> Verdict {
        let told = evidence.verifications().compactMap { reader, exchange -> (CheckReader, String, Exchange)? in
            guard let answered = exchange.root?.state else { return nil }
            let state = reader.state?.rawValue ?? answered
            return isMeant(reader, state) ? (reader, state, exchange) : nil
        }
        return .of(told, none: "no such reader is known, or none was answered") { reader, state, exchange in
            fault(of: exchange.root?.issues, for: reader, state: state).map { Finding($0, exchange) }
        }
    }
}
