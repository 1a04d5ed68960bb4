import Foundation
import Gatefold
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import TestSupport
import Testing

@testable import FrontDoors

@Suite("The paths of the InPlayer front door")
struct InPlayerPathTests {
    @Test(
        "are read with and without a publication, a version and a slash behind them",
        arguments: [
            "/items/43929", "/items/43929/", "/daily/items/43929", "/daily/v2/items/43929/", "/v2/items/43929",
            "/v1/items/\(InPlayerRig.merchant)/43929",
        ])
    func spellings(_ path: String) async throws {
        try await InPlayerRig.run { (rig: InPlayerRig) async throws in
            #expect(try await rig.call(path).decoded(AppItem.self).id == 43929)
        }
    }

    @Test("find the publication by merchant or client; one that nobody is, or another than the path's, is unknown")
    func merchants() async throws {
        try await InPlayerRig.run({ $0.settings = { $0.clients = ["my-app"] } }) { (rig: InPlayerRig) async throws in
            let other = try await rig.call("/items/\(InPlayerRig.otherMerchant)/43929").decoded(AppItem.self)
            #expect(other.merchant_uuid == InPlayerRig.otherMerchant)
            #expect(try await rig.call("/accounts/register-fields/\(InPlayerRig.otherMerchant)").status == 200)
            #expect(try await rig.call("/items/00000000-0000-0000-0000-000000000000/43929").status == 404)
            #expect(try await rig.call("/daily/items/\(InPlayerRig.otherMerchant)/43929").status == 404)
            let form = "username=a@example.com&password=x&grant_type=password&client_id="
            #expect(try await rig.call("/accounts/authenticate", form + "My-App").status == 422)
            for client in ["undefined", "null", ""] {
                #expect(try await rig.call("/accounts/authenticate", form + client).status == 422)
            }
            let unknown = try await rig.call("/accounts/authenticate", form + "nobody")
            try unknown.expectFault(404, in: ["merchant_uuid"])
        }
    }

