import TestSupport
import Testing

@Suite("End-to-end flow over HTTP", .serialized, .servedSample())
struct EndToEndFlowTests {
    @Test("A reader signs in, verifies, gets credentials, downloads and resumes", arguments: Style.allCases)
    func flow(style: Style) async throws {
        let sample = try Sample.current
        let signedIn = try await sample.call(
            "sign_in", ["email": "Ada@Example.com ", "password": Sample.ada.password, "device": "phone"], style)
        #expect(signedIn.status == 200)
        let token = try #require(signedIn.element("token"))
        #expect(signedIn.attribute("global_auth_password")?.count == 40)

        let verified = try await sample.call("verify_subscription", ["token": token], style)
        #expect(verified.attribute("state") == "active")
        #expect(Set(verified.elements("issue")) == Set(Sample.editions))

        let response = try await sample.call(
            "edition_credentials", ["token": token, "product_id": Sample.third], style)
        let pair = basic(try #require(response.element("userid")), try #require(response.element("password")))
        let expected = EditionStore.bytes(of: "\(Sample.third).zip")
        let whole = try await sample.download("daily/\(Sample.third).zip", pair)
        #expect(whole.status == 200)
        #expect(whole.body == expected)

        let half = expected.count / 2
        let rest = try await sample.download(
            "daily/\(Sample.third).zip", pair,
            [("Range", "bytes=\(half)-"), ("If-Range", try #require(whole["ETag"] ?? whole["Last-Modified"]))])
        #expect(rest.status == 206)
        #expect(rest["Content-Range"] == "bytes \(half)-\(expected.count - 1)/\(expected.count)")
        #expect(Array(expected[..<half]) + rest.body == expected)
    }

    @Test("A password opens its own edition only, and covers and free editions need none")
    func editions() async throws {
        let sample = try Sample.current
        let token = try await sample.signIn(sample.newReader())
        let pair = try await sample.pair(token, Sample.third)
        #expect(try await sample.download("daily/\(Sample.third).zip", pair).status == 200)
        #expect(try await sample.download("daily/\(Sample.second).zip", pair).status == 403)
        #expect(try await sample.download("daily/\(Sample.third).zip").status == 403)
        #expect(try await sample.download("daily/\(Sample.free).zip").status == 200)
        #expect(try await sample.download("daily/covers/\(Sample.third).jpg").status == 200)
    }

    @Test("The token and the feed password open the feed only")
    func feed() async throws {
        let sample = try Sample.current
        let reader = sample.newReader()
        let response = try await sample.call("sign_in", ["email": reader.email, "password": reader.password])
        let token = try #require(response.element("token"))
        let feed = basic(token, try #require(response.attribute("global_auth_password")))
        let edition = try await sample.pair(token, Sample.third)
        #expect(try await sample.download("daily/feed.xml", feed).status == 200)
        #expect(try await sample.download("daily/feed.xml", edition).status == 403)
        #expect(try await sample.download("daily/feed.xml").status == 403)
        #expect(try await sample.download("daily/\(Sample.third).zip", feed).status == 403)
    }

    @Test("A lapsed reader keeps earlier editions, and a suspended one gets nothing")
    func lapsed() async throws {
        let sample = try Sample.current
        let grace = try await sample.signIn("grace@example.com", "nanosecond")
        let verified = try await sample.call("verify_subscription", ["token": grace])
        #expect(verified.attribute("state") == "inactive")
        #expect(Set(verified.elements("issue")) == [Sample.free, Sample.second])
        #expect(try await sample.credentials(grace, Sample.second).element("userid") != nil)
        #expect(try await sample.credentials(grace, Sample.third).error == "notentitled")

        let edsger = try await sample.call(
            "verify_subscription", ["token": try await sample.signIn("edsger@example.com", "shortest path")])
        #expect(edsger.attribute("state") == "suspended")
        #expect(edsger.attribute("message") == "Please call us.")
        #expect(edsger.text.contains("<issues"))
    }

    @Test("A renewed token works, and a sign-out with either token ends both and their downloads")
    func renewalAndSignOut() async throws {
        let sample = try Sample.current
        let token = try await sample.signIn(sample.newReader())
        let pair = try await sample.pair(token, Sample.third)
        let renewed = try #require(try await sample.call("renew", ["token": token]).element("token"))
        #expect(renewed != token)
        #expect(try await sample.state(of: renewed) == "active")
        #expect(try await sample.call("renew_token", ["token": renewed], .query).element("token") != nil)

        #expect(try await sample.call("sign_out", ["token": renewed]).status == 200)
        for ended in [token, renewed] {
            #expect(try await sample.state(of: ended) == "unknown")
            #expect(try await sample.credentials(ended, Sample.third).error == "notrecognised")
            #expect(try await sample.call("renew_token", ["token": ended]).error == "notrecognised")
        }
        #expect(try await sample.download("daily/\(Sample.third).zip", pair).status == 403)
    }

    @Test("A fourth device ends the least recently used one with its token and downloads")
    func devices() async throws {
        let sample = try Sample.current
        let reader = sample.newReader()
        let first = try await sample.signIn(reader, device: "one")
        let pair = try await sample.pair(first, Sample.third)
        let second = try await sample.signIn(reader, device: "two")
        let third = try await sample.signIn(reader, device: "three")
        #expect(try await sample.state(of: first) == "active")
        let fourth = try await sample.signIn(reader, device: "four")
        #expect(try await sample.state(of: first) == "unknown")
        #expect(try await sample.download("daily/\(Sample.third).zip", pair).status == 403)
        for token in [second, third, fourth] {
            #expect(try await sample.state(of: token) == "active")
        }
        // The same device again takes no further place.
        let again = try await sample.signIn(reader, device: "four")
        #expect(try await sample.state(of: second) == "active")
        #expect(try await sample.state(of: again) == "active")
    }

    @Test("The path may name the publication and end with a slash")
    func paths() async throws {
        let sample = try Sample.current
        let fields = ["email": Sample.ada.email, "password": Sample.ada.password]
        for name in ["sign_in", "sign_in/", "daily/sign_in", "daily/sign_in/"] {
            for style in Style.allCases {
                #expect(try await sample.call(name, fields, style).element("token") != nil, "\(name) \(style)")
            }
        }
        #expect(try await sample.call("monthly/sign_in", fields).status == 404)
        let made = try await sample.call("test/sign_in", ["username": "activeall", "password": "abc"])
        #expect(made.status == 200)
    }
}
