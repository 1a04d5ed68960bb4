import Crypto
import Foundation
import Gatefold
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import Primitives
import TestSupport
import Testing
import XML

@testable import Backends

@Suite("Test users at the Pugpig front door")
struct TestUsersTests {
    private let editions = (1...100).map { String(format: "com.pugpig.edition%04d", $0) }
    private var odd: Set<String> { Set(stride(from: 0, to: 100, by: 2).map { editions[$0] }) }

    private func door(_ row: TestUserRow) -> FrontDoorHarness {
        let clock = ManualClock()
        if row.isOddSlot { clock.advance(by: 300) }
        return .testUsers(clock: clock)
    }

    /// Returns the user's token, even if sign-in does not return it.
    private func token(_ user: String) -> String {
        user == "longjson" ? TestTokenCodec.longToken : String(user.lowercased().reversed())
    }

    private func feedPassword(_ token: String) -> String {
        EditionPassword.makeForFeed(token: token, secret: Secret(FrontDoorHarness.secret))
    }

    @Test("Sign-in yields the result of the table", arguments: TestUserRow.all, RequestStyle.all)
    func signIn(row: TestUserRow, spelling: RequestStyle) async throws {
        try await door(row).test { client in
            let response = try await client.call("sign_in", ["username": row.user, "password": row.password], spelling)
            switch row.signIn {
            case .token, .tokenAndFeed:
                let document = try PugpigDocumentResponse(response, .token)
                #expect(document.root.name == "token")
                #expect(document.root.text == token(row.user))
                let feed = document.root.attributes["global_auth_password"]
                #expect(feed == (row.signIn == .tokenAndFeed ? feedPassword(token(row.user)) : nil))
            case .rejected:
                let document = try PugpigDocumentResponse(response, .token)
                #expect(document.root.name == "error")
                #expect(document.status == "notrecognised")
                #expect(document.message == "Invalid credentials")
            case .raw(let status):
                expectText(response, status)
            }
        }
    }

    @Test("Verification yields the result of the table", arguments: TestUserRow.all, RequestStyle.all)
    func verification(row: TestUserRow, spelling: RequestStyle) async throws {
        try await door(row).test { client in
            let response = try await client.call(
                "verify_subscription", ["token": "X" + token(row.user) + "XX"], spelling)
            switch row.verification {
            case .state(let state, let issues):
                let document = try PugpigDocumentResponse(response, .subscription)
                #expect(document.root.attributes["state"] == state)
                switch issues {
                case .absent: #expect(document.issues == nil)
                case .empty: #expect(document.issues == [])
                case .odd: #expect(document.issues == odd)
                case .random:
                    #expect(document.issues?.isSubset(of: editions) == true)
                    #expect((25...75).contains(document.issues?.count ?? 0))
                }
            case .raw(let status):
                expectText(response, status)
            }
        }
    }