    @Test("that are somebody's are refused without a token, also where it is not known which publication they are of")
    func nobody() throws {
        let directory = InPlayerDirectory()
        for needsToken in [true, false] {
            let refusal = #expect(throws: InPlayerRefusal.self) {
                _ = try directory.publication(named: nil, merchant: nil, key: "unknown", needsToken: needsToken)
            }
            #expect(refusal == (needsToken ? InPlayerRefusal.notSignedIn : InPlayerRefusal.unknownMerchant))
        }
        #expect(InPlayerCall.accounts.needsToken(.get) && !InPlayerCall.accounts.needsToken(.post))
    }

    @Test("that no call has are 404, methods that it has not 405, both in the form that SDKs read")
    func errors() async throws {
        try await InPlayerRig.run { (rig: InPlayerRig) async throws in
            for path in [
                "/accounts/nothing", "/items", "/items/a/b/c", "/v2/accounts/authenticate/x", "/iot", "/iot/keys/x",
                "/external-payments/apple", "/subscriptions/1", "/daily/accounts/forgot-password/a/b",
            ] {
                #expect(try await rig.call(path).status == 404, "\(path)")
            }
            for (path, method, allowed) in [
                ("/accounts", HTTPRequest.Method.delete, "GET, HEAD, POST, PUT, OPTIONS"),
                ("/accounts/erase", .post, "DELETE, OPTIONS"), ("/accounts/authenticate", .get, "POST, OPTIONS"),
                ("/items/43929", .patch, "GET, HEAD, OPTIONS"),
            ] {
                let answer = try await rig.call(path, method: method)
                #expect(answer.status == 405 && answer.headers[.allow] == allowed)
            }
            let head = try await rig.call("/items/43929", method: .head)
            #expect(head.status == 200 && head.bytes.isEmpty && head.headers[.contentType] == "application/json")
        }
    }

    @Test("of what an SDK can do and this front door can not are 404 and readable by scripts, preflights included")
    func unsupported() async throws {
        try await InPlayerRig.run { (rig: InPlayerRig) async throws in
            let session = try await rig.register()
            for path in [
                "/payments", "/v2/payments", "/payments/methods", "/payments/method/1/tools",
                "/payments/transactions?exclude=store-payment", "/v2/payments/cards/default",
                "/v2/accounting/payment-history", "/v2/accounting/transactions/1", "/vouchers/discount",
                "/branding/paywall/\(InPlayerRig.merchant)/1", "/restrictions/settings/\(InPlayerRig.merchant)",
                "/v2/features", "/v2/nfts", "/v2/nfts/1/price", "/dlc/1/links", "/external-payments",
                "/v2/accounts/media/favorites/abc", "/v2/items/43929/donations", "/items/used-trial-period/1",
                "/subscriptions/1", "/daily/v2/features", "/daily/payments/methods",
            ] {
                for method in [HTTPRequest.Method.get, .post, .delete] {
                    let answer = try await rig.call(
                        path, method == .post ? "a=b" : nil, method: method, token: session.access,
                        headers: [.origin: "https://www.example.com"])
                    // By its form an item's, which can be read only.
                    let isItem = path.contains("/items/")
                    #expect(answer.status == 404 || isItem && answer.status == 405, "\(method) \(path)")
                    #expect(answer.headers[.accessControlAllowOrigin] == "*", "\(method) \(path)")
                }
                let preflight = try await rig.call(
                    path, method: .options,
                    headers: [.origin: "https://www.example.com", .accessControlRequestMethod: "PATCH"])
                #expect(preflight.status == 204 && preflight.headers[.accessControlAllowOrigin] == "*", "\(path)")
                #expect(preflight.headers[.accessControlAllowMethods]?.contains("PATCH") == true)
            }
        }
    }

    @Test("of favourites and of what was watched answer that there is none, to whoever is signed in")
    func media() async throws {
        try await InPlayerRig.run { (rig: InPlayerRig) async throws in
            let session = try await rig.register()
            for path in ["/v2/accounts/media/favorites", "/v2/accounts/media/watch-history?filter=currently_watching"] {
                let answer = try await rig.call(path, token: session.access)
                #expect(answer.status == 200 && answer.text == #"{"collection":[]}"#)
                #expect(answer.headers[.accessControlAllowOrigin] == "*")
                #expect(try await rig.call(path).status == 401)
                for method in [HTTPRequest.Method.post, .patch] {
                    #expect(try await rig.call(path, "media_id=a", method: method, token: session.access).status == 405)
                }
            }
        }
    }

    @Test("are left to others that are not ours")
    func others() async throws {
        try await InPlayerRig.run { (rig: InPlayerRig) async throws in
            for path in [
                "/", "/sign_in", "/daily", "/daily/sign_in", "/v2", "/v2/x", "/.well-known/x", "/monthly/items/1",
                "/features", "/accounting", "/nfts/1",
            ] {
                let answer = try await rig.client.execute(uri: path, method: .get)
                #expect(answer.status == .notFound && answer.headers[.contentType] != "application/json", "\(path)")
            }
        }
    }

    @Test("answer what is too much or not to be read in the same form")
    func limits() async throws {
        try await InPlayerRig.run { (rig: InPlayerRig) async throws in
            let long = String(repeating: "x", count: 300_000)
            #expect(try await rig.call("/accounts/authenticate", "a=\(long)").status == 413)
            let many = (0..<200).map { "a\($0)=1" }.joined(separator: "&")
            #expect(try await rig.call("/accounts/authenticate", many).status == 400)
            #expect(
                try await rig.call("/accounts/authenticate", "<a/>", headers: [.contentType: "text/xml"]).status == 415)
            #expect(
                try await rig.call("/accounts/authenticate", "{", headers: [.contentType: "application/json"]).status
                    == 400)
            let json = #"{"grant_type":"password","username":"a@example.com","password":"x"}"#
            #expect(
                try await rig.call("/accounts/authenticate", json, headers: [.contentType: "application/json"]).status
                    == 422)
        }
    }

    @Test("may be called by scripts of the pages that the settings name, errors included")
    func crossOrigin() async throws {
        try await InPlayerRig.run { (rig: InPlayerRig) async throws in
            let preflight = try await rig.call(
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
                #expect(try await rig.call(path).headers[.accessControlAllowOrigin] == "*")
            }
        }
        try await InPlayerRig.run({
            $0.settings = { $0.origins = InPlayerOrigins(["https://www.example.com"]) }
        }) { (rig: InPlayerRig) async throws in
            for path in ["/daily/accounts", "/items/\(InPlayerRig.merchant)/43929", "/accounts"] {
                let good = try await rig.call(path, headers: [.origin: "https://www.example.com"])
                #expect(good.headers[.accessControlAllowOrigin] == "https://www.example.com", "\(path)")
                #expect(good.headers[.vary] == "Origin")
                let bad = try await rig.call(path, headers: [.origin: "https://evil.example"])
                #expect(bad.headers[.accessControlAllowOrigin] == nil && bad.headers[.vary] == "Origin", "\(path)")
            }
            let refused = try await rig.call(
                "/daily/accounts", method: .options, headers: [.origin: "https://evil.example"])
            #expect(refused.status == 204 && refused.headers[.accessControlAllowOrigin] == nil)
        }
    }

    @Test("are read from 10,000 hostile texts without a trap")
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
                path = String(decoding: random.hostileBytes(upTo: 80, spice: "/%2Fav.2"), as: UTF8.self)
            }
            let address = InPlayerAddress(path, isKnown: { $0.rawValue == "daily" })
            if let call = address?.call { #expect(call.pattern.hasPrefix("/") && !call.methods.isEmpty) }
        }
    }

    @Test("answer 2,000 hostile forms and bearers in the form that SDKs read")
    func hostileForms() async throws {
        try await InPlayerRig.run { (rig: InPlayerRig) async throws in
            var random = SeededRandom(seed: 23)
            let session = try await rig.register()
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
                        decoding: random.hostileBytes(upTo: 30, spice: "=&%+[]{}\"refresh_tokenpassword123"),
                        as: UTF8.self)
                    return "\(names.randomElement(using: &random)!)=\(value)"
                }.joined(separator: "&")
                let answer = try await rig.call(
                    path, method == .get ? nil : form, method: method,
                    token: Bool.random(using: &random) ? session.access : nil)
                #expect((200..<500).contains(answer.status), "\(path) \(form) \(answer.text)")
            }
        }
    }
}
