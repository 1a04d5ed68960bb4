import Foundation
import Gatefold
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import TestSupport
import Testing

@testable import FrontDoors

@Suite("Paths of the InPlayer front door")
struct InPlayerPathTests {
    @Test(
        "A publication, a version and a trailing slash are optional",
        arguments: [
            "/items/43929", "/items/43929/", "/daily/items/43929", "/daily/v2/items/43929/", "/v2/items/43929",
            "/v1/items/\(InPlayerHarness.merchant)/43929",
        ])
    func spellings(_ path: String) async throws {
        try await InPlayerHarness.run { (harness: InPlayerHarness) async throws in
            #expect(try await harness.call(path).decoded(AppItem.self).id == 43929)
        }
    }

    @Test("Merchant or client id selects the publication; an unknown or contradicting one is rejected")
    func merchants() async throws {
        try await InPlayerHarness.run({ $0.settings = { $0.clients = ["my-app"] } }) {
            (harness: InPlayerHarness) async throws in
            let other = try await harness.call("/items/\(InPlayerHarness.otherMerchant)/43929").decoded(AppItem.self)
            #expect(other.merchant_uuid == InPlayerHarness.otherMerchant)
            #expect(try await harness.call("/accounts/register-fields/\(InPlayerHarness.otherMerchant)").status == 200)
            #expect(try await harness.call("/items/00000000-0000-0000-0000-000000000000/43929").status == 404)
            #expect(try await harness.call("/daily/items/\(InPlayerHarness.otherMerchant)/43929").status == 404)
            let form = "username=a@example.com&password=x&grant_type=password&client_id="
            #expect(try await harness.call("/accounts/authenticate", form + "My-App").status == 422)
            for client in ["undefined", "null", ""] {
                #expect(try await harness.call("/accounts/authenticate", form + client).status == 422)
            }
            let unknown = try await harness.call("/accounts/authenticate", form + "nobody")
            try unknown.expectFault(404, in: ["merchant_uuid"])
        }
    }

