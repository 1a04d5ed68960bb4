import Foundation

/// The way the tokens travel.
enum TLSRules {
    static let all = [isUsed, version, old, trusted, expiry]

    private static let none = "the endpoint is not asked over https"

    static let isUsed = Rule(
        "tls-used", "Credentials and tokens travel over TLS", source: "RFC 9325 section 3",
        fix: "Serve the endpoint over https, and nothing over http."
    ) { evidence in
        let root = evidence.endpoint.root
        if root.isSecure { return .passed(1) }
        if root.isLoopback { return .skipped("the endpoint is on this machine") }
        return .failed([Finding("the endpoint's address begins with http://")])
    }

    /// What follows for the rest of the check.
    private static func consequence(_ evidence: Evidence) -> String {
        evidence.options.isInsecure ? "" : "; so no reader was signed in (--insecure does it all the same)"
    }

    static let version = Rule(
        "tls-version", "The server agrees on TLS 1.2 or newer", source: "RFC 8996; RFC 9325 section 3.1",
        fix: "Offer TLS 1.2 and 1.3."
    ) { evidence in
        guard let facts = evidence.tls else { return .skipped(none) }
        guard let version = facts.version else { return .failed([Finding("no handshake came about")]) }
        return ["TLS 1.2", "TLS 1.3"].contains(version) ? .passed(1) : .failed([Finding("it agrees on \(version)")])
    }

    static let old = Rule(
        "tls-old", "The server refuses TLS 1.0 and 1.1", source: "RFC 8996",
        fix: "Set the oldest version to TLS 1.2."
    ) { evidence in
        guard let facts = evidence.tls else { return .skipped(none) }
        guard facts.version.map({ ["TLS 1.2", "TLS 1.3"].contains($0) }) ?? false else {
            return .skipped("it knows nothing newer")
        }
        return facts.takesOldVersions ? .failed([Finding("it agrees on one of them")]) : .passed(1)
    }

    static let trusted = Rule(
        "tls-trusted", "The certificate is signed by an authority, and for this name",
        source: "RFC 9110 section 4.3.4; PITFALLS, runners-up: certificate checks off",
        fix: "Send a certificate for this name with all its intermediate ones; name an authority of your own with --ca."
    ) { evidence in
        guard let facts = evidence.tls else { return .skipped(none) }
        // One that has ended is not trusted either; that is said elsewhere.
        if let expiry = facts.expiry, expiry <= evidence.date { return .skipped("the certificate has ended") }
        return facts.isTrusted
            ? .passed(1) : .failed([Finding("the certificate is not trusted" + consequence(evidence))])
    }

    static let expiry = Rule(
        "tls-expiry", "The certificate is good for some time yet", source: "RFC 5280 section 4.1.2.5",
        fix: "Renew it, and have that done by a program."
    ) { evidence in
        guard let facts = evidence.tls, let expiry = facts.expiry else { return .skipped(none) }
        let day = expiry.formatted(.iso8601.year().month().day())
        if expiry <= evidence.date { return .failed([Finding("it ended on \(day)" + consequence(evidence))]) }
        let isSoon = expiry < evidence.date + evidence.options.certificateNotice
        return isSoon ? .warned([Finding("it ends on \(day)")]) : .passed(1)
    }
}
