import XML

/// The rules about the content and the form of a rejection.
///
/// Source: Pugpig protocol, “Status codes”, “Status values of a refused sign-in” and “Status values of refused
/// credentials”.
enum RejectionRules {
    static let all = [
        grantsNothing, isDocument, status, isUniform, credentialsStatus, credentialsPlace, credentialsErrorStatus,
    ]

    private static let withoutCredentials: [ProbePurpose] = [
        .notEntitled, .forgedToken, .missingToken, .missingProduct,
    ]

    static let grantsNothing = Rule(
        "refusal-token", "A wrong sign-in returns no token", source: "Pugpig protocol: Sign in and renew",
        fix: "Compare the proof with the stored proof of this reader, and return no token for any other proof."
    ) { evidence in
        .each(evidence.exchanges(.unknownReader, .wrongProof), none: "no wrong sign-in was sent") { $0.opening }
    }

    /// Returns the wrong sign-ins that gave no access, without those that failed in an outage.
    private static func rejected(_ evidence: Evidence, _ purposes: ProbePurpose...) -> [Exchange] {
        evidence.exchanges.filter { exchange in
            purposes.contains(exchange.probe.purpose) && exchange.opening == nil && !evidence.isOutage(exchange)
        }
    }

    static let isDocument = Rule(
        "refusal-sign-in", "A refused sign-in is HTTP 200 with an error document",
        source: "Pugpig protocol: Status codes",
        fix:
            "Return 200 with <error status=\"notrecognised\" message=\"…\"/> as the root element: an app takes any "
            + "other status for a failed call."
    ) { evidence in
        .each(rejected(evidence, .unknownReader, .wrongProof), none: "no sign-in was refused") { exchange in
            guard let response = exchange.response else { return nil }
            if response.status != 200 { return "the HTTP status is \(response.status)" }
            guard let root = exchange.root, !root.isRejection else { return nil }
            return "the root element is <\(Printable.redacted(root.name))>, not <error>"
        }
    }

    static let status = Rule(
        "refusal-status", "A refused sign-in has the status “notrecognised”",
        source: "Pugpig protocol: Status values of a refused sign-in",
        fix: "Write status=\"notrecognised\" for every reason, so that the response does not reveal which part was "
            + "wrong."
    ) { evidence in
        let rejected = evidence.exchanges(.unknownReader, .wrongProof).filter { $0.root?.isRejection == true }
        return .each(rejected, none: "no sign-in was refused with a document") { exchange in
            let status = exchange.root?.attributes["status"] ?? ""
            return status == "notrecognised" ? nil : "the status is \(Printable.quote(status))"
        }
    }

    static let isUniform = Rule(
        "refusal-uniform", "An unknown reader and a wrong proof get identical responses", source: "Pitfall 6",
        fix: "Use one response for both, headers included, so that no client can find out who is a subscriber."
    ) { evidence in
        let unknown = rejected(evidence, .unknownReader)
        return .each(
            unknown.isEmpty ? [] : rejected(evidence, .wrongProof),
            none: "no reader is known whose sign-in may be tried with a wrong proof"
        ) { exchange in
            Uniformity.difference(of: exchange, to: unknown)
        }
    }

    static let credentialsStatus = Rule(
        "refusal-credentials", "A refusal of edition credentials is HTTP 200",
        source: "Pugpig protocol: Statuses other than 200; Design rules: Edition credentials are always a document",
        fix: "Return 200 with <credentials><error status=\"…\"/></credentials>."
    ) { evidence in
        .eachResponse(rejectedCredentials(evidence), none: "no credentials were refused") { response in
            response.status == 200 ? nil : "the HTTP status is \(response.status)"
        }
    }

    static let credentialsPlace = Rule(
        "refusal-credentials-place", "The error element is inside <credentials>",
        source: "Pugpig protocol: Position of the error element",
        fix: "Put <error> inside <credentials>, not in its place."
    ) { evidence in
        .each(errors(evidence), none: "no credentials were refused with an error element") { exchange in
            exchange.root?.name == "credentials" ? nil : "the root element is <error>"
        }
    }

    static let credentialsErrorStatus = Rule(
        "refusal-credentials-status",
        "The status of refused credentials is notrecognised, notentitled, expired or missing",
        source: "Pugpig protocol: Status values of refused credentials",
        fix: "Use one of the three values; apps know no others."
    ) { evidence in
        .each(errors(evidence), none: "no credentials were refused with an error element") { exchange in
            guard let status = exchange.root?.error?.attributes["status"],
                !["notrecognised", "notentitled", "expired"].contains(status)
            else { return nil }
            return "the status is \(Printable.quote(status))"
        }
    }

    private static func rejectedCredentials(_ evidence: Evidence) -> [Exchange] {
        evidence.exchanges.filter {
            $0.probe.call == .editionCredentials && withoutCredentials.contains($0.probe.purpose)
        }
    }

    /// Returns the credentials that were denied with an error in a document. An endpoint need not deny credentials
    /// in an outage. If it does, the same format applies.
    private static func errors(_ evidence: Evidence) -> [Exchange] {
        let failing = evidence.exchanges(.editionCredentials, .failing)
        return (rejectedCredentials(evidence) + failing).filter { $0.root?.error != nil }
    }
}
