import TestSupport
import Testing

@Suite("Login throttle for direct clients", .serialized, .servedSample())
struct LoginThrottlingTests {
    @Test("Pitfall 19: after ten wrong attempts at a reader, the eleventh is throttled")
    func throttled() async throws {
        let sample = try Sample.current
        let email = "nobody@example.com"
        for tryLogin in 1...10 {
            let response = try await sample.call("sign_in", ["email": email, "password": "guess \(tryLogin)"])
            #expect(response.error == "notrecognised", "\(tryLogin)")
            #expect(response["Retry-After"] == nil)
        }
        let response = try await sample.call("sign_in", ["email": email, "password": "guess 11"])
        #expect(response.status == 200)
        #expect(response.error == "throttled")
        #expect(try #require(response["Retry-After"].flatMap { Int($0) }) >= 1)
        // The same wrong password is not a new attempt, so an app that repeats it locks no reader out.
        let again = try await sample.call("sign_in", ["email": email, "password": "guess 1"])
        #expect(again.error == "notrecognised")
    }

    @Test("Pitfall 6: an unknown reader and a wrong password get the same response, byte for byte")
    func sameBytes() async throws {
        let sample = try Sample.current
        let emails = ["absent@example.com", sample.newReader().email, "grace@example.com", "edsger@example.com"]
        for style in Style.allCases {
            var responses: [[String]] = []
            for email in emails {
                let response = try await sample.call("sign_in", ["email": email, "password": "wrong"], style)
                responses.append(
                    response.fields.filter { !["date", "x-request-id"].contains($0.name.lowercased()) }.map {
                        "\($0.name): \($0.value)"
                    }
                        + ["\(response.status)", response.text])
            }
            #expect(Set(responses).count == 1, "\(style): \(responses)")
        }
    }
}

@Suite(
    "Forwarded addresses without a trusted proxy", .serialized,
    .servedSample {
        // An untrusted forwarder on this machine has a separate limit for all forwarded requests.
        $0.replacing("per_address: 100000", with: "per_address: 20, per_unlisted_proxy: 20")
    })
struct UntrustedAddressTests {
    @Test(
        "Pitfall 11: forged headers do not change the address that is throttled",
        arguments: [
            "X-Forwarded-For", "x_forwarded_for", "X.Forwarded.For", "X-Real-IP", "Forwarded", "True-Client-IP",
        ])
    func forged(name: String) async throws {
        let sample = try Sample.current
        var throttled = 0
        for tryLogin in 1...21 {
            let value = name == "Forwarded" ? "for=192.0.2.\(tryLogin)" : "192.0.2.\(tryLogin)"
            let response = try await sample.call(
                "sign_in", ["email": "\(name)-\(tryLogin)@example.com", "password": "wrong"],
                headers: [(name, value), (name, value), ("Connection", name)])
            if response.error == "throttled" { throttled += 1 }
        }
        #expect(throttled >= 1)
    }

    @Test("Requests of an unlisted local proxy are counted")
    func unlistedProxy() async throws {
        let sample = try Sample.current
        let series = "gatefold_unlisted_proxy_requests_total{network=\"local\"}"
        let before = try await sample.metric(series)
        for number in 1...3 {
            _ = try await sample.call(
                "sign_in", ["email": "unlisted-\(number)@example.com", "password": "wrong"],
                headers: [("X-Forwarded-For", "192.0.2.\(number)")])
        }
        #expect(try await sample.metric(series) - before == 3)
    }
}

@Suite(
    "Forwarded addresses of a trusted proxy", .serialized,
    .servedSample {
        $0.replacing("100000", with: "20").replacing("server: {", with: "server: {trusted_proxies: [127.0.0.1], ")
    })
struct TrustedAddressTests {
    private func tryLogin(_ email: String, _ password: String, from address: String, device: String? = nil) async throws
        -> RawResponse
    {
        var fields = ["email": email, "password": password]
        if let device { fields["device"] = device }
        return try await Sample.current.call("sign_in", fields, headers: [("X-Forwarded-For", address)])
    }

    @Test("Pitfall 11: each forwarded address is throttled separately, as seen by the proxy")
    func counted() async throws {
        for number in 1...20 {
            // The client wrote the part left of the proxy's own entry.
            let response = try await tryLogin(
                "many-\(number)@example.com", "wrong", from: "198.51.100.\(number), 203.0.113.1")
            #expect(response.error == "notrecognised", "\(number)")
        }
        #expect(try await tryLogin("many-21@example.com", "wrong", from: "203.0.113.1").error == "throttled")
        #expect(try await tryLogin("many-22@example.com", "wrong", from: "203.0.113.2").error == "notrecognised")
    }

    @Test("Pitfall 19: the reader's known device gets in during an attack on the account")
    func knownDevice() async throws {
        let reader = try Sample.current.newReader()
        #expect(
            try await tryLogin(reader.email, reader.password, from: "192.0.2.1", device: "phone").element("token")
                != nil)
        for number in 1...10 {
            _ = try await tryLogin(reader.email, "guess \(number)", from: "192.0.2.66", device: "forged")
        }
        #expect(try await tryLogin(reader.email, "guess 11", from: "192.0.2.66").error == "throttled")
        // A correct password of an unknown device waits too, because the throttle would otherwise reveal it.
        #expect(
            try await tryLogin(reader.email, reader.password, from: "192.0.2.66", device: "new").error == "throttled")
        #expect(
            try await tryLogin(reader.email, reader.password, from: "192.0.2.3", device: "phone").element("token")
                != nil)
        #expect(
            try await tryLogin(reader.email, reader.password, from: "192.0.2.1", device: "tablet").element("token")
                != nil)
    }
}
