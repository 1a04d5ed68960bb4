import Foundation
import TestSupport
import Testing

/// Checks that the response of a refused call, its line and its metric belong together.
@Suite("Refusals", .serialized, .servedSample(Sample.refusing))
struct RefusalTests {
    /// A refusal as operators see it.
    private struct Expected {
        let reason: String
        let call: String
        var publication: String? = "daily"
        var backend: String?
        var freshness: String?
        var namesReader = false
    }

    private func expect(
        _ expected: Expected, sourceLocation: SourceLocation = #_sourceLocation,
        _ send: (Sample) async throws -> RawResponse
    ) async throws {
        let sample = try Sample.current
        let series =
            "gatefold_refusals_total{publication=\"\(expected.publication ?? "none")\",call=\"\(expected.call)\","
            + "reason=\"\(expected.reason)\"}"
        let before = try await sample.metric(series)
        let response = try await send(sample)
        let id = try #require(response["X-Request-Id"], sourceLocation: sourceLocation)
        #expect(response.values(of: "X-Request-Id").count == 1, sourceLocation: sourceLocation)
        let lines = LogLine.of(request: id, in: try Sample.server)
        let refusals = lines.filter { $0["message"] == "Refused" }
        #expect(refusals.count == 1, "\(lines.map(\.fields))", sourceLocation: sourceLocation)
        let line = try #require(refusals.first, sourceLocation: sourceLocation)
        #expect(line["level"] == "info", sourceLocation: sourceLocation)
        #expect(line["reason"] == expected.reason, sourceLocation: sourceLocation)
        #expect(line["call"] == expected.call, sourceLocation: sourceLocation)
        #expect(line["publication"] == expected.publication, sourceLocation: sourceLocation)
        if let backend = expected.backend { #expect(line["backend"] == backend, sourceLocation: sourceLocation) }
        #expect(line["freshness"] == expected.freshness, sourceLocation: sourceLocation)
        #expect((line["subscriber"] != nil) == expected.namesReader, sourceLocation: sourceLocation)
        #expect((line["client"] ?? line["proxy"]) == "127.0.0.1", sourceLocation: sourceLocation)
        #expect(lines.contains { $0["message"] == "request" }, sourceLocation: sourceLocation)
        #expect(try await sample.metric(series) == before + 1, sourceLocation: sourceLocation)
    }

    /// Returns the series of the gate's decisions on downloads.
    private static func decisions(_ result: String) -> String {
        "gatefold_gate_decisions_total{entry_point=\"file_server\",publication=\"daily\",result=\"\(result)\"}"
    }

    // MARK: Pugpig

    @Test("Pugpig sign-in: an unknown reader and a wrong password have one reason")
    func wrongCredentials() async throws {
        for email in ["nobody@example.com", Sample.ada.email] {
            try await expect(
                Expected(
                    reason: "wrong_credentials", call: "sign_in", backend: "house", freshness: "live",
                    namesReader: email == Sample.ada.email)
            ) { try await $0.call("sign_in", ["email": email, "password": "no"]) }
        }
    }

    @Test("Pugpig sign-in: missing credentials, a throttled reader and a device too many")
    func signIn() async throws {
        try await expect(Expected(reason: "missing_credentials", call: "sign_in")) {
            try await $0.call("sign_in", ["email": "a@example.com"])
        }
        let sample = try Sample.current
        for number in 1...10 {
            _ = try await sample.call("sign_in", ["email": "guessed@example.com", "password": "\(number)"])
        }
        try await expect(Expected(reason: "throttled", call: "sign_in")) {
            try await $0.call("sign_in", ["email": "guessed@example.com", "password": "11"])
        }
        let reader = sample.newReader()
        _ = try await sample.signIn(reader, device: "first")
        try await expect(Expected(reason: "device_limit", call: "sign_in", namesReader: true)) {
            try await $0.call("sign_in", ["email": reader.email, "password": reader.password, "device": "second"])
        }
    }

    @Test(
        "Pugpig tokens: missing, unreadable and of a session that ended",
        arguments: [
            ("verify_subscription", "verify"), ("renew_token", "renew"), ("edition_credentials", "edition_credentials"),
        ])
    func tokens(path: String, call: String) async throws {
        try await expect(Expected(reason: "token_missing", call: call)) { try await $0.call(path) }
        try await expect(Expected(reason: "token_unreadable", call: call)) { try await $0.call(path, ["token": "x"]) }
        let sample = try Sample.current
        let token = try await sample.signIn(sample.newReader())
        _ = try await sample.call("sign_out", ["token": token])
        try await expect(Expected(reason: "session_revoked", call: call, namesReader: true)) {
            try await $0.call(path, ["token": token, "product_id": Sample.second])
        }
    }

    @Test(
        "Pugpig editions: each reason has the publication's own message",
        arguments: [
            ("grace@example.com", "nanosecond", Sample.third, "subscription_lapsed", "Lapsed."),
            ("edsger@example.com", "shortest path", Sample.third, "reader_suspended", "Please call us."),
            (Sample.ada.email, Sample.ada.password, "com.example.daily.no-such", "unknown_edition", "Unknown."),
            (Sample.ada.email, Sample.ada.password, Sample.unpublished, "not_yet_published", "Not yet."),
        ])
    func editions(email: String, password: String, edition: String, reason: String, message: String) async throws {
        let token = try await Sample.current.signIn(email, password)
        let isByBackend = reason != "not_yet_published"
        try await expect(
            Expected(
                reason: reason, call: "edition_credentials", backend: isByBackend ? "house" : nil,
                freshness: isByBackend ? "live" : nil, namesReader: true)
        ) {
            let response = try await $0.credentials(token, edition)
            #expect(response.error == "notentitled")
            if reason != "reader_suspended" { #expect(response.text.contains(message), "\(response.text)") }
            return response
        }
    }

    @Test("Pugpig editions: one that the subscription does not include has the same message as before")
    func notIncluded() async throws {
        let token = try await Sample.current.signIn("zoe@example.com", "zebra", in: "weekly")
        try await expect(
            Expected(
                reason: "not_included", call: "edition_credentials", publication: "weekly", backend: "other",
                freshness: "live", namesReader: true)
        ) {
            let response = try await $0.credentials(token, Sample.third, in: "weekly")
            #expect(response.text.contains("Your subscription does not include this edition."))
            return response
        }
    }

    @Test("Pugpig verification: a lapsed and a suspended subscription")
    func verification() async throws {
        for (email, password, reason) in [
            ("grace@example.com", "nanosecond", "subscription_lapsed"),
            ("edsger@example.com", "shortest path", "reader_suspended"),
        ] {
            let token = try await Sample.current.signIn(email, password)
            try await expect(
                Expected(reason: reason, call: "verify", backend: "house", freshness: "live", namesReader: true)
            ) { try await $0.call("verify_subscription", ["token": token]) }
        }
    }

    @Test("Pugpig: an outage of the subscriber system, a publication that does not exist, and a malformed request")
    func otherPugpigCalls() async throws {
        try await expect(
            Expected(reason: "backend_unavailable", call: "sign_in", publication: "outage", backend: "down")
        ) { try await $0.call("sign_in", ["email": "a", "password": "b"], in: "outage") }
        try await expect(Expected(reason: "unknown_publication", call: "sign_in", publication: nil)) {
            try await $0.call("sign_in", in: "absent")
        }
        try await expect(Expected(reason: "malformed_request", call: "sign_in")) {
            try await $0.http.post("/sign_in", [("Content-Type", "application/json")], Array("{".utf8))
        }
    }

    @Test("An accepted call has no refusal")
    func accepted() async throws {
        let sample = try Sample.current
        let response = try await sample.call("sign_in", ["email": Sample.ada.email, "password": Sample.ada.password])
        let lines = LogLine.of(request: try #require(response["X-Request-Id"]), in: try Sample.server)
        #expect(Set(lines.compactMap { $0["message"] }) == ["Signed in", "request"])
    }

    // MARK: The gate

    @Test("Downloads: missing, wrong and revoked credentials, a missing file, unknown content and two credentials")
    func downloads() async throws {
        let sample = try Sample.current
        let path = "daily/\(Sample.second).zip"
        try await expect(Expected(reason: "edition_credentials_missing", call: "download")) {
            let response = try await $0.download(path)
            #expect(response.status == 403)
            return response
        }
        try await expect(Expected(reason: "edition_credentials_wrong", call: "download")) {
            try await $0.download(path, basic("salt", String(repeating: "0", count: 40)))
        }
        let token = try await sample.signIn(sample.newReader())
        let missing = try await sample.pair(token, Sample.fileless)
        let allowed = Self.decisions("allowed_credentials")
        let (before, denied) = (
            try await sample.metric(allowed), try await sample.metric(Self.decisions("file_missing"))
        )
        try await expect(Expected(reason: "file_missing", call: "download", namesReader: true)) {
            let response = try await $0.download("daily/\(Sample.fileless).zip", missing)
            #expect(response.status == 404)
            return response
        }
        // One download is one decision.
        #expect(try await sample.metric(allowed) == before + 1)
        #expect(try await sample.metric(Self.decisions("file_missing")) == denied)
        let pair = try await sample.pair(token, Sample.second)
        _ = try await sample.call("sign_out", ["token": token])
        try await expect(Expected(reason: "session_revoked", call: "download", namesReader: true)) {
            try await $0.download(path, pair)
        }
        try await expect(Expected(reason: "unknown_content", call: "download")) {
            try await $0.download("daily/")
        }
        try await expect(Expected(reason: "malformed_request", call: "download", publication: nil)) {
            try await $0.download(path, pair, [("Authorization", pair)])
        }
    }

    // MARK: Other front doors

    @Test("Baker: a malformed receipt, an edition that is unknown, not yet published or not bought, and unknown apps")
    func baker() async throws {
        let app = "com.example.shop"
        let reader = "reader-1"
        try await expect(
            Expected(reason: "receipt_malformed", call: "purchase", publication: "shop")
        ) { try await $0.http.post("/confirmpurchase/\(app)/\(reader)", [], []) }
        for (edition, reason) in [
            ("no-such", "unknown_edition"), (Sample.unpublished, "not_yet_published"), (Sample.second, "not_included"),
        ] {
            try await expect(Expected(reason: reason, call: "edition_credentials", publication: "shop")) {
                let response = try await $0.http.send("GET", "/issue/\(app)/\(reader)/\(edition)")
                #expect(response.status >= 400)
                return response
            }
        }
        try await expect(Expected(reason: "unknown_publication", call: "access", publication: nil)) {
            try await $0.http.send("GET", "/purchases/com.example.other/\(reader)")
        }
        try await expect(Expected(reason: "malformed_request", call: "access", publication: "shop")) {
            try await $0.http.send("GET", "/purchases/\(app)/")
        }
    }

    @Test("Basispress: a receipt without a store, a malformed one and unknown readers")
    func basispress() async throws {
        for (query, reason, publication) in [
            ("id=com.example.shop&data=AAAA", "receipt_without_store", "shop"),
            ("id=com.example.shop", "receipt_malformed", "shop"), ("id=other", "unknown_publication", nil),
            ("", "malformed_request", nil),
        ] as [(String, String, String?)] {
            try await expect(
                Expected(reason: reason, call: "edition_credentials", publication: publication)
            ) { try await $0.http.send("GET", "/api/receipt.json?\(query)") }
        }
    }

    @Test("Cloud Softphone: an incomplete purchase, and one that is no receipt")
    func cloudSoftphone() async throws {
        try await expect(Expected(reason: "malformed_request", call: "purchase", publication: "shop")) {
            try await $0.http.send("GET", "/shop/iap")
        }
        try await expect(Expected(reason: "receipt_malformed", call: "purchase", publication: "shop")) {
            try await $0.http.send("GET", "/shop/iap?receipt=%7B%7D&productCode=p&username=u")
        }
    }

    @Test("InPlayer: wrong credentials, missing and unreadable tokens, unknown merchants and calls")
    func inPlayer() async throws {
        let form = [("Content-Type", "application/x-www-form-urlencoded")]
        try await expect(
            Expected(
                reason: "wrong_credentials", call: "sign_in", publication: "shop", backend: "house", freshness: "live")
        ) {
            try await $0.http.post(
                "/accounts/authenticate", form,
                Array("client_id=\(Sample.merchant)&username=nobody&password=x&grant_type=password".utf8))
        }
        for (fields, reason) in [([], "token_missing"), ([("Authorization", "Bearer x")], "token_unreadable")] {
            try await expect(Expected(reason: reason, call: "account", publication: "shop")) {
                try await $0.http.send("GET", "/shop/accounts", fields)
            }
        }
        try await expect(Expected(reason: "unknown_publication", call: "account", publication: nil)) {
            try await $0.http.post(
                "/accounts", form, Array("merchant_uuid=00000000-0000-0000-0000-000000000000".utf8))
        }
        try await expect(Expected(reason: "malformed_request", call: "other", publication: "shop")) {
            try await $0.http.send("GET", "/shop/accounts/no/such/call")
        }
    }

    @Test("Links and store messages: an unreadable token, and a store that does not exist")
    func others() async throws {
        try await expect(Expected(reason: "token_unreadable", call: "linking", publication: "shop")) {
            try await $0.http.post(
                "/shop/link", [("Content-Type", "application/x-www-form-urlencoded")],
                Array("app_id=com.example.shop&user_id=u&token=x".utf8))
        }
        try await expect(Expected(reason: "unknown_publication", call: "store_notification", publication: nil)) {
            try await $0.http.post("/notifications/no-such", [], [])
        }
    }

    // MARK: Request ids

    @Test("A trusted proxy's valid request id is in the response and in all lines")
    func proxyID() async throws {
        let sample = try Sample.current
        let id = "edge.1_a-B"
        let response = try await sample.call(
            "sign_in", ["email": "nobody@example.com", "password": "x"], headers: Sample.from("203.0.113.9", id: id))
        #expect(response.values(of: "X-Request-Id") == [id])
        let lines = LogLine.of(request: id, in: try Sample.server)
        #expect(lines.compactMap { $0["client"] } == ["203.0.113.9", "203.0.113.9"])
    }

    @Test(
        "Another request id is replaced",
        arguments: ["", String(repeating: "a", count: 65), "a b", "a\"b", "ä", "a,b", "a=b", "%0a"])
    func invalidID(id: String) async throws {
        let sample = try Sample.current
        let response = try await sample.call("verify_subscription", headers: [("X-Request-Id", id)])
        #expect(try #require(response["X-Request-Id"]).wholeMatch(of: /[0-9a-z]{13}/) != nil)
    }

    @Test(
        "Every response has a request id",
        arguments: [
            "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n", "GET /nothing HTTP/1.1\r\nHost: a\r\n\r\n",
            "GET /healthz HTTP/1.0\r\n\r\n", "PUT /sign_in HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n",
            "HEAD /verify_subscription HTTP/1.1\r\nHost: a\r\n\r\n", "nonsense\r\n\r\n",
        ])
    func allResponses(request: String) async throws {
        let sample = try Sample.current
        for http in [sample.http, sample.admin] {
            let response = try await http.exchange(
                Array(request.utf8), isHead: request.hasPrefix("HEAD"), isLast: !request.contains("1.1"))
            #expect(response.values(of: "X-Request-Id").count == 1, "\(response)")
        }
    }

    // MARK: Hostile values

    @Test(
        "Values of a hostile client reach no line of a refusal",
        arguments: [
            "\",\"client\":\"198.51.100.1\",\"x\":\"", "a\nRefused client=198.51.100.1",
            "a client=198.51.100.1 reason=throttled",
            "\u{202E}\u{0}\u{1B}[2J",
        ])
    func hostileValues(value: String) async throws {
        let sample = try Sample.current
        let response = try await sample.call(
            "sign_in", ["email": value, "password": value, "device": value],
            headers: [("User-Agent", "a client=198.51.100.1"), ("X-Forwarded-For", "198.51.100.1 \"x")])
        let id = try #require(response["X-Request-Id"])
        let line = try #require(
            LogLine.of(request: id, in: try Sample.server).first { $0["message"] == "Refused" })
        #expect((line["client"] ?? line["proxy"]) == "127.0.0.1")
        #expect(!line.fields.values.contains { $0.contains("198.51.100.1") || $0.contains("a client") })
        _ = try await sample.credentials(try await sample.signIn(sample.newReader()), value)
        #expect(try !Sample.server.output.contains("198.51.100.1"))
    }
}
