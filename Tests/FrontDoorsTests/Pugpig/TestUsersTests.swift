import Crypto
import Foundation
import Gatefold
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import TestSupport
import Testing
import XML

@testable import Backends

@Suite("The test users through the Pugpig front door (PROTOCOLS 1.3)")
struct TestUsersTests {
    private let editions = (1...100).map { String(format: "com.pugpig.edition%04d", $0) }
    private var odd: Set<String> { Set(stride(from: 0, to: 100, by: 2).map { editions[$0] }) }

    private func door(_ row: TestUserRow) -> TestDoor {
        let clock = ManualClock()
        if row.isOddSlot { clock.advance(by: 300) }
        return .testUsers(clock: clock)
    }

    /// What the user's token is, whether or not sign-in hands it out.
    private func token(_ user: String) -> String {
        user == "longjson" ? TestTokenCodec.longToken : String(user.lowercased().reversed())
    }

    private func feedPassword(_ token: String) -> String {
        EditionPassword.makeForFeed(token: token, secret: Secret(TestDoor.secret))
    }

    @Test("Sign-in", arguments: TestUserRow.all, Spelling.all)
    func signIn(row: TestUserRow, spelling: Spelling) async throws {
        try await door(row).test { client in
            let response = try await client.call("sign_in", ["username": row.user, "password": row.password], spelling)
            switch row.signIn {
            case .token, .tokenAndFeed:
                let answer = try Answer(response, .token)
                #expect(answer.root.name == "token")
                #expect(answer.root.text == token(row.user))
                let feed = answer.root.attributes["global_auth_password"]
                #expect(feed == (row.signIn == .tokenAndFeed ? feedPassword(token(row.user)) : nil))
            case .refused:
                let answer = try Answer(response, .token)
                #expect(answer.root.name == "error")
                #expect(answer.status == "notrecognised")
                #expect(answer.message == "Invalid credentials")
            case .verbatim(let status):
                expectText(response, status)
            }
        }
    }

    @Test("Verification", arguments: TestUserRow.all, Spelling.all)
    func verification(row: TestUserRow, spelling: Spelling) async throws {
        try await door(row).test { client in
            let response = try await client.call(
                "verify_subscription", ["token": "X" + token(row.user) + "XX"], spelling)
            switch row.verification {
            case .state(let state, let issues):
                let answer = try Answer(response, .subscription)
                #expect(answer.root.attributes["state"] == state)
                switch issues {
                case .absent: #expect(answer.issues == nil)
                case .empty: #expect(answer.issues == [])
                case .odd: #expect(answer.issues == odd)
                case .random:
                    #expect(answer.issues?.isSubset(of: editions) == true)
                    #expect((25...75).contains(answer.issues?.count ?? 0))
                }
            case .verbatim(let status):
                expectText(response, status)
            }
        }
    }

