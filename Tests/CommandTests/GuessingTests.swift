import TestSupport
import Testing

@Suite("Guessing, asked directly", .serialized, .servedSample())
struct GuessingTests {
    @Test("Pitfall 19: ten wrong guesses at a reader are answered, the eleventh is told to wait")
    func throttled() async throws {
        let sample = try Sample.current
        let email = "nobody@example.com"
        for guess in 1...10 {
            let answer = try await sample.call("sign_in", ["email": email, "password": "guess \(guess)"])
            #expect(answer.error == "notrecognised", "\(guess)")
            #expect(answer["Retry-After"] == nil)
        }
        let answer = try await sample.call("sign_in", ["email": email, "password": "guess 11"])
        #expect(answer.status == 200)
        #expect(answer.error == "throttled")
        #expect(try #require(answer["Retry-After"].flatMap { Int($0) }) >= 1)
        // The same wrong password again is no new guess, so an app that repeats itself locks nobody out.
        let again = try await sample.call("sign_in", ["email": email, "password": "guess 1"])
        #expect(again.error == "notrecognised")
    }

    @Test("Pitfall 6: an unknown reader and a wrong password have the same answer, byte for byte")
    func sameBytes() async throws {
        let sample = try Sample.current
        let emails = ["absent@example.com", sample.newReader().email, "grace@example.com", "edsger@example.com"]
        for style in Style.allCases {
            var answers: [[String]] = []
            for email in emails {
                let answer = try await sample.call("sign_in", ["email": email, "password": "wrong"], style)
                answers.append(
                    answer.fields.filter { $0.name.lowercased() != "date" }.map { "\($0.name): \($0.value)" }
                        + ["\(answer.status)", answer.text])
            }
            #expect(Set(answers).count == 1, "\(style): \(answers)")
        }
    }
}

@Suite(
    "Addresses that nobody vouches for", .serialized,
    .servedSample {
        // Whoever forwards from this machine without being trusted has a limit of its own for all that is forwarded.
        $0.replacing("per_address: 100000", with: "per_address: 20, per_unlisted_proxy: 20")
    })
struct UntrustedAddressTests {
    @Test(
        "Pitfall 11: headers of a stranger change nothing about whose guesses are counted",
        arguments: [
            "X-Forwarded-For", "x_forwarded_for", "X.Forwarded.For", "X-Real-IP", "Forwarded", "True-Client-IP",
        ])
    func forged(name: String) async throws {
        let sample = try Sample.current
        var throttled = 0
        for guess in 1...21 {
            let value = name == "Forwarded" ? "for=192.0.2.\(guess)" : "192.0.2.\(guess)"
            let answer = try await sample.call(
                "sign_in", ["email": "\(name)-\(guess)@example.com", "password": "wrong"],
                headers: [(name, value), (name, value), ("Connection", name)])
            if answer.error == "throttled" { throttled += 1 }
        }
        #expect(throttled >= 1)
    }

    @Test("requests that a proxy on this machine forwards without being trusted are counted and warned of")
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
    "Addresses that a trusted proxy names", .serialized,
    .servedSample {
        $0.replacing("100000", with: "20").replacing("server: {", with: "server: {trusted_proxies: [127.0.0.1], ")
    })
struct TrustedAddressTests {
    private func guess(_ email: String, _ password: String, from address: String, device: String? = nil) async throws
        -> RawResponse
    {
        var fields = ["email": email, "password": password]
        if let device { fields["device"] = device }
        return try await Sample.current.call("sign_in", fields, headers: [("X-Forwarded-For", address)])
    }

    @Test("Pitfall 11: each forwarded address is counted by itself, as the proxy saw it")
    func counted() async throws {
        for number in 1...20 {
            // What stands left of the proxy's own entry was written by the client.
            let answer = try await guess(
                "many-\(number)@example.com", "wrong", from: "198.51.100.\(number), 203.0.113.1")
            #expect(answer.error == "notrecognised", "\(number)")
        }
        #expect(try await guess("many-21@example.com", "wrong", from: "203.0.113.1").error == "throttled")
        #expect(try await guess("many-22@example.com", "wrong", from: "203.0.113.2").error == "notrecognised")
    }

    @Test("Pitfall 19: while somebody guesses at a reader, the reader's own device still gets in")
    func knownDevice() async throws {
        let reader = try Sample.current.newReader()
        #expect(
            try await guess(reader.email, reader.password, from: "192.0.2.1", device: "phone").element("token") != nil)
        for number in 1...10 {
            _ = try await guess(reader.email, "guess \(number)", from: "192.0.2.66", device: "forged")
        }
        #expect(try await guess(reader.email, "guess 11", from: "192.0.2.66").error == "throttled")
        // A right password that nobody vouches for waits, too: else the throttle would tell which one is right.
        #expect(
            try await guess(reader.email, reader.password, from: "192.0.2.66", device: "new").error == "throttled")
        #expect(
            try await guess(reader.email, reader.password, from: "192.0.2.3", device: "phone").element("token") != nil)
        #expect(
            try await guess(reader.email, reader.password, from: "192.0.2.1", device: "tablet").element("token") != nil)
    }
}
