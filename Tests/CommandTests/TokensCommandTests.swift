import Foundation
import TestSupport
import Testing

@Suite(
    "gatefold token and gatefold credentials", .serialized,
    .servedSample {
        $0.replacing("policy: issue", with: "policy: issue\n    edition_credentials: {accept_plain_salts: true}")
    }
)
struct TokensCommandTests {
    private struct Pair: Decodable {
        let edition, userid, password: String
    }

    private struct Verdict: Decodable {
        let accepted: Bool
        let verdict: String
        let subscriber: String?
    }

    private struct Inspected: Decodable {
        let verdict, publication: String
        let backend, subscriber, key, session, device: String?
        let issuedAt, expiresAt: Date?
    }

    private func inspect(_ token: String, _ more: [String] = []) async throws -> (status: Int32, report: Inspected) {
        let run = try await Sample.current.gatefold(["token", "inspect", "--json", "-"] + more, input: token)
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return (run.status, try decoder.decode(Inspected.self, from: Data(run.output.utf8)))
    }

    @Test("Issued credentials open the edition at the gate where plain salts are accepted")
    func issue() async throws {
        let sample = try Sample.current
        let json = try await sample.succeed(["credentials", "issue", "-p", "weekly", "--json", Sample.weekly])
        let pair = try JSONDecoder().decode(Pair.self, from: Data(json.utf8))
        #expect(pair.edition == Sample.weekly)
        let authorization = basic(pair.userid, pair.password)
        #expect(try await sample.download("weekly/\(Sample.weekly).zip", authorization).status == 200)
        #expect(try await sample.download("weekly/\(Sample.second).zip", authorization).status == 403)

        let text = try await sample.succeed(["credentials", "issue", Sample.second])
        let words = try #require(text.firstMatch(of: /^userid    ([0-9a-f]{32})\npassword  ([0-9a-f]{40})\n$/))
        // The daily accepts sealed salts only.
        let plain = basic(String(words.1), String(words.2))
        #expect(try await sample.download("daily/\(Sample.second).zip", plain).status == 403)
    }

    @Test("`verify` prints the verdict of the gate, with status 0 or 1")
    func verify() async throws {
        let sample = try Sample.current
        let token = try await sample.signIn(sample.newReader())
        let response = try await sample.credentials(token, Sample.third)
        let (userid, password) = (
            try #require(response.element("userid")), try #require(response.element("password"))
        )
        let cases: [(arguments: [String], input: String, status: Int32, verdict: String)] = [
            ([Sample.third, userid, "-"], password, 0, "accepted"),
            ([Sample.second, userid, "-"], password, 1, "wrong password for this edition"),
            ([Sample.third, userid, "-"], password.uppercased(), 1, "malformed"),
        ]
        for (arguments, input, status, verdict) in cases {
            let run = try await sample.gatefold(["credentials", "verify", "--json", "--"] + arguments, input: input)
            let report = try JSONDecoder().decode(Verdict.self, from: Data(run.output.utf8))
            #expect(run.status == status)
            #expect(report.accepted == (status == 0))
            #expect(report.verdict.hasPrefix(verdict), "\(report.verdict)")
            if report.accepted { #expect(report.subscriber == (try await inspect(token)).report.subscriber) }
        }
        #expect(try await sample.gatefold(["credentials", "verify", "a:b", "c", "d"]).status == 64)
        #expect(try await sample.gatefold(["credentials", "issue", "x", "-p", "monthly"]).status == 64)
        #expect(try await sample.gatefold(["credentials", "verify", "a", "b", "-"]).status == 66)
    }

    @Test("`inspect` prints a token without the subscriber's key unless requested")
    func inspectGood() async throws {
        let sample = try Sample.current
        let token = try await sample.signIn(sample.newReader(), device: "phone")
        let (status, report) = try await inspect(token)
        #expect(status == 0)
        #expect(report.verdict == "valid" && report.publication == "daily" && report.backend == "house")
        #expect(report.subscriber?.count == report.subscriber?.filter(\.isHexDigit).count)
        #expect(report.device != nil && report.session != nil && report.key == nil)
        #expect(try #require(report.issuedAt) < (try #require(report.expiresAt)))
        #expect(try await inspect(token, ["--reveal-key"]).report.key != nil)
        let text = try await sample.succeed(["token", "inspect", "--", token])
        #expect(text.hasPrefix("verdict     valid\npublication daily\nbackend     house\nsubscriber  "))
    }

    @Test("`inspect` reports an invalid token with status 1")
    func inspectBad() async throws {
        let sample = try Sample.current
        let token = try await sample.signIn(sample.newReader())
        for (bad, more) in [("nonsense", []), (token, ["-p", "weekly"]), (String(token.dropFirst()), [])] {
            let (status, report) = try await inspect(bad, more)
            #expect(status == 1)
            #expect(report.verdict == "not a token of this publication")
            #expect(report.subscriber == nil)
        }
        _ = try await sample.call("sign_out", ["token": token])
        let (status, report) = try await inspect(token)
        #expect(status == 1)
        #expect(report.verdict == "revoked")
    }

    @Test("`revoke` rejects an invalid token or subscriber")
    func revoke() async throws {
        let sample = try Sample.current
        let nonsense = try await sample.gatefold(["token", "revoke", "--token", "nonsense"])
        #expect(nonsense.status == 65)
        #expect(nonsense.errors == "gatefold: not a token of daily\n")
        // One in sixty-four tokens begins like an option.
        #expect(try await sample.gatefold(["token", "revoke", "--token", "-nonsense"]).status == 65)
        #expect(try await sample.gatefold(["token", "revoke", "--subscriber", "ada@example.com"]).status == 64)
        #expect(try await sample.gatefold(["token", "revoke", "--token", "-"]).status == 66)
        let token = try await sample.signIn(sample.newReader())
        let text = try await sample.succeed(["token", "revoke", "--token", token])
        #expect(text.contains(/^Revoked session [0-9a-f]+ of subscriber [0-9a-f]+\.\n$/))
    }
}
