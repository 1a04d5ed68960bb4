import TestSupport
import Testing

@Suite(
    "Health and metrics", .serialized,
    .servedSample {
        $0.replacing("feed_password: true", with: "feed_password: true\n    fail_open: {enabled: true, lifetime: 10m}")
    })
struct MetricsTests {
    /// Runs the body and returns the growth of a series.
    private func growth(_ series: String, _ body: () async throws -> Void) async throws -> Int {
        let before = try await Sample.current.metric(series)
        try await body()
        return try await Sample.current.metric(series) - before
    }

    private func labels(_ result: String, _ publication: String = "daily") -> String {
        "{publication=\"\(publication)\",result=\"\(result)\"}"
    }

    @Test("Counts sign-ins, rejections, verifications, credentials and sign-outs by publication")
    func calls() async throws {
        let sample = try Sample.current
        let reader = sample.newReader()
        #expect(
            try await growth("gatefold_sign_ins_total" + labels("signed_in")) {
                _ = try await sample.signIn(reader)
                _ = try await sample.signIn(reader)
            } == 2)
        #expect(
            try await growth("gatefold_sign_ins_total" + labels("rejected")) {
                _ = try await sample.call("sign_in", ["email": reader.email, "password": "wrong"])
                _ = try await sample.call("sign_in", ["email": reader.email])
            } == 2)
        #expect(
            try await growth("gatefold_sign_ins_total" + labels("rejected", "weekly")) {
                _ = try await sample.call("sign_in", ["email": "a", "password": "b"], in: "weekly")
            } == 1)
        let token = try await sample.signIn(reader)
        #expect(
            try await growth("gatefold_verifications_total" + labels("active")) {
                _ = try await sample.state(of: token)
            } == 1)
        #expect(
            try await growth("gatefold_edition_credentials_total" + labels("issued")) {
                _ = try await sample.credentials(token, Sample.third)
            } == 1)
        #expect(
            try await growth("gatefold_edition_credentials_total" + labels("notentitled")) {
                _ = try await sample.credentials(token, "com.example.nothing")
            } == 1)
        #expect(
            try await growth("gatefold_renewals_total" + labels("renewed")) {
                _ = try await sample.call("renew", ["token": token])
            } == 1)
        #expect(
            try await growth("gatefold_sign_outs_total" + labels("signed_out")) {
                _ = try await sample.call("sign_out", ["token": token])
                _ = try await sample.call("sign_out", ["token": token])
            } == 1)
    }

    @Test("Counts gate decisions by entry point, publication and result")
    func decisions() async throws {
        let sample = try Sample.current
        let pair = try await sample.pair(try await sample.signIn(sample.newReader()), Sample.third)
        let cases: [(result: String, path: String, authorization: String?)] = [
            ("allowed_credentials", "\(Sample.third).zip", pair), ("allowed_free", "\(Sample.free).zip", nil),
            ("allowed_open", "covers/\(Sample.third).jpg", nil), ("wrong_password", "\(Sample.second).zip", pair),
            ("missing_credentials", "\(Sample.third).zip", nil), ("feed_credentials", "feed.xml", pair),
        ]
        for (result, path, authorization) in cases {
            let labels = "publication=\"daily\",result=\"\(result)\"}"
            #expect(
                try await growth("gatefold_gate_decisions_total{entry_point=\"file_server\",\(labels)") {
                    _ = try await sample.download("daily/\(path)", authorization)
                } == 1, "\(result)")
            let fields = authorization.map { [("Authorization", $0)] } ?? []
            #expect(
                try await growth("gatefold_gate_decisions_total{entry_point=\"auth_request\",\(labels)") {
                    _ = try await sample.http.send(
                        "GET", "/auth-request/original-uri", fields + [("X-Original-URI", "/content/daily/\(path)")])
                } == 1, "\(result)")
        }
    }

    @Test("Counts evicted devices")
    func devices() async throws {
        let sample = try Sample.current
        let reader = sample.newReader()
        #expect(
            try await growth("gatefold_devices_evicted_total" + labels("evicted")) {
                for device in 1...5 { _ = try await sample.signIn(reader, device: "device \(device)") }
            } == 2)
    }

    @Test("Counts requests by route, so unknown paths create no new series")
    func routes() async throws {
        let sample = try Sample.current
        #expect(
            try await growth("gatefold_requests_total{route=\"none\",status=\"404\"}") {
                for number in 1...20 { _ = try await sample.http.send("GET", "/random-\(number)") }
            } == 20)
        #expect(try await !sample.admin.send("GET", "/metrics").text.contains("random"))
    }

    @Test("Pitfall 10: failing open issues credentials to valid tokens only and counts each")
    func failOpen() async throws {
        let sample = try Sample.current
        let token = try await sample.signIn(sample.newReader())
        let ended = try await sample.signIn(sample.newReader())
        _ = try await sample.call("sign_out", ["token": ended])
        let weekly = try await sample.signIn(Sample.ada.email, "another engine", in: "weekly")
        let forged = String(token.dropLast()) + (token.hasSuffix("A") ? "B" : "A")
        try await sample.withoutTable("subscriber", in: "house") {
            let failures = try await growth("gatefold_backend_failures_total" + labels("house")) {
                let verified = try await sample.call("verify_subscription", ["token": token])
                #expect(verified.status == 503)
                #expect(verified["Retry-After"] != nil)
                let signedIn = try await sample.call(
                    "sign_in", ["email": Sample.ada.email, "password": Sample.ada.password])
                #expect(signedIn.status == 503)
            }
            #expect(failures >= 2)
            let opened = try await growth("gatefold_fail_open_total" + labels("issued")) {
                let pair = try await sample.pair(token, Sample.third)
                let download = try await sample.download("daily/\(Sample.third).zip", pair)
                #expect(download.status == 200)
            }
            #expect(opened == 1)
            let others = try await growth("gatefold_fail_open_total" + labels("issued")) {
                for rejected in [forged, ended, weekly, "nonsense", ""] {
                    let response = try await sample.credentials(rejected, Sample.third)
                    #expect(response.error == "notrecognised")
                }
            }
            #expect(others == 0)
        }
        #expect(try await sample.state(of: token) == "active")
    }

    @Test("Readiness depends on the state store, and liveness does not")
    func readiness() async throws {
        let sample = try Sample.current
        for http in [sample.http, sample.admin] {
            #expect(try await http.send("GET", "/readyz").status == 200)
        }
        try await sample.withoutTable("revocation", in: "state") {
            for http in [sample.http, sample.admin] {
                // The state is probed at most once a second.
                var ready = try await http.send("GET", "/readyz")
                try await eventually("not ready", within: .seconds(2)) {
                    ready = try await http.send("GET", "/readyz")
                    return ready.status == 503
                }
                expectNoCache(ready, "not ready")
                let alive = try await http.send("GET", "/healthz")
                #expect(alive.status == 200)
            }
        }
        try await eventually("ready again", within: .seconds(2)) {
            try await sample.http.send("GET", "/readyz").status == 200
        }
    }
}
