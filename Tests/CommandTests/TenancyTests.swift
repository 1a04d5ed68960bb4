import TestSupport
import Testing

@Suite("Two publications in one process", .serialized, .servedSample())
struct TenancyTests {
    @Test("Pitfall 7: one identifier in two publications is two readers with separate passwords")
    func passwords() async throws {
        let sample = try Sample.current
        let email = Sample.ada.email
        // The correct password comes first, so a shared cache would show.
        _ = try await sample.signIn(email, Sample.ada.password)
        for (publication, wrong) in [("weekly", Sample.ada.password), ("daily", "another engine")] {
            for spelling in [email, "ADA@EXAMPLE.COM", " \(email) "] {
                let response = try await sample.call(
                    "sign_in", ["email": spelling, "password": wrong], in: publication)
                #expect(response.error == "notrecognised", "\(publication) \(spelling)")
            }
        }
        let weekly = try await sample.signIn(email, "another engine", in: "weekly")
        let verified = try await sample.call("verify_subscription", ["token": weekly], in: "weekly")
        #expect(Set(verified.elements("issue")) == [Sample.weekly, Sample.second])
    }

    @Test("Pitfall 7: a token of one publication is invalid in the other")
    func tokens() async throws {
        let sample = try Sample.current
        let daily = try await sample.signIn(Sample.ada.email, Sample.ada.password)
        let weekly = try await sample.signIn(Sample.ada.email, "another engine", in: "weekly")
        for (token, other) in [(daily, "weekly"), (weekly, "daily")] {
            #expect(try await sample.state(of: token, in: other) == "unknown")
            #expect(try await sample.credentials(token, Sample.second, in: other).error == "notrecognised")
            #expect(try await sample.call("renew", ["token": token], in: other).error == "notrecognised")
            #expect(try await sample.call("sign_out", ["token": token], in: other).status == 200)
        }
        #expect(try await sample.state(of: daily) == "active")
        #expect(try await sample.state(of: weekly, in: "weekly") == "active")
    }

    @Test(
        "Pitfall 7: edition credentials open nothing in the other publication, not even an edition with the same id")
    func credentials() async throws {
        let sample = try Sample.current
        let daily = try await sample.pair(
            try await sample.signIn(Sample.ada.email, Sample.ada.password), Sample.second)
        let weekly = try await sample.pair(
            try await sample.signIn(Sample.ada.email, "another engine", in: "weekly"), Sample.second, in: "weekly")
        #expect(try await sample.download("daily/\(Sample.second).zip", daily).status == 200)
        #expect(try await sample.download("weekly/\(Sample.second).zip", weekly).text == "the weekly's own")
        #expect(try await sample.download("weekly/\(Sample.second).zip", daily).status == 403)
        #expect(try await sample.download("daily/\(Sample.second).zip", weekly).status == 403)
    }

    @Test("Pitfall 12: test readers are unknown to real publications, and real credentials open no test")
    func madeUp() async throws {
        let sample = try Sample.current
        let made = ["username": "activeall", "email": "activeall", "password": "abc"]
        let token = try #require(try await sample.call("sign_in", made, in: "test").element("token"))
        #expect(try await sample.call("sign_in", made).error == "notrecognised")
        #expect(try await sample.call("sign_in", made, in: "weekly").error == "notrecognised")
        #expect(try await sample.state(of: token) == "unknown")
        let pair = try await sample.credentials(token, Sample.second, in: "test")
        let authorization = basic(pair.element("userid") ?? "", pair.element("password") ?? "")
        #expect(try await sample.download("daily/\(Sample.second).zip", authorization).status == 403)
    }
}
