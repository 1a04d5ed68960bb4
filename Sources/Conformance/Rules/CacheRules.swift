/// The rules that no intermediary may store a response, because responses to calls must never be cached.
///
/// Source: Pugpig protocol, “Caching headers”.
enum CacheRules {
    static let all = [
        success, rejection, notFound, method, head, malformed, noStore, validators, cookies, deception, hit,
    ]

    private static let source = "Pugpig protocol: Caching headers; Pitfall 16; RFC 9111 section 5.2.2"
    private static let fix =
        "Send “Cache-Control: no-store, no-cache, must-revalidate, private, max-age=0” from one place that handles "
        + "every response, errors included."

    static let success = Rule(
        "cache-success", "Responses to successful calls forbid caching", source: source, fix: fix
    ) { evidence in
        let requested = evidence.exchanges(.ordinary, .renewal, .renewed, .renewalAgain)
        return .eachResponse(requested, none: "no reader is known", problem)
    }

    static let rejection = Rule(
        "cache-refusal", "Refusals and failures forbid caching", source: source, fix: fix
    ) { evidence in
        let requested = evidence.exchanges(
            .unknownReader, .wrongProof, .notEntitled, .forgedToken, .missingToken, .missingProduct, .failing)
        return .eachResponse(requested, none: "no refusal was received", problem)
    }

    static let notFound = Rule(
        "cache-not-found", "Responses to unknown paths forbid caching", source: source, fix: fix
    ) {
        .eachResponse(
            $0.exchanges(.unknownPath, .fileBehindCall), none: "no response to an unknown path was received", problem)
    }

    static let method = Rule(
        "cache-method", "Responses to other methods forbid caching", source: source, fix: fix
    ) { .eachResponse($0.exchanges(.otherMethod), none: "no response to another method was received", problem) }

    static let head = Rule(
        "cache-head", "Responses to HEAD forbid caching", source: source, fix: fix
    ) { .eachResponse($0.exchanges(.head), none: "no reader is known", problem) }

    static let malformed = Rule(
        "cache-malformed", "Responses to malformed requests forbid caching", source: source, fix: fix
    ) { .eachResponse($0.malformed, none: "no response to a malformed request was received", problem) }

    static let noStore = Rule(
        "cache-no-store", "Responses also have no-store", source: "Pitfall 16; RFC 9111 section 5.2.2.5",
        fix: "Add no-store: with no-cache alone, a cache may store the response on disk and revalidate it before each "
            + "use."
    ) { evidence in
        // Another rule reports responses that lack no-cache too.
        let compliant = evidence.direct.filter { $0.response.map { problem($0) == nil } ?? false }
        return .eachResponse(compliant, none: "no response forbids caching", as: .warning) { response in
            response.items("Cache-Control").contains("no-store") ? nil : "Cache-Control lacks no-store"
        }
    }

    static let validators = Rule(
        "cache-validators", "No response has a validator", source: "Pitfall 16; RFC 9111 section 4.3",
        fix:
            "Remove ETag and Last-Modified: with a validator, a cache may revalidate a stored response and use it "
            + "again."
    ) { evidence in
        .eachResponse(evidence.direct, none: "no response was received") { response in
            ["ETag", "Last-Modified"].first { response[$0] != nil }.map { "the response has \($0)" }
        }
    }

    static let cookies = Rule(
        "cache-cookies", "No response sets a cookie", source: "Pitfall 16",
        fix:
            "Do not start a session: an app stores only the token, and a cookie from a cache belongs to another "
            + "reader's session."
    ) { evidence in
        .eachResponse(evidence.direct, none: "no response was received") { response in
            response["Set-Cookie"] == nil ? nil : "the response has Set-Cookie"
        }
    }

    static let deception = Rule(
        "cache-deception", "A file name behind a call is not found", source: "Pitfall 16",
        fix:
            "Return 404 for anything behind a call's name: a cache that decides by file extension would store "
            + "/verify_subscription/x.css."
    ) { evidence in
        .eachResponse(evidence.exchanges(.fileBehindCall), none: "no response to the path was received") { response in
            (400..<500).contains(response.status)
                ? nil : "the HTTP status is \(response.status), as if the path were the call"
        }
    }

    static let hit = Rule(
        "cache-hit", "No response comes from a cache",
        source: "Pugpig protocol: Caching headers; Pitfall 16; RFC 9111 section 5.1",
        fix:
            "Let every intermediary pass these paths through: a stored response belongs to another reader or is "
            + "outdated."
    ) { evidence in
        .eachResponse(evidence.direct, none: "no response was received") { response in
            CacheHit.sign(of: response).map { "a cache reports a hit (\($0))" }
        }
    }

    /// Returns the fault in a response's caching fields, or nil if there is none.
    static func problem(_ response: ReceivedResponse) -> String? {
        let directives = response.items("Cache-Control")
        if directives.contains("no-store") || directives.contains("no-cache") { return nil }
        return directives.isEmpty
            ? "Cache-Control is missing"
            : "Cache-Control is \(Printable.quote(response["Cache-Control"] ?? "")), with neither no-store nor no-cache"
    }
}
