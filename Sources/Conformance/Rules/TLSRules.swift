import Foundation

/// The way the tokens travel.
enum TLSRules {
    static let all = [isUsed, version, old, trusted, expiry]

    private static let none = "the endpoint is not asked over https"

    static let isUsed = Rule(
        "tls-used", "Credentials and tokens travel over TLS", source: "RFC 9325 section 3; RFC 7617 section 4",
        fix:
            "Serve the endpoint, each call that has an address of its own and the content over https, and nothing over http."
    ) { evidence in
        let judged = evidence.origins.filter { $0.isSecure || !$0.isLoopback }
        return .of(judged, none: "the endpoint is on this machine") { origin in
            origin.isSecure ? nil : evidence.finding("its address begins with http://", of: origin)
        }
    }

    /// What follows for the rest of the check.
    private static func consequence(_ origin: Address, _ evidence: Evidence) -> String {
        if evidence.options.isInsecure { return "" }
        return origin.isSameServer(as: evidence.endpoint.root)
            ? "; so no reader was signed in (--insecure does it all the same)"
            : "; so nothing was sent there (--insecure does it all the same)"
    }

    static let version = Rule(
        "tls-version", "The server agrees on TLS 1.2 or newer", source: "RFC 8996; RFC 9325 section 3.1",
        fix: "Offer TLS 1.2 and 1.3."
    ) { evidence in
        .of(evidence.tls, none: none) { tls in
            guard let version = tls.facts.version else {
                return evidence.finding("no handshake came about", of: tls.origin)
            }
            return isNew(tls) ? nil : evidence.finding("it agrees on \(version)", of: tls.origin)
        }
    }

    private static func isNew(_ tls: OriginTLS) -> Bool {
        tls.facts.version.map { ["TLS 1.2", "TLS 1.3"].contains($0) } ?? false
    }

    static let old = Rule(
        "tls-old", "The server refuses TLS 1.0 and 1.1", source: "RFC 8996",
        fix: "Set the oldest version to TLS 1.2."
    ) { evidence in
        .of(evidence.tls.filter(isNew), none: evidence.tls.isEmpty ? none : "it knows nothing newer") { tls in
            tls.facts.takesOldVersions ? evidence.finding("it agrees on one of them", of: tls.origin) : nil
        }
    }

    static let trusted = Rule(
        "tls-trusted", "The certificate is signed by an authority, and for this name",
        source: "RFC 9110 section 4.3.4; PITFALLS, runners-up: certificate checks off",
        fix: "Send a certificate for this name with all its intermediate ones; name an authority of your own with --ca."
    ) { evidence in
        // One that has ended is not trusted either; that is said elsewhere.
        let running = evidence.tls.filter { tls in tls.facts.expiry.map { $0 > evidence.date } ?? true }
        return .of(running, none: evidence.tls.isEmpty ? none : "the certificate has ended") { tls in
            guard !tls.facts.isTrusted else { return nil }
            return evidence.finding(
                "the certificate is not trusted" + consequence(tls.origin, evidence), of: tls.origin)
        }
    }

    static let expiry = Rule(
        "tls-expiry", "The certificate is good for some time yet", source: "RFC 5280 section 4.1.2.5",
        fix: "Renew it, and have that done by a program."
    ) { evidence in
        let known = evidence.tls.compactMap { tls in tls.facts.expiry.map { (origin: tls.origin, expiry: $0) } }
        func day(_ date: Date) -> String { date.formatted(.iso8601.year().month().day()) }
        let ended = known.filter { $0.expiry <= evidence.date }
        guard ended.isEmpty else {
            return .of(ended, none: none) { origin, expiry in
                evidence.finding("it ended on \(day(expiry))" + consequence(origin, evidence), of: origin)
            }
        }
        return .of(known, none: none, as: .warning) { origin, expiry in
            let isSoon = expiry < evidence.date + evidence.options.certificateNotice
            return isSoon ? evidence.finding("it ends on \(day(expiry))", of: origin) : nil
        }
    }
}