    @Test("Calls that need a token are rejected without one, even if the publication is unknown")
    func nobody() throws {
        let directory = InPlayerDirectory()
        for needsToken in [true, false] {
            let rejection = #expect(throws: InPlayerRejection.self) {
                _ = try directory.publication(named: nil, merchant: nil, key: "unknown", needsToken: needsToken)
            }
            #expect(rejection == (needsToken ? InPlayerRejection.notSignedIn : InPlayerRejection.unknownMerchant))
        }
        #expect(InPlayerCall.accounts.needsToken(.get) && !InPlayerCall.accounts.needsToken(.post))
    }

    @Test("Unknown paths yield 404 and wrong methods 405, both in the SDKs' error format")
    func errors() async throws {
        try await InPlayerHarness.run { (harness: InPlayerHarness) async throws in
            for path in [
                "/accounts/nothing", "/items", "/items/a/b/c", "/v2/accounts/authenticate/x", "/iot", "/iot/keys/x",
                "/external-payments/apple", "/subscriptions/1", "/daily/accounts/forgot-password/a/b",
            ] {
                #expect(try await harness.call(path).status == 404, "\(path)")
            }
            for (path, method, allowed) in [
                ("/accounts", HTTPRequest.Method.delete, "GET, HEAD, POST, PUT, OPTIONS"),
                ("/accounts/erase", .post, "DELETE, OPTIONS"), ("/accounts/authenticate", .get, "POST, OPTIONS"),
                ("/items/43929", .patch, "GET, HEAD, OPTIONS"),
            ] {
                let response = try await harness.call(path, method: method)
                #expect(response.status == 405 && response.headers[.allow] == allowed)
            }
            let head = try await harness.call("/items/43929", method: .head)
            #expect(head.status == 200 && head.bytes.isEmpty && head.headers[.contentType] == "application/json")
        }
    }

    @Test("Unsupported SDK calls yield a 404 that scripts can read, preflights included")
    func unsupported() async throws {
        try await InPlayerHarness.run { (harness: InPlayerHarness) async throws in
            let session = try await harness.register()
            for path in [
                "/payments", "/v2/payments", "/payments/methods", "/payments/method/1/tools",
                "/payments/transactions?exclude=store-payment", "/v2/payments/cards/default",
                "/v2/accounting/payment-history", "/v2/accounting/transactions/1", "/vouchers/discount",
                "/branding/paywall/\(InPlayerHarness.merchant)/1", "/restrictions/settings/\(InPlayerHarness.merchant)",
                "/v2/features", "/v2/nfts", "/v2/nfts/1/price", "/dlc/1/links", "/external-payments",
                "/v2/accounts/media/favorites/abc", "/v2/items/43929/donations", "/items/used-trial-period/1",
                "/subscriptions/1", "/daily/v2/features", "/daily/payments/methods",
            ] {
                for method in [HTTPRequest.Method.get, .post, .delete] {
                    let response = try await harness.call(
                        path, method == .post ? "a=b" : nil, method: method, token: session.access,
                        headers: [.origin: "https://www.example.com"])
                    // Has the format of an item path, which only allows reading.
                    let isItem = path.contains("/items/")
                    #expect(response.status == 404 || isItem && response.status == 405, "\(method) \(path)")
                    #expect(response.headers[.accessControlAllowOrigin] == "*", "\(method) \(path)")
                }
                let preflight = try await harness.call(
                    path, method: .options,
                    headers: [.origin: "https://www.example.com", .accessControlRequestMethod: "PATCH"])
                #expect(preflight.status == 204 && preflight.headers[.accessControlAllowOrigin] == "*", "\(path)")
                #expect(preflight.headers[.accessControlAllowMethods]?.contains("PATCH") == true)
            }
        }
    }

    @Test("Favourites and watch history are empty for every signed-in account")
    func media() async throws {
        try await InPlayerHarness.run { (harness: InPlayerHarness) async throws in
            let session = try await harness.register()
            for path in ["/v2/accounts/media/favorites", "/v2/accounts/media/watch-history?filter=currently_watching"] {
                let response = try await harness.call(path, token: session.access)
                #expect(response.status == 200 && response.text == #"{"collection":[]}"#)
                #expect(response.headers[.accessControlAllowOrigin] == "*")
                #expect(try await harness.call(path).status == 401)
                for method in [HTTPRequest.Method.post, .patch] {
                    #expect(
                        try await harness.call(path, "media_id=a", method: method, token: session.access).status == 405)
                }
            }
        }
    }

    @Test("Paths of other front doors are left alone")
    func others() async throws {
        try await InPlayerHarness.run { (harness: InPlayerHarness) async throws in
            for path in [
                "/", "/sign_in", "/daily", "/daily/sign_in", "/v2", "/v2/x", "/.well-known/x", "/monthly/items/1",
                "/features", "/accounting", "/nfts/1",
            ] {
                let response = try await harness.client.execute(uri: path, method: .get)
                #expect(response.status == .notFound && response.headers[.contentType] != "application/json", "\(path)")
            }
        }
    }

    @Test("Oversized and unreadable requests fail in the same error format")
    func limits() async throws {
        try await InPlayerHarness.run { (harness: InPlayerHarness) async throws in
            let long = String(repeating: "x", count: 300_000)
            #expect(try await harness.call("/accounts/authenticate", "a=\(long)").status == 413)
            let many = (0..<200).map { "a\($0)=1" }.joined(separator: "&")
            #expect(try await harness.call("/accounts/authenticate", many).status == 400)
            #expect(
                try await harness.call("/accounts/authenticate", "<a/>", headers: [.contentType: "text/xml"]).status
                    == 415)
            #expect(
                try await harness.call("/accounts/authenticate", "{", headers: [.contentType: "application/json"])
                    .status
                    == 400)
            let json = #"{"grant_type":"password","username":"a@example.com","password":"x"}"#
            #expect(
                try await harness.call("/accounts/authenticate", json, headers: [.contentType: "application/json"])
                    .status
                    == 422)
        }
    }

    @Test("Scripts of the configured origins may call, and may read errors")
    func crossOrigin() async throws {
        try await InPlayerHarness.run { (harness: InPlayerHarness) async throws in
            let preflight = try await harness.call(
                "/accounts/erase", method: .options,
                headers: [
                    .origin: "https://www.example.com", .accessControlRequestMethod: "DELETE",
                    .accessControlRequestHeaders: "authorization, x-custom, bad(name",
                ])
            #expect(preflight.status == 204 && preflight.bytes.isEmpty)
            #expect(preflight.headers[.accessControlAllowOrigin] == "*")
            #expect(preflight.headers[.accessControlAllowMethods]?.contains("DELETE") == true)
            #expect(
                preflight.headers[.accessControlAllowHeaders]
                    == "Authorization, Content-Type, Accept, Authentication-Type, x-custom")
            for path in ["/accounts", "/items/43929", "/accounts/nothing", "/items/1"] {
                #expect(try await harness.call(path).headers[.accessControlAllowOrigin] == "*")
            }
        }
        try await InPlayerHarness.run({
            $0.settings = { $0.origins = InPlayerOrigins(["https://www.example.com"]) }
        }) { (harness: InPlayerHarness) async throws in
            for path in ["/daily/accounts", "/items/\(InPlayerHarness.merchant)/43929", "/accounts"] {
                let good = try await harness.call(path, headers: [.origin: "https://www.example.com"])
                #expect(good.headers[.accessControlAllowOrigin] == "https://www.example.com", "\(path)")
                #expect(good.headers[.vary] == "Origin")
                let bad = try await harness.call(path, headers: [.origin: "https://evil.example"])
                #expect(bad.headers[.accessControlAllowOrigin] == nil && bad.headers[.vary] == "Origin", "\(path)")
            }
            let rejected = try await harness.call(
                "/daily/accounts", method: .options, headers: [.origin: "https://evil.example"])
            #expect(rejected.status == 204 && rejected.headers[.accessControlAllowOrigin] == nil)
        }
    }

    @Test("10,000 hostile texts are parsed without a crash")
    func fuzz() throws {
        var random = SeededRandom(seed: 21)
        let words = [
            "accounts", "items", "v2", "access", "customers", "forgot-password", "daily", "iot", "keys", "assets",
            "external", "", "%2F", "%", "%41", "..", ".well-known", "jwks.json", "authenticate", "external-payments",
        ]
        for round in 0..<10_000 {
            let path: String
            if round % 2 == 0 {
                path =
                    "/"
                    + (0..<Int.random(in: 0...7, using: &random)).map { _ in words.randomElement(using: &random)! }
                    .joined(separator: "/")
            } else {
                path = String(decoding: random.hostileBytes(upTo: 80, specialCharacters: "/%2Fav.2"), as: UTF8.self)
            }
            let address = InPlayerAddress(path, isKnown: { $0.rawValue == "daily" })
            if let call = address?.call { #expect(call.pattern.hasPrefix("/") && !call.methods.isEmpty) }
        }
    }

    @Test("2,000 hostile forms and bearer tokens get responses in the SDKs' format")
    func hostileSpellings() async throws {
        try await InPlayerHarness.run { (harness: InPlayerHarness) async throws in
            var random = SeededRandom(seed: 23)
            let session = try await harness.register()
            let calls: [(String, HTTPRequest.Method)] = [
                ("/accounts", .post), ("/accounts", .put), ("/accounts/authenticate", .post),
                ("/accounts/forgot-password", .post), ("/accounts/forgot-password/x", .put),
                ("/accounts/change-password", .post), ("/accounts/erase", .delete),
                ("/v2/external-payments/apple/validate", .post), ("/items/access/customers", .get),
            ]
            let names = [
                "username", "password", "grant_type", "refresh_token", "metadata[", "metadata[a]", "receipt", "item_id",
                "access_fee_id", "email", "old_password", "client_secret", "product_name", "date_of_birth", "state",
            ]
            for round in 0..<2_000 {
                let (path, method) = calls[round % calls.count]
                let form = (0..<Int.random(in: 0...6, using: &random)).map { _ in
                    let value = String(
                        decoding: random.hostileBytes(
                            upTo: 30, specialCharacters: "=&%+[]{}\"refresh_tokenpassword123"),
                        as: UTF8.self)
                    return "\(names.randomElement(using: &random)!)=\(value)"
                }.joined(separator: "&")
                let response = try await harness.call(
                    path, method == .get ? nil : form, method: method,
                    token: Bool.random(using: &random) ? session.access : nil)
                #expect((200..<500).contains(response.status), "\(path) \(form) \(response.text)")
            }
        }
    }
}
