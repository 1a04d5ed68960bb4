import Foundation

/// The rules about the transport of tokens.
enum TLSRules {
    static let all = [isUsed, version, old, trusted, expiry]

    private static let none = "the endpoint does not use https"

    static let isUsed = Rule(
        "tls-used", "Credentials and tokens are sent over TLS", source: "RFC 9325 section 3; RFC 7617 section 4",
        fix:
            "Serve the endpoint, every call with its own address, and the content over https, and nothing over http."
    ) { evidence in
        let judged = evidence.origins.filter { $0.isSecure || !$0.isLoopback }
        return .of(judged, none: "the endpoint is on this machine") { origin in
            origin.isSecure ? nil : evidence.finding("the address begins with http://", of: origin)
        }
    }

    /// Returns the consequence for the rest of the check.
    private static func consequence(_ origin: Address, _ evidence: Evidence) -> String {
        if evidence.options.isInsecure { return "" }
        return origin.isSameServer(as: evidence.endpoint.root)
            ? ", so no reader was signed in (--insecure signs readers in)"
            : ", so nothing was sent there (--insecure sends requests)"
    }

    static let version = Rule(
        "tls-version", "The server supports TLS 1.2 or newer", source: "RFC 8996; RFC 9325 section 3.1",
        fix: "Offer TLS 1.2 and TLS 1.3."
    ) { evidence in
        .of(evidence.tls, none: none) { tls in
            guard let version = tls.facts.version else {
                return evidence.finding("no handshake succeeded", of: tls.origin)
            }
            return isNew(tls) ? nil : evidence.finding("the server negotiates \(version)", of: tls.origin)
        }
    }

    private static func isNew(_ tls: OriginTLS) -> Bool {
        tls.facts.version.map { ["TLS 1.2", "TLS 1.3"].contains($0) } ?? false
    }

    static let old = Rule(
        "tls-old", "The server rejects TLS 1.0 and 1.1", source: "RFC 8996",
        fix: "Set the minimum version to TLS 1.2."
    ) { evidence in
        .of(evidence.tls.filter(isNew), none: evidence.tls.isEmpty ? none : "the server supports no newer version") {
            tls in
            tls.facts.acceptsOldVersions
                ? evidence.finding("the server accepts TLS 1.0 or TLS 1.1", of: tls.origin) : nil
        }
    }

    static let trusted = Rule(
        "tls-trusted", "The certificate is valid for this name and signed by a trusted authority",
        source: "RFC 9110 section 4.3.4; Input pitfalls: Certificate checks that are switched off",
        fix: "Send a certificate for this name with all intermediate certificates. Name a private authority with --ca."
    ) { evidence in
        // An expired certificate is not trusted either, and another rule reports it.
        let running = evidence.tls.filter { tls in tls.facts.expiry.map { $0 > evidence.date } ?? true }
        return .of(running, none: evidence.tls.isEmpty ? none : "the certificate has expired") { tls in
            guard !tls.facts.isTrusted else { return nil }
            return evidence.finding(
                "the certificate is not trusted" + consequence(tls.origin, evidence), of: tls.origin)
        }
    }

    static let expiry = Rule(
        "tls-expiry", "The certificate does not expire soon", source: "RFC 5280 section 4.1.2.5",
        fix: "Renew the certificate, and automate the renewal."
    ) { evidence in
        let known = evidence.tls.compactMap { tls in tls.facts.expiry.map { (origin: tls.origin, expiry: $0) } }
        func day(_ date: Date) -> String { date.formatted(.iso8601.year().month().day()) }
        let ended = known.filter { $0.expiry <= evidence.date }
        guard ended.isEmpty else {
            return .of(ended, none: none) { origin, expiry in
                evidence.finding(
                    "the certificate expired on \(day(expiry))" + consequence(origin, evidence), of: origin)
            }
        }
        return .of(known, none: none, as: .warning) { origin, expiry in
            let expiresSoon = expiry < evidence.date + evidence.options.certificateExpiryWarning
            return expiresSoon ? evidence.finding("the certificate expires on \(day(expiry))", of: origin) : nil
        }
    }
}
