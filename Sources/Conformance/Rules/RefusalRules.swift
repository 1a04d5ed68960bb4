import XML

/// What whoever is refused is told, and how (PROTOCOLS 1.2).
enum RefusalRules {
    static let all = [
        givesNothing, isDocument, status, isUniform, credentialsStatus, credentialsPlace, credentialsWord,
    ]

    private static let withoutCredentials: [Situation] = [.unheld, .forgedToken, .missingToken, .missingProduct]

    static let givesNothing = Rule(
        "refusal-token", "A wrong sign-in gives no token", source: "PROTOCOLS 1.2",
        fix: "Compare the proof with the one that is stored for this reader, and give a token for no other."
    ) { evidence in
        .each(evidence.exchanges(.unknownReader, .wrongProof), none: "no wrong sign-in was made") { $0.opening }
    }

    /// Wrong sign-ins that gave nothing, and could be answered.
    private static func refused(_ evidence: Evidence, _ situations: Situation...) -> [Exchange] {
        evidence.exchanges.filter { exchange in
            situations.contains(exchange.probe.situation) && exchange.opening == nil && !evidence.isOutage(exchange)
        }
    }

    static let isDocument = Rule(
        "refusal-sign-in", "A refused sign-in is a 200 with an error document",
        source: "PROTOCOLS 1.2: business failures are HTTP 200 with an <error>",
        fix:
            "Answer 200 with <error status=\"notrecognised\" message=\"…\"/> as the root: to an app any other status is a call that failed."
    ) { evidence in
        .each(refused(evidence, .unknownReader, .wrongProof), none: "no sign-in was refused") { exchange in
            guard let answer = exchange.answer else { return nil }
            if answer.status != 200 { return "answered with \(answer.status)" }
            guard let root = exchange.root, !root.isRefusal else { return nil }
            return "the root is <\(Printable.told(root.name))>, not <error>"
        }
    }

    static let status = Rule(
        "refusal-status", "A refused sign-in has the status “notrecognised”", source: "PROTOCOLS 1.2",
        fix: "Write status=\"notrecognised\", whatever the reason: which part was wrong is nobody's business."
    ) { evidence in
        let refused = evidence.exchanges(.unknownReader, .wrongProof).filter { $0.root?.isRefusal == true }
        return .each(refused, none: "no sign-in was refused with a document") { exchange in
            let word = exchange.root?.attributes["status"] ?? ""
            return word == "notrecognised" ? nil : "the status is \(Printable.quote(word))"
        }
    }

    static let isUniform = Rule(
        "refusal-uniform", "An unknown reader and a wrong proof are answered with the same bytes", source: "PITFALLS 6",
        fix: "Use one answer for both, headers included, so that nobody can ask who is a subscriber."
    ) { evidence in
        let unknown = refused(evidence, .unknownReader)
        return .each(
            unknown.isEmpty ? [] : refused(evidence, .wrongProof), none: "no reader is known whose proof may be wrong"
        ) { exchange in
            Uniformity.difference(of: exchange, to: unknown)
        }
    }

    static let credentialsStatus = Rule(
        "refusal-credentials", "Refused edition credentials are answered with 200",
        source: "PROTOCOLS 1.2; DESIGN rule 6",
        fix: "Answer 200 with <credentials><error status=\"…\"/></credentials>."
    ) { evidence in
        .eachAnswer(refusedCredentials(evidence), none: "no credentials were refused") { answer in
            answer.status == 200 ? nil : "answered with \(answer.status)"
        }
    }

    static let credentialsPlace = Rule(
        "refusal-credentials-place", "The error stands inside <credentials>",
        source: "PROTOCOLS 1.2: the client reads /credentials/error/@status; 6A row 7",
        fix: "Put <error> into <credentials>, not in its place."
    ) { evidence in
        .each(errors(evidence), none: "no credentials were refused with an error in a document") { exchange in
            exchange.root?.name == "credentials" ? nil : "the root is <error>"
        }
    }

    static let credentialsWord = Rule(
        "refusal-credentials-status", "The error's status is notrecognised, notentitled, expired or missing",
        source: "PROTOCOLS 1.2; 6A row 2", fix: "Use one of the three words; apps know no other."
    ) { evidence in
        .each(errors(evidence), none: "no credentials were refused with an error in a document") { exchange in
            guard let word = exchange.root?.error?.attributes["status"],
                !["notrecognised", "notentitled", "expired"].contains(word)
            else { return nil }
            return "the status is \(Printable.quote(word))"
        }
    }

    private static func refusedCredentials(_ evidence: Evidence) -> [Exchange] {
        evidence.exchanges.filter {
            $0.probe.call == .editionCredentials && withoutCredentials.contains($0.probe.situation)
        }
    }

    /// Those that say so in a document. In an outage credentials need not be refused, but where they are the form is the same.
    private static func errors(_ evidence: Evidence) -> [Exchange] {
        let failing = evidence.exchanges(.editionCredentials, .failing)
        return (refusedCredentials(evidence) + failing).filter { $0.root?.error != nil }
    }
}