    @Test(
        "Verification says who the reader is, as the historic endpoint does",
        arguments: [
            "activeall", "lapsednone", "flipsome", "peter", "yesbyproxy", "longjson", "expiredtoken", "200-200-200",
        ])
    func userInfo(user: String) async throws {
        try await TestDoor.testUsers().test { client in
            let answer = try Answer(
                try await client.call("verify_subscription", ["token": token(user)]), .subscription)
            let categories = answer.root.child("userinfo")?.children ?? []
            #expect(categories.map(\.name) == ["category"])
            #expect(
                categories.first?.attributes == [
                    "scheme": "http://schema.pugpig.com/custom_analytics/username#15", "term": user, "value": user,
                ])
        }
    }

    @Test("Verification says nothing of readers there are not", arguments: ["nobody", ""])
    func noUserInfo(user: String) async throws {
        try await TestDoor.testUsers().test { client in
            let answer = try Answer(
                try await client.call("verify_subscription", ["token": token(user)]), .subscription)
            #expect(answer.root.child("userinfo") == nil)
        }
    }

    @Test(
        "A blank prefix, start or end of the editions means the usual one",
        arguments: ["issue_prefix", "issue_start", "issue_end"])
    func blankRange(field: String) async throws {
        try await TestDoor.testUsers().test { client in
            for blank in ["", " "] {
                let answer = try Answer(
                    try await client.call("verify_subscription", ["token": "emosevitca", field: blank]), .subscription)
                #expect(answer.issues == odd, "\(field): \(answer.issues?.count ?? 0)")
            }
        }
    }

    @Test("Edition credentials", arguments: TestUserRow.all, Spelling.all)
    func editionCredentials(row: TestUserRow, spelling: Spelling) async throws {
        try await door(row).test { client in
            for edition in ["com.pugpig.edition0001", "com.pugpig.edition0002", "com.other", ""] {
                let fields = ["token": token(row.user) + "X", "product_id": edition].filter { !$0.value.isEmpty }
                let response = try await client.call("edition_credentials", fields, spelling)
                if case .verbatim(let status) = row.editions {
                    expectText(response, status)
                    continue
                }
                let answer = try Answer(response, .credentials)
                let expected: Bool? =
                    switch row.editions {
                    case .all: !edition.isEmpty
                    case .allAndNone: true
                    case .odd: odd.contains(edition)
                    case .random: edition.hasPrefix("com.pugpig.edition") ? nil : false
                    case .none, .errorWithoutStatus, .verbatim: false
                    }
                if let expected { #expect(answer.isGranted == expected, "\(edition)") }
                if answer.isGranted {
                    let salt = try #require(answer.root.child("userid")?.text)
                    let formula = Insecure.SHA1.hash(data: Data("\(edition):\(salt):\(TestDoor.secret)".utf8))
                    #expect(answer.root.child("password")?.text == formula.map { String(format: "%02x", $0) }.joined())
                } else if row.editions == .errorWithoutStatus {
                    #expect(answer.status == nil)
                    #expect(answer.message == "something bad happened")
                } else {
                    #expect(answer.status == "notentitled")
                    if edition.isEmpty { #expect(answer.message?.hasPrefix("No product requested!") == true) }
                    if row.user == "yesbyproxy", !edition.isEmpty {
                        #expect(answer.message?.contains("don't know who you are") == true)
                    }
                }
            }
        }
    }

    @Test("Edition credentials bring two headers for an edge", arguments: [("activeall", 120), ("activesome", 3)])
    func edgeHeaders(user: String, seconds: Int) async throws {
        let clock = ManualClock()
        try await TestDoor.testUsers(clock: clock).test { client in
            let answer = try Answer(
                try await client.call(
                    "edition_credentials", ["token": token(user), "product_id": "com.pugpig.edition0001"]),
                .credentials)
            let expiry = Int(clock.now.timeIntervalSince1970) + seconds
            let headers = answer.root.children.filter { $0.name == "header" }
            #expect(headers.map { $0.attributes["name"] } == ["Cookie", "X-Pugpig-Fake-Auth"])
            let word = "com.pugpig.edition0001|\(expiry)|192.0.2.7"
            #expect(headers.map(\.text) == ["name=FakeAuth&value=" + word, word])
        }
    }

    @Test("Renewal, by both of its names", arguments: TestUserRow.all, Spelling.all)
    func renewal(row: TestUserRow, spelling: Spelling) async throws {
        try await door(row).test { client in
            for call in ["renew_token", "renew"] {
                let old = token(row.user) + "XX"
                let answer = try Answer(try await client.call(call, ["token": old], spelling), .token)
                switch row.renewal {
                case .token:
                    #expect(answer.root.text == token(row.user))
                    let feed = row.signIn == .tokenAndFeed ? feedPassword(token(row.user)) : nil
                    #expect(answer.root.attributes["global_auth_password"] == feed)
                case .becomes(let token): #expect(answer.root.text == token)
                case .oneMoreMark: #expect(answer.root.text == old + "X")
                case .refused:
                    #expect(answer.root.name == "error")
                    #expect(answer.status == "notrecognised")
                }
            }
        }
    }

    @Test("Signing out is answered, and ends nothing for the others who use the test user", arguments: Spelling.all)
    func signOut(spelling: Spelling) async throws {
        try await TestDoor.testUsers().test { client in
            let response = try await client.call("sign_out", ["token": "llaevitca"], spelling)
            expectText(response, 200)
            #expect(String(buffer: response.body) == "Signed out")
            let answer = try Answer(
                try await client.call("verify_subscription", ["token": "llaevitca"], spelling), .subscription)
            #expect(answer.root.attributes["state"] == "active")
            let none = try await client.call("sign_out", [:], spelling)
            #expect(none.status == .ok)
        }
    }

    @Test("Without a token, with an empty one, or with nothing but X in it", arguments: Spelling.all)
    func noToken(spelling: Spelling) async throws {
        try await TestDoor.testUsers().test { client in
            for fields in [[:], ["token": ""], ["token": "XX"]] {
                let verification = try Answer(
                    try await client.call("verify_subscription", fields, spelling), .subscription)
                #expect(verification.root.attributes["state"] == "stale")
                #expect(verification.message == "No token!")
                #expect(verification.issues == [])
                let credentials = try Answer(
                    try await client.call("edition_credentials", fields, spelling), .credentials)
                #expect(credentials.status == "notentitled")
                #expect(credentials.message?.hasPrefix("No token!") == true)
                let renewal = try Answer(try await client.call("renew_token", fields, spelling), .token)
                #expect(renewal.status == "notrecognised")
            }
        }
    }

    @Test("A missing or blank user name is a 400 with a text", arguments: Spelling.all)
    func noUsername(spelling: Spelling) async throws {
        try await TestDoor.testUsers().test { client in
            for fields in [[:], ["username": ""], ["username": "  ", "password": "pan"]] {
                expectText(try await client.call("sign_in", fields, spelling), 400)
            }
        }
    }

    @Test("A late answer comes after a minute")
    func late() async throws {
        let clock = ManualClock()
        let start = clock.now
        try await TestDoor.testUsers(clock: clock).test { client in
            _ = try await client.call("sign_in", ["username": "zzz-200-200"])
            #expect(clock.now == start + 60)
            _ = try await client.call("verify_subscription", ["token": "002-002-zzz"])
            #expect(clock.now == start + 60)
        }
    }

    @Test("A flipping user is told the seconds left", arguments: [(0, 300), (1, 299), (299, 1), (300, 300), (3599, 1)])
    func secondsLeft(second: Int, left: Int) async throws {
        let clock = ManualClock()
        clock.advance(by: TimeInterval(second))
        try await TestDoor.testUsers(clock: clock).test { client in
            let answer = try Answer(
                try await client.call("verify_subscription", ["token": "llapilf"]), .subscription)
            #expect(answer.root.attributes["state"] == ((second / 300) % 2 == 1 ? "active" : "inactive"))
            #expect(answer.message?.contains(" \(left) seconds") == true)
        }
    }

    @Test("The random users are told something else every time")
    func random() async throws {
        try await TestDoor.testUsers().test { client in
            var seen: Set<Set<String>?> = []
            for _ in 0..<4 {
                seen.insert(
                    try Answer(
                        try await client.call("verify_subscription", ["token": "modnarevitca"]), .subscription
                    ).issues)
            }
            #expect(seen.count == 4)
        }
    }

    @Test(
        "A request chooses the editions of its world",
        arguments: [
            ("a.", "1", "4", ["a.0001", "a.0003"]), ("a.", "9998", "10000", ["a.9998", "a.10000"]),
            ("a.", "5", "5", ["a.0005"]), ("a.", "5", "4", []), ("a.", "x", "4", []), ("a.", "1", "y", []),
            ("a.", "-3", "4", []), ("a.", "0", "99999999999", []), ("a.", "1", "99999999999999999999", []),
            ("a/", "1", "4", []),
        ])
    func editionRange(prefix: String, start: String, end: String, expected: [String]) async throws {
        try await TestDoor.testUsers().test { client in
            let range = ["issue_prefix": prefix, "issue_start": start, "issue_end": end]
            let answer = try Answer(
                try await client.call(
                    "verify_subscription", range.merging(["token": "emosevitca"]) { $1 }), .subscription)
            #expect(answer.issues == Set(expected))
            if let edition = expected.last {
                let credentials = try Answer(
                    try await client.call(
                        "edition_credentials",
                        range.merging(["token": "emosevitca", "product_id": edition]) { $1 }), .credentials)
                #expect(credentials.isGranted)
            }
        }
    }

    @Test(
        "Pitfall 12: there is no skeleton key", arguments: ["/skeleton_key", "/title/skeleton_key", "/skeleton_key/"])
    func skeletonKey(path: String) async throws {
        try await TestDoor.testUsers().test { client in
            let response = try await client.execute(uri: path + "?product_id=com.pugpig.edition0001", method: .get)
            #expect(response.status == .notFound)
        }
    }

    private func expectText(_ response: TestResponse, _ status: Int) {
        #expect(response.status.code == status)
        #expect(response.headers[.contentType] == "text/plain; charset=utf-8")
        #expect(!String(buffer: response.body).contains("<"))
    }
}
