import Foundation
import Gatefold
import Hummingbird
import HummingbirdTesting
import TestSupport
import Testing
import XML

@testable import FrontDoors

@Suite("Edition credentials for a store's receipt", .timeLimit(.minutes(10)))
struct PugpigReceiptsTests {
    private static let google =
        "/edition_credentials/google?data=%7B%7D&sig=AA%3D%3D&sku=daily.2026-10"
    private static let amazon =
        "/edition_credentials/amazon?user_id=u&token=t&product_sku=daily.2026-10"
    private static let itunes = "/edition_credentials/itunes?productid=daily.2026-10"
    private static let binary: [UInt8] = [0x30, 0x80, 0x06, 0xFB, 0xE0, 0x2B]

    @Test(
        "are given in the same document by every path, with and without the slash and the publication")
    func paths() async throws {
        try await ReceiptDoor.open { door, shop in
            try await door.test { client in
                for prefix in ["", "/title"] {
                    for slash in ["", "/"] {
                        func spelt(_ target: String) -> String {
                            let parts = target.split(separator: "?", maxSplits: 1)
                            return "\(prefix)\(parts[0])\(slash)?\(parts[1])"
                        }
                        #expect(try await ReceiptDoor.ask(client, spelt(Self.google)).isGranted)
                        #expect(try await ReceiptDoor.ask(client, spelt(Self.amazon)).isGranted)
                        #expect(
                            try await ReceiptDoor.ask(client, spelt(Self.itunes), body: Self.binary).isGranted)
                    }
                }
                for path in ["/edition_credentials/blackberry", "/other/edition_credentials/google"] {
                    #expect(try await ReceiptDoor.send(client, path).status == .notFound)
                }
                let put = try await client.execute(uri: Self.google, method: .put)
                #expect(put.status == .methodNotAllowed)
                #expect(put.headers[.cacheControl] == NoCacheHeaders.cacheControl)
                #expect(try await client.execute(uri: Self.google, method: .head).status == .ok)
                #expect(try await client.execute(uri: Self.google, method: .options).status == .noContent)
            }
        }
    }

    @Test("Apple's receipt is taken as its bytes, as base64, and as the field of a form or of JSON")
    func bodies() async throws {
        try await ReceiptDoor.open { door, shop in
            let base64 = Data(Self.binary).base64EncodedString()
            #expect(base64.contains("+"))
            let form = "application/x-www-form-urlencoded"
            let plist = Array(#"{ "signature" = "Ajx+"; "pod" = "100"; }"#.utf8)
            try await door.test { client in
                for (body, type) in [
                    (Self.binary, nil), (Self.binary, form), (Self.binary, "application/octet-stream"),
                    (Array(base64.utf8), nil), (Array((base64 + "\r\n").utf8), "text/plain"),
                    (Array("receipt=\(base64)".utf8), form),
                    (Array("receipt-data=\(base64.formEncoded)".utf8), nil),
                    (Array("{\"receipt-data\":\"\(base64)\"}".utf8), "application/json"),
                ] {
                    #expect(try await ReceiptDoor.ask(client, Self.itunes, body: body, type: type).isGranted)
                    #expect(shop.apple.receipts.last?[.receipt] == base64)
                }
                #expect(try await ReceiptDoor.ask(client, Self.itunes, body: plist).isGranted)
                #expect(shop.apple.receipts.last?[.receipt] == Data(plist).base64EncodedString())
                let long = try await ReceiptDoor.send(
                    client, Self.itunes, body: Array(repeating: 0x30, count: 1_100_000))
                #expect(long.status == .contentTooLarge)
            }
        }
    }

    @Test("Each store's own parameters reach it, by query and by form")
    func parameters() async throws {
        try await ReceiptDoor.open { door, shop in
            try await door.test { client in
                let data = #"{"productId":"a+b","x":"50%"}"#
                let query = "data=\(data.formEncoded)&sig=\("a+/=".formEncoded)&sku=daily.2026-10"
                for posted in [false, true] {
                    _ =
                        posted
                        ? try await ReceiptDoor.ask(
                            client, "/edition_credentials/google", body: Array(query.utf8))
                        : try await ReceiptDoor.ask(client, "/edition_credentials/google?\(query)")
                    #expect(shop.google.receipts.last == StoreReceipt([.receipt: data, .signature: "a+/="]))
                }
                _ = try await ReceiptDoor.ask(
                    client, "/edition_credentials/google?token=t&sku=daily.2026-10")
                #expect(
                    shop.google.receipts.last == StoreReceipt([.token: "t", .product: "daily.2026-10"]))
                _ = try await ReceiptDoor.ask(client, Self.amazon)
                #expect(shop.amazon.receipts.last == StoreReceipt([.user: "u", .token: "t"]))
                for missing in ["user_id=u&token=t", "user_id=u&product_sku=p", "token=t&subs_sku=p", ""] {
                    let answer = try await ReceiptDoor.send(client, "/edition_credentials/amazon?\(missing)")
                    #expect(answer.status == .badRequest)
                    #expect(answer.headers[.contentType] == "text/plain; charset=utf-8")
                }
                // Another of the publisher's apps.
                let other = try await ReceiptDoor.ask(client, Self.google + "&app=com.example.other")
                #expect(other.status == "notentitled")
            }
        }
    }

    @Test(
        "Hole of the reference: any product that was asked for was unlocked by a subscription's name alone"
    )
    func requested() async throws {
        try await ReceiptDoor.open { door, shop in
            try await door.test { client in
                func ask(_ product: String) async throws -> Answer {
                    try await ReceiptDoor.ask(
                        client, "/edition_credentials/google?data=x&sig=x&sku=\(product)")
                }
                let bought = try await ask("daily.2026-10")
                #expect(bought.isGranted)
                #expect(try await ask("daily.2026-11").status == "notentitled")
                #expect(try await ask("daily.sub.fake").status == "notentitled")
                // Nothing asked for: what was bought.
                #expect(
                    try await ReceiptDoor.ask(client, "/edition_credentials/google?data=x&sig=x").isGranted)
            }
        }
    }

    @Test("Hole of the reference: the end of a subscription was only logged")
    func expiry() async throws {
        try await ReceiptDoor.open { door, shop in
            let store = shop.apple.store
            try await door.test { client in
                func ask(_ month: String) async throws -> Answer {
                    try await ReceiptDoor.ask(
                        client, "/edition_credentials/itunes?productid=daily.\(month)", body: Self.binary)
                }
                let ended = ReceiptDoor.bought(
                    "daily.sub.month", in: store, expires: ReceiptDoor.now.addingTimeInterval(-10 * 86_400))
                shop.apple.say { _ in .genuine([ended]) }
                let covered = try await ask("2026-10")
                #expect(covered.isGranted, "published while it ran")
                #expect(try await ask("2026-11").status == "notentitled")
                #expect(try await ask("2026-09").status == "notentitled")
                shop.apple.say { _ in .refused(ReceiptRefusal(.expired, code: 21006)) }
                #expect(try await ask("2026-10").status == "expired")
            }
        }
    }

    @Test("Hole of the reference: sandbox receipts were honoured in production")
    func sandbox() async throws {
        for environments: Set<StoreEnvironment> in [[.production], [.production, .sandbox]] {
            try await ReceiptDoor.open(environments: environments) { door, shop in
                let tested = ReceiptDoor.bought(
                    "daily.2026-10", in: shop.apple.store, environment: .sandbox)
                shop.apple.say { _ in .genuine([tested]) }
                try await door.test { client in
                    let answer = try await ReceiptDoor.ask(client, Self.itunes, body: Self.binary)
                    #expect(answer.isGranted == environments.contains(.sandbox))
                }
            }
        }
    }

    @Test(
        "Hole of the reference: failures had another shape. Apple's number is a comment for the developer"
    )
    func failures() async throws {
        for hasDebugComments in [false, true] {
            try await ReceiptDoor.open(hasDebugComments: hasDebugComments) { door, shop in
                try await door.test { client in
                    for reason in ReceiptRefusal.Reason.allCases {
                        shop.apple.say { _ in .refused(ReceiptRefusal(reason, code: 21003)) }
                        let answer = try await ReceiptDoor.ask(client, Self.itunes, body: Self.binary)
                        let expected =
                            switch reason {
                            case .malformed, .forged, .notFound: "notrecognised"
                            case .expired: "expired"
                            default: "notentitled"
                            }
                        #expect(answer.root.name == "credentials" && answer.status == expected, "\(reason)")
                        #expect(answer.message?.isEmpty == false)
                        let text = String(buffer: answer.response.body)
                        #expect(text.contains("21003") == hasDebugComments)
                        #expect(text.contains("<!--") == hasDebugComments)
                    }
                }
            }
        }
    }

    @Test(
        "Pitfall 9: a store that can not be asked refuses nothing; the app is told when to come again")
    func unavailable() async throws {
        struct Down: Error {}
        try await ReceiptDoor.open { door, shop in
            shop.google.say { _ in throw Down() }
            try await door.test { client in
                let answer = try await ReceiptDoor.ask(client, Self.google)
                #expect(answer.status == "notentitled" && answer.response.headers[.retryAfter] == "30")
                shop.google.say { _ in
                    .genuine([ReceiptDoor.bought("daily.2026-10", in: shop.google.store)])
                }
                #expect(try await ReceiptDoor.ask(client, Self.google).isGranted)
            }
        }
    }

    @Test("Any body is read without harm")
    func total() {
        var random = SeededRandom(seed: 61)
        for round in 0..<8_000 {
            let spice = round.isMultiple(of: 2) ? "{\"receipt-data\":=&%+ 0}" : "receipt=MII+/%2B"
            _ = AppleReceiptBody.text(random.hostileBytes(upTo: 40, spice: spice))
        }
        #expect(AppleReceiptBody.text([]) == nil && AppleReceiptBody.text([0x20, 0x0A]) == nil)
    }
}