    @Test(
        "Verification reports the user info of the historic endpoint",
        arguments: [
            "activeall", "lapsednone", "flipsome", "peter", "yesbyproxy", "longjson", "expiredtoken", "200-200-200",
        ])
    func userInfo(user: String) async throws {
        try await FrontDoorHarness.testUsers().test { client in
            let document = try PugpigDocumentResponse(
                try await client.call("verify_subscription", ["token": token(user)]), .subscription)
            let categories = document.root.child("userinfo")?.children ?? []
            #expect(categories.map(\.name) == ["category"])
            #expect(
                categories.first?.attributes == [
                    "scheme": "http://schema.pugpig.com/custom_analytics/username#15", "term": user, "value": user,
                ])
        }
    }

    @Test("Verification reports no user info for unknown readers", arguments: ["nobody", ""])
    func noUserInfo(user: String) async throws {
        try await FrontDoorHarness.testUsers().test { client in
            let document = try PugpigDocumentResponse(
                try await client.call("verify_subscription", ["token": token(user)]), .subscription)
            #expect(document.root.child("userinfo") == nil)
        }
    }

    @Test(
        "A blank prefix, start or end of the editions means the default",
        arguments: ["issue_prefix", "issue_start", "issue_end"])
    func blankRange(field: String) async throws {
        try await FrontDoorHarness.testUsers().test { client in
            for blank in ["", " "] {
                let document = try PugpigDocumentResponse(
                    try await client.call("verify_subscription", ["token": "emosevitca", field: blank]), .subscription)
                #expect(document.issues == odd, "\(field): \(document.issues?.count ?? 0)")
            }
        }
    }

    @Test("Edition credentials yield the result of the table", arguments: TestUserRow.all, RequestStyle.all)
    func editionCredentials(row: TestUserRow, spelling: RequestStyle) async throws {
        try await door(row).test { client in
            for edition in ["com.pugpig.edition0001", "com.pugpig.edition0002", "com.other", ""] {
                let fields = ["token": token(row.user) + "X", "product_id": edition].filter { !$0.value.isEmpty }
                let response = try await client.call("edition_credentials", fields, spelling)
                if case .raw(let status) = row.editions {
                    expectText(response, status)
                    continue
                }
                let document = try PugpigDocumentResponse(response, .credentials)
                let expected: Bool? =
                    switch row.editions {
                    case .all: !edition.isEmpty
                    case .allAndNone: true
                    case .odd: odd.contains(edition)
                    case .random: edition.hasPrefix("com.pugpig.edition") ? nil : false
                    case .none, .errorWithoutStatus, .raw: false
                    }
                if let expected { #expect(document.isGranted == expected, "\(edition)") }
                if document.isGranted {
                    let salt = try #require(document.root.child("userid")?.text)
                    let formula = Insecure.SHA1.hash(data: Data("\(edition):\(salt):\(FrontDoorHarness.secret)".utf8))
                    #expect(
                        document.root.child("password")?.text == formula.map { String(format: "%02x", $0) }.joined())
                } else if row.editions == .errorWithoutStatus {
                    #expect(document.status == nil)
                    #expect(document.message == "something bad happened")
                } else {
                    #expect(document.status == "notentitled")
                    if edition.isEmpty { #expect(document.message?.hasPrefix("No product requested!") == true) }
                    if row.user == "yesbyproxy", !edition.isEmpty {
                        #expect(document.message?.contains("don't know who you are") == true)
                    }
                }
            }
        }
    }

    @Test("Edition credentials hold two headers for an edge", arguments: [("activeall", 120), ("activesome", 3)])
    func edgeHeaders(user: String, seconds: Int) async throws {
        let clock = ManualClock()
        try await FrontDoorHarness.testUsers(clock: clock).test { client in
            let document = try PugpigDocumentResponse(
                try await client.call(
                    "edition_credentials", ["token": token(user), "product_id": "com.pugpig.edition0001"]),
                .credentials)
            let expiry = Int(clock.now.timeIntervalSince1970) + seconds
            let headers = document.root.children.filter { $0.name == "header" }
            #expect(headers.map { $0.attributes["name"] } == ["Cookie", "X-Pugpig-Fake-Auth"])
            let word = "com.pugpig.edition0001|\(expiry)|192.0.2.7"
            #expect(headers.map(\.text) == ["name=FakeAuth&value=" + word, word])
        }
    }

    @Test("Renewal, by either name, yields the result of the table", arguments: TestUserRow.all, RequestStyle.all)
    func renewal(row: TestUserRow, spelling: RequestStyle) async throws {
        try await door(row).test { client in
            for call in ["renew_token", "renew"] {
                let old = token(row.user) + "XX"
                let document = try PugpigDocumentResponse(try await client.call(call, ["token": old], spelling), .token)
                switch row.renewal {
                case .token:
                    #expect(document.root.text == token(row.user))
                    let feed = row.signIn == .tokenAndFeed ? feedPassword(token(row.user)) : nil
                    #expect(document.root.attributes["global_auth_password"] == feed)
                case .becomes(let token): #expect(document.root.text == token)
                case .oneMoreRenewal: #expect(document.root.text == old + "X")
                case .rejected:
                    #expect(document.root.name == "error")
                    #expect(document.status == "notrecognised")
                }
            }
        }
    }

    @Test("Sign-out succeeds and leaves other users of the test user signed in", arguments: RequestStyle.all)
    func signOut(spelling: RequestStyle) async throws {
        try await FrontDoorHarness.testUsers().test { client in
            let response = try await client.call("sign_out", ["token": "llaevitca"], spelling)
            expectText(response, 200)
            #expect(String(buffer: response.body) == "Signed out")
            let document = try PugpigDocumentResponse(
                try await client.call("verify_subscription", ["token": "llaevitca"], spelling), .subscription)
            #expect(document.root.attributes["state"] == "active")
            let none = try await client.call("sign_out", [:], spelling)
            #expect(none.status == .ok)
        }
    }

    @Test("A missing or empty token, or one of only X, is stale", arguments: RequestStyle.all)
    func noToken(spelling: RequestStyle) async throws {
        try await FrontDoorHarness.testUsers().test { client in
            for fields in [[:], ["token": ""], ["token": "XX"]] {
                let verification = try PugpigDocumentResponse(
                    try await client.call("verify_subscription", fields, spelling), .subscription)
                #expect(verification.root.attributes["state"] == "stale")
                #expect(verification.message == "No token!")
                #expect(verification.issues == [])
                let credentials = try PugpigDocumentResponse(
                    try await client.call("edition_credentials", fields, spelling), .credentials)
                #expect(credentials.status == "notentitled")
                #expect(credentials.message?.hasPrefix("No token!") == true)
                let renewal = try PugpigDocumentResponse(try await client.call("renew_token", fields, spelling), .token)
                #expect(renewal.status == "notrecognised")
            }
        }
    }

    @Test("A missing or blank user name yields 400 with a text", arguments: RequestStyle.all)
    func noUsername(spelling: RequestStyle) async throws {
        try await FrontDoorHarness.testUsers().test { client in
            for fields in [[:], ["username": ""], ["username": "  ", "password": "pan"]] {
                expectText(try await client.call("sign_in", fields, spelling), 400)
            }
        }
    }

    @Test("A delayed response arrives after a minute")
    func late() async throws {
        let clock = ManualClock()
        let start = clock.now
        try await FrontDoorHarness.testUsers(clock: clock).test { client in
            _ = try await client.call("sign_in", ["username": "zzz-200-200"])
            #expect(clock.now == start + 60)
            _ = try await client.call("verify_subscription", ["token": "002-002-zzz"])
            #expect(clock.now == start + 60)
        }
    }

    @Test("A flip user gets the seconds left", arguments: [(0, 300), (1, 299), (299, 1), (300, 300), (3599, 1)])
    func secondsLeft(second: Int, left: Int) async throws {
        let clock = ManualClock()
        clock.advance(by: TimeInterval(second))
        try await FrontDoorHarness.testUsers(clock: clock).test { client in
            let document = try PugpigDocumentResponse(
                try await client.call("verify_subscription", ["token": "llapilf"]), .subscription)
            #expect(document.root.attributes["state"] == ((second / 300) % 2 == 1 ? "active" : "inactive"))
            #expect(document.message?.contains(" \(left) seconds") == true)
        }
    }

    @Test("The random users get different editions each time")
    func random() async throws {
        try await FrontDoorHarness.testUsers().test { client in
            var seen: Set<Set<String>?> = []
            for _ in 0..<4 {
                seen.insert(
                    try PugpigDocumentResponse(
                        try await client.call("verify_subscription", ["token": "modnarevitca"]), .subscription
                    ).issues)
            }
            #expect(seen.count == 4)
        }
    }

    @Test(
        "A request selects the range of editions",
        arguments: [
            ("a.", "1", "4", ["a.0001", "a.0003"]), ("a.", "9998", "10000", ["a.9998", "a.10000"]),
            ("a.", "5", "5", ["a.0005"]), ("a.", "5", "4", []), ("a.", "x", "4", []), ("a.", "1", "y", []),
            ("a.", "-3", "4", []), ("a.", "0", "99999999999", []), ("a.", "1", "99999999999999999999", []),
            ("a/", "1", "4", []),
        ])
    func editionRange(prefix: String, start: String, end: String, expected: [String]) async throws {
        try await FrontDoorHarness.testUsers().test { client in
            let range = ["issue_prefix": prefix, "issue_start": start, "issue_end": end]
            let document = try PugpigDocumentResponse(
                try await client.call(
                    "verify_subscription", range.merging(["token": "emosevitca"]) { $1 }), .subscription)
            #expect(document.issues == Set(expected))
            if let edition = expected.last {
                let credentials = try PugpigDocumentResponse(
                    try await client.call(
                        "edition_credentials",
                        range.merging(["token": "emosevitca", "product_id": edition]) { $1 }), .credentials)
                #expect(credentials.isGranted)
            }
        }
    }

    @Test(
        "Pitfall 12: no skeleton key exists", arguments: ["/skeleton_key", "/title/skeleton_key", "/skeleton_key/"])
    func skeletonKey(path: String) async throws {
        try await FrontDoorHarness.testUsers().test { client in
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
