import Commerce
import Foundation
import Hummingbird
import HummingbirdTesting
import TestSupport
import Testing
import XML

@testable import FrontDoors

@Suite("Edition credentials for a store receipt", .timeLimit(.minutes(10)))
struct PugpigReceiptsTests {
    private static let google =
        "/edition_credentials/google?data=%7B%7D&sig=AA%3D%3D&sku=daily.2026-10"
    private static let amazon =
        "/edition_credentials/amazon?user_id=u&token=t&product_sku=daily.2026-10"
    private static let itunes = "/edition_credentials/itunes?productid=daily.2026-10"
    private static let binary: [UInt8] = [0x30, 0x80, 0x06, 0xFB, 0xE0, 0x2B]

    @Test(
        "Every path, with or without slash and publication, yields the same document")
    func paths() async throws {
        try await ReceiptFrontDoorHarness.open { door, shop in
            try await door.test { client in
                for prefix in ["", "/title"] {
                    for slash in ["", "/"] {
                        func spelt(_ target: String) -> String {
                            let parts = target.split(separator: "?", maxSplits: 1)
                            return "\(prefix)\(parts[0])\(slash)?\(parts[1])"
                        }
                        #expect(
                            try await ReceiptFrontDoorHarness.requestCredentials(client, spelt(Self.google)).isGranted)
                        #expect(
                            try await ReceiptFrontDoorHarness.requestCredentials(client, spelt(Self.amazon)).isGranted)
                        #expect(
                            try await ReceiptFrontDoorHarness.requestCredentials(
                                client, spelt(Self.itunes), body: Self.binary
                            ).isGranted)
                    }
                }
                for path in ["/edition_credentials/blackberry", "/other/edition_credentials/google"] {
                    #expect(try await ReceiptFrontDoorHarness.send(client, path).status == .notFound)
                }
                let put = try await client.execute(uri: Self.google, method: .put)
                #expect(put.status == .methodNotAllowed)
                #expect(put.headers[.cacheControl] == NoCacheHeaders.cacheControl)
                #expect(try await client.execute(uri: Self.google, method: .head).status == .ok)
                #expect(try await client.execute(uri: Self.google, method: .options).status == .noContent)
            }
        }
    }

    @Test("Apple's receipt is accepted as bytes, as base64, and as a field of a form or of JSON")
    func bodies() async throws {
        try await ReceiptFrontDoorHarness.open { door, shop in
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
                    #expect(
                        try await ReceiptFrontDoorHarness.requestCredentials(
                            client, Self.itunes, body: body, type: type
                        ).isGranted)
                    #expect(shop.apple.receipts.last?[.receipt] == base64)
                }
                #expect(
                    try await ReceiptFrontDoorHarness.requestCredentials(client, Self.itunes, body: plist).isGranted)
                #expect(shop.apple.receipts.last?[.receipt] == Data(plist).base64EncodedString())
                let long = try await ReceiptFrontDoorHarness.send(
                    client, Self.itunes, body: Array(repeating: 0x30, count: 1_100_000))
                #expect(long.status == .contentTooLarge)
            }
        }
    }

    @Test("Each store receives its own parameters, from a query or a form")
    func parameters() async throws {
        try await ReceiptFrontDoorHarness.open { door, shop in
            try await door.test { client in
                let data = #"{"productId":"a+b","x":"50%"}"#
                let query = "data=\(data.formEncoded)&sig=\("a+/=".formEncoded)&sku=daily.2026-10"
                for posted in [false, true] {
                    _ =
                        posted
                        ? try await ReceiptFrontDoorHarness.requestCredentials(
                            client, "/edition_credentials/google", body: Array(query.utf8))
                        : try await ReceiptFrontDoorHarness.requestCredentials(
                            client, "/edition_credentials/google?\(query)")
                    #expect(shop.google.receipts.last == StoreReceipt([.receipt: data, .signature: "a+/="]))
                }
                _ = try await ReceiptFrontDoorHarness.requestCredentials(
                    client, "/edition_credentials/google?token=t&sku=daily.2026-10")
                #expect(
                    shop.google.receipts.last == StoreReceipt([.token: "t", .product: "daily.2026-10"]))
                _ = try await ReceiptFrontDoorHarness.requestCredentials(client, Self.amazon)
                #expect(shop.amazon.receipts.last == StoreReceipt([.user: "u", .token: "t"]))
                for missing in ["user_id=u&token=t", "user_id=u&product_sku=p", "token=t&subs_sku=p", ""] {
                    let document = try await ReceiptFrontDoorHarness.send(
                        client, "/edition_credentials/amazon?\(missing)")
                    #expect(document.status == .badRequest)
                    #expect(document.headers[.contentType] == "text/plain; charset=utf-8")
                }
                // Another app of the publisher.
                let other = try await ReceiptFrontDoorHarness.requestCredentials(
                    client, Self.google + "&app=com.example.other")
                #expect(other.status == "notentitled")
            }
        }
    }

    @Test("Corrected from the historic server: a subscription's name alone unlocks no other product")
    func requested() async throws {
        try await ReceiptFrontDoorHarness.open { door, shop in
            try await door.test { client in
                func requestCredentials(_ product: String) async throws -> PugpigDocumentResponse {
                    try await ReceiptFrontDoorHarness.requestCredentials(
                        client, "/edition_credentials/google?data=x&sig=x&sku=\(product)")
                }
                let bought = try await requestCredentials("daily.2026-10")
                #expect(bought.isGranted)
                #expect(try await requestCredentials("daily.2026-11").status == "notentitled")
                #expect(try await requestCredentials("daily.sub.fake").status == "notentitled")
                // Without a requested product, the bought one counts.
                #expect(
                    try await ReceiptFrontDoorHarness.requestCredentials(
                        client, "/edition_credentials/google?data=x&sig=x"
                    ).isGranted)
            }
        }
    }

    @Test("Corrected from the historic server: the end of a subscription takes effect")
    func expiry() async throws {
        try await ReceiptFrontDoorHarness.open { door, shop in
            let store = shop.apple.store
            try await door.test { client in
                func requestCredentials(_ month: String) async throws -> PugpigDocumentResponse {
                    try await ReceiptFrontDoorHarness.requestCredentials(
                        client, "/edition_credentials/itunes?productid=daily.\(month)", body: Self.binary)
                }
                let ended = ReceiptFrontDoorHarness.bought(
                    "daily.sub.month", in: store, expires: ReceiptFrontDoorHarness.now.addingTimeInterval(-10 * 86_400))
                shop.apple.report { _ in .genuine([ended]) }
                let covered = try await requestCredentials("2026-10")
                #expect(covered.isGranted, "published while it ran")
                #expect(try await requestCredentials("2026-11").status == "notentitled")
                #expect(try await requestCredentials("2026-09").status == "notentitled")
                shop.apple.report { _ in .rejected(ReceiptRejection(.expired, code: 21006)) }
                #expect(try await requestCredentials("2026-10").status == "expired")
            }
        }
    }

    @Test("Corrected from the historic server: rejects sandbox receipts in production")
    func sandbox() async throws {
        for environments: Set<StoreEnvironment> in [[.production], [.production, .sandbox]] {
            try await ReceiptFrontDoorHarness.open(environments: environments) { door, shop in
                let tested = ReceiptFrontDoorHarness.bought(
                    "daily.2026-10", in: shop.apple.store, environment: .sandbox)
                shop.apple.report { _ in .genuine([tested]) }
                try await door.test { client in
                    let document = try await ReceiptFrontDoorHarness.requestCredentials(
                        client, Self.itunes, body: Self.binary)
                    #expect(document.isGranted == environments.contains(.sandbox))
                }
            }
        }
    }

    @Test("Corrected from the historic server: failures have the common format, and Apple's status is a debug comment")
    func failures() async throws {
        for hasDebugNotes in [false, true] {
            try await ReceiptFrontDoorHarness.open(hasDebugNotes: hasDebugNotes) { door, shop in
                try await door.test { client in
                    for reason in ReceiptRejection.Reason.allCases {
                        shop.apple.report { _ in .rejected(ReceiptRejection(reason, code: 21003)) }
                        let document = try await ReceiptFrontDoorHarness.requestCredentials(
                            client, Self.itunes, body: Self.binary)
                        let expected =
                            switch reason {
                            case .malformed, .forged, .notFound: "notrecognised"
                            case .expired: "expired"
                            default: "notentitled"
                            }
                        #expect(document.root.name == "credentials" && document.status == expected, "\(reason)")
                        #expect(document.message?.isEmpty == false)
                        let text = String(buffer: document.response.body)
                        #expect(text.contains("21003") == hasDebugNotes)
                        #expect(text.contains("<!--") == hasDebugNotes)
                    }
                }
            }
        }
    }

    @Test(
        "Pitfall 9: an unreachable store is no rejection, and the response carries Retry-After")
    func unavailable() async throws {
        struct UnavailableError: Error {}
        try await ReceiptFrontDoorHarness.open { door, shop in
            shop.google.report { _ in throw UnavailableError() }
            try await door.test { client in
                let document = try await ReceiptFrontDoorHarness.requestCredentials(client, Self.google)
                #expect(document.status == "notentitled" && document.response.headers[.retryAfter] == "30")
                shop.google.report { _ in
                    .genuine([ReceiptFrontDoorHarness.bought("daily.2026-10", in: shop.google.store)])
                }
                #expect(try await ReceiptFrontDoorHarness.requestCredentials(client, Self.google).isGranted)
            }
        }
    }

    @Test("Any body is parsed without a crash")
    func total() {
        var random = SeededRandom(seed: 61)
        for round in 0..<8_000 {
            let specialCharacters = round.isMultiple(of: 2) ? "{\"receipt-data\":=&%+ 0}" : "receipt=MII+/%2B"
            _ = AppleReceiptBody.text(random.hostileBytes(upTo: 40, specialCharacters: specialCharacters))
        }
        #expect(AppleReceiptBody.text([]) == nil && AppleReceiptBody.text([0x20, 0x0A]) == nil)
    }
}
