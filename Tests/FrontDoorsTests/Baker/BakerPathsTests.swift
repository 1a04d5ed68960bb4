import Commerce
import Foundation
import HTTPTypes
import HummingbirdTesting
import TestSupport
import Testing

@testable import FrontDoors

@Suite("Baker paths")
struct BakerPathsTests {
    @Test("A publication's own paths replace the default paths")
    func ownPaths() async throws {
        let paths = [
            BakerCall.purchases: PathTemplate("/shop/:USER_ID/purchases")!,
            .issue: PathTemplate("/shop/get/:name/:user_id")!,
            .shelf: PathTemplate("/shop/shelf.json")!,
        ]
        try await withStorefrontHarness(paths: paths) { storefrontHarness, client async throws in
            #expect(
                try await client.send("/shop/\(StorefrontHarness.user)/purchases?app_id=com.example.daily").status
                    == .ok)
            #expect(try await client.send("/purchases/com.example.daily/\(StorefrontHarness.user)").status == .notFound)
            #expect(try await client.send("/shop/shelf.json?app_id=com.example.daily.lite").status == .ok)
            #expect(try await client.send("/apns/com.example.daily/x", "apns_token=x").status == .ok)
            let shelf = try await client.send("/shop/shelf.json?app_id=com.example.daily").text
            #expect(shelf.contains(#""url":"https://editions.example.com/shop/get/ed-08/:user_id""#))
            #expect(try await client.send("/shop/get/sampler/x?app_id=com.example.daily").status == .seeOther)
            #expect(try await client.send("/shop").status == .notFound)
        }
    }

    @Test("One path serves different calls of two publications")
    func shared() async throws {
        let path = PathTemplate("/x/:app_id/:user_id")!
        try await withTwoStorefrontHarnesses(paths: [.shelf: path], [.confirmation: path]) {
            first, second, client async throws in
            let receipt = second.store.accept("one", second.store.purchase("ed-08", id: "1"))
            #expect(try await client.send("/x/com.example.daily/u").text.hasPrefix("["))
            let confirmed = try await client.send("/x/com.example.weekly/u", "receipt_data=\(receipt.formEncoded)")
            #expect(confirmed.status == .ok && confirmed.text == #"{"status":"recorded"}"#)
            let wrong = try await client.send("/x/com.example.daily/u", "receipt_data=\(receipt.formEncoded)")
            #expect(wrong.status == .methodNotAllowed && wrong.headers[.allow] == "GET, HEAD, OPTIONS")
            #expect(try await client.send("/x/com.example.weekly/u").headers[.allow] == "POST, OPTIONS")
            #expect(try await client.send("/x/a/u", method: .options).headers[.allow] == "GET, HEAD, POST, OPTIONS")
            #expect(try await client.send("/x/com.example.other/u").status == .notFound)
            #expect(try await client.send("/x/a/u", method: .delete).status == .methodNotAllowed)
        }
    }

    @Test("Parameters in the path precede the body, and the body precedes the query, in any letter case")
    func precedence() async throws {
        try await withStorefrontHarness { storefrontHarness, client async throws in
            let receipt = storefrontHarness.store.accept("one", storefrontHarness.store.purchase("ed-08", id: "1"))
            let reported = try await client.send(
                "/confirmpurchase?app_id=com.example.daily&user_id=query&receipt_data=x",
                "User_ID=body&RECEIPT_DATA=\(receipt.formEncoded)")
            #expect(reported.status == .ok)
            for (target, body, products) in [
                ("/purchases?app_id=com.example.daily&user_id=query", "User_Id=body", #"["ed-08"]"#),
                ("/purchases?app_id=com.example.daily&user_id=body", "USER_ID=other", "[]"),
                ("/purchases/com.example.daily/body?user_id=query", "User_ID=other", #"["ed-08"]"#),
                ("/purchases?app_id=com.example.daily", "user_id=other&User_ID=body", #"["ed-08"]"#),
            ] {
                let response = try await client.send(target, body)
                #expect(response.text.hasPrefix(#"{"issues":\#(products)"#), "\(target) \(body)")
            }
        }
    }

    @Test("Baker's RESTful example paths work together with the default paths of another publication")
    func restful() async throws {
        let paths = [
            BakerCall.shelf: PathTemplate("/:app_id/issues"),
            .confirmation: PathTemplate("/:app_id/:user_id/confirm_purchase"),
            .purchases: PathTemplate("/:app_id/:user_id/purchases"),
            .pushToken: PathTemplate("/:app_id/:user_id/apns_token"),
        ]
        let all = try paths.mapValues { try #require($0) }
        try await withTwoStorefrontHarnesses(paths: all, [:]) { first, second, client async throws in
            let receipt = first.store.accept("one", first.store.purchase("ed-08", id: "1"))
            #expect(try await client.send("/com.example.daily/issues").text.hasPrefix("["))
            let confirmed = try await client.send(
                "/com.example.daily/u/confirm_purchase", "receipt_data=\(receipt.formEncoded)&type=issue")
            #expect(confirmed.status == .ok)
            #expect(try await client.send("/com.example.daily/u/purchases").text.hasPrefix(#"{"issues":["ed-08"]"#))
            #expect(try await client.send("/com.example.daily/v/purchases").text.hasPrefix(#"{"issues":[]"#))
            #expect(try await client.send("/com.example.daily/u/apns_token", "apns_token=x").status == .ok)
            #expect(
                try await client.send("/com.example.daily/u/purchases", method: .delete).status == .methodNotAllowed)
            // Paths of the other publication, of no publication or of a foreign app are not handled: another front door
            // may own them.
            for path in [
                "/com.example.weekly/issues", "/com.example.weekly/u/purchases", "/com.example.other/u/purchases",
                "/:app_id/issues", "/com.example.daily/u/v/purchases",
            ] {
                #expect(try await client.send(path).status == .notFound, "\(path)")
            }
            #expect(try await client.send("/purchases/com.example.weekly/u").status == .ok)
        }
    }

    @Test(
        "Invalid text and unfilled placeholders are rejected as the user id",
        arguments: [
            "/purchases?app_id=com.example.daily&user_id=:user_id", "/purchases/com.example.daily/:user_id",
            "/purchases/com.example.daily/:user_id?user_id=:User_ID", "/purchases/com.example.daily/%25installid%25",
            "/purchases?app_id=com.example.daily&user_id=%25installid%25", "/purchases/com.example.daily/J%F6rg",
            "/purchases/com.example.daily/J%EF%BF%BDrg", "/purchases?app_id=com.example.daily&user_id=J%FCrg",
        ])
    func unfilled(_ target: String) async throws {
        try await withStorefrontHarness { _, client async throws in
            let response = try await client.send(target)
            #expect([HTTPResponse.Status.badRequest, .notFound].contains(response.status), "\(response.text)")
        }
    }

    @Test(
        "A path template needs plain segments and at least one literal segment",
        arguments: [
            "", "/", "shop", "/:app_id", "/:app_id/:user_id", "/shop/", "/shop//x", "/shop/:", "/shop/:a/:A",
            "/sh%20op", "/shop?x",
            "/shop/..",
            "/shop/é", "/shop/:a:b", "//shop", "/shop#",
        ])
    func malformed(text: String) {
        #expect(PathTemplate(text) == nil)
    }

    @Test("Settings reject ambiguous paths and an issue path without a name")
    func conflicts() throws {
        #expect(throws: BakerSettingsError.ambiguousPaths(.confirmation, .purchases)) {
            try BakerSettings(paths: [.confirmation: PathTemplate("/purchases/:user_id/:app_id")!])
        }
        #expect(throws: BakerSettingsError.missingNameParameter(PathTemplate("/issue/:id")!)) {
            try BakerSettings(paths: [.issue: PathTemplate("/issue/:id")!])
        }
        _ = try BakerSettings(paths: [.purchases: PathTemplate("/issues/:app_id/:user_id/purchases")!])
        // Works together with the default `/issues/:app_id/:user_id`, because no app is called `issues`.
        _ = try BakerSettings(paths: [.purchases: PathTemplate("/:app_id/:user_id/purchases")!])
        #expect(throws: BakerSettingsError.ambiguousPaths(.purchases, .shelf)) {
            try BakerSettings(paths: [
                .shelf: PathTemplate("/:app_id/issues/:user_id")!, .purchases: PathTemplate("/:app_id/:user_id/x")!,
            ])
        }
    }

    @Test("A template matches a path whose last parameters are missing")
    func matching() throws {
        let template = try #require(PathTemplate("/purchases/:app_id/:user_id"))
        #expect(template.match("/purchases/a/b")?.values == ["app_id": "a", "user_id": "b"])
        #expect(template.match("/purchases/a")?.values == ["app_id": "a"])
        #expect(template.match("/purchases/")?.values == [:])
        #expect(template.match("/purchases//b")?.values == ["user_id": "b"])
        #expect(template.match("/purchases/a+b/%62%zz%")?.values == ["app_id": "a+b", "user_id": "b%zz%"])
        for path in ["/purchases/a/J%F6rg", "/purchases/%EF%BF%BD/b", "/purchases/a/\u{FFFD}"] {
            #expect(template.match(path) == nil, "\(path)")
        }
        for path in ["/purchase/a/b", "/Purchases/a/b", "/purchases/a/b/c", "purchases/a/b", "", "/x/purchases/a/b"] {
            #expect(template.match(path) == nil, "\(path)")
        }
    }

    @Test("Routes, templates and bodies survive 10,000 random inputs")
    func random() throws {
        let routes = BakerRoutes([try BakerSettings()])
        var random = SeededRandom(seed: 17)
        for _ in 0..<10_000 {
            let bytes = random.hostileBytes(upTo: 24, specialCharacters: "/:%issueapp_id{}=\";,. \\")
            let text = String(decoding: bytes, as: UTF8.self)
            #expect(routes.routes(of: "/issue/" + text).allSatisfy { $0.call == .issue })
            _ = PathTemplate("/" + text)
            _ = try? BakerBody.parse(bytes)
            _ = try? BakerBody.parse(Array("{".utf8) + bytes)
            _ = try? BasispressRegistration(bytes)
            if let receipt = ReceiptText.repaired(text) {
                #expect(ReceiptText.repaired(receipt) == receipt, "\(text)")
            }
        }
    }

    @Test("Bodies survive 10,000 mutations of each format")
    func damaged() {
        let bodies = [
            "receipt_data=ABCD+/==&type=issue", #"{"receipt_data":"ABCD","type":"issue"}"#,
            "{ \"receipt-data\" = \"AB\\nCD\"; type = issue; }",
        ].map { Array($0.utf8) }
        var random = SeededRandom(seed: 19)
        for round in 0..<10_000 {
            var body = bodies[round % bodies.count]
            let index = Int.random(in: 0..<body.count, using: &random)
            if Bool.random(using: &random) {
                body[index] = UInt8.random(in: .min ... .max, using: &random)
            } else {
                body.removeSubrange(index..<min(body.count, index + Int.random(in: 1...4, using: &random)))
            }
            _ = try? BakerBody.parse(body)
        }
    }
}
