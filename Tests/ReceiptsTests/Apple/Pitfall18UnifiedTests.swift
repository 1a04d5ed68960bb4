import Commerce
import Foundation
import PKCS7
import StoreFixtures
import TestSupport
import Testing

@testable import Receipts

@Suite("Pitfall 18: forged and unsuitable unified receipts", .timeLimit(.minutes(10)))
struct Pitfall18UnifiedTests {
    private typealias Authority = ReceiptAuthority

    private func authority() async throws -> Authority { try await Authority.shared.value }

    private func verdict(
        _ bytes: [UInt8], environments: Set<StoreEnvironment> = [.production],
        at timestamp: Date = AppleFixture.timestamp
    ) async throws -> ReceiptVerdict {
        try await AppleFixture.local(environments: environments)
            .verify(.of(bytes), allowing: environments, at: timestamp)
    }

    @Test("Rejects a sandbox receipt in production, also where the store allows sandbox for other publications")
    func sandboxInProduction() async throws {
        var payload = TestPayload()
        payload.environment = "ProductionSandbox"
        let receipt = try await authority().receipt(payload)
        let store = try await AppleFixture.local(environments: [.production, .sandbox])
        #expect(try await store.verdict(receipt) == .rejected(.wrongEnvironment))
        #expect(
            try await AppleFixture.local().verdict(receipt, allowing: [.production, .sandbox])
                == .rejected(.wrongEnvironment))
        let allowed = try await store.verdict(receipt, allowing: [.production, .sandbox])
        #expect(allowed.transactions.map(\.environment) == [.sandbox])
    }

    @Test("Rejects a receipt with an unknown or missing environment", arguments: ["Staging", nil])
    func unknownEnvironment(_ environment: String?) async throws {
        var payload = TestPayload()
        payload.environment = environment
        #expect(try await verdict(authority().sign(payload.bytes)) == .rejected(.wrongEnvironment))
    }

    @Test(
        "Rejects a receipt of another app, even if the bundle differs by one letter",
        arguments: [
            "com.example.weekly", "com.example.Daily", "com.example.daily2", "",
        ])
    func otherBundle(_ bundle: String) async throws {
        var payload = TestPayload()
        payload.bundle = bundle
        #expect(try await verdict(authority().sign(payload.bytes)) == .rejected(.wrongApp))
    }

    @Test("Reports the product of each transaction, also another product")
    func otherProduct() async throws {
        var payload = TestPayload()
        payload.purchases[0].product = "com.example.daily.crossword"
        let response = try await verdict(authority().sign(payload.bytes))
        #expect(response.transactions.map(\.product) == ["com.example.daily.crossword"])
    }

    @Test("Reports a refunded purchase as revoked")
    func refunded() async throws {
        var payload = TestPayload()
        payload.purchases[0].cancelled = "2024-03-02T08:00:00Z"
        let response = try await verdict(authority().sign(payload.bytes))
        #expect(response.transactions.map(\.revoked) == [AppleFixture.date("2024-03-02T08:00:00Z")])
    }

    @Test("Rejects an expired receipt")
    func expiredReceipt() async throws {
        var payload = TestPayload()
        payload.expires = "2026-11-21T12:00:00Z"
        let bytes = try await authority().sign(payload.bytes)
        #expect(try await verdict(bytes) == .rejected(.expired))
        #expect(try await verdict(bytes, at: AppleFixture.timestamp.addingTimeInterval(-1)).transactions.count == 1)
    }

    @Test("Accepts an expired certificate only for receipts that were signed while it was valid")
    func expiredLeaf() async throws {
        let authority = try await authority()
        let signer = try await Authority.certificate(
            "Old", .leaf, by: authority.issuer, key: authority.signer.key,
            dates: .init(from: "20230101000000Z", to: "20240302100001Z"))
        let good = try await authority.sign(TestPayload().bytes, by: [signer])
        #expect(try await verdict(good).transactions.count == 1)
        var late = TestPayload()
        late.created = "2024-03-02T10:00:02Z"
        #expect(try await verdict(authority.sign(late.bytes, by: [signer])) == .rejected(.forged))
    }

    @Test("Rejects a certificate that is not valid yet, even if the receipt has a future date")
    func future() async throws {
        let authority = try await authority()
        let signer = try await Authority.certificate(
            "Early", .leaf, by: authority.issuer, key: authority.signer.key,
            dates: .init(from: "20300101000000Z", to: "20400101000000Z"))
        var payload = TestPayload()
        payload.created = "2035-01-01T00:00:00Z"
        #expect(try await verdict(authority.sign(payload.bytes, by: [signer])) == .rejected(.forged))
    }

    @Test("Accepts an expired SHA-1 authority for a receipt that was created before the expiry")
    func expiredAuthority() async throws {
        let authority = try await authority()
        let issuer = try await Authority.certificate(
            "Old issuer", .issuer, by: authority.root, key: authority.issuer.key,
            dates: .init(from: "20150101000000Z", to: "20250124000000Z"), digest: "sha1")
        let signer = try await Authority.certificate(
            "Old signer", .leaf, by: issuer, key: authority.signer.key,
            dates: .init(from: "20151113000000Z", to: "20250124000000Z"), digest: "sha1")
        let companions = [issuer, authority.root]
        // The root is valid from 2020.
        let bytes = try await authority.sign(TestPayload().bytes, by: [signer], with: companions, .sha1)
        #expect(try await verdict(bytes).transactions.count == 1)
        var late = TestPayload()
        late.created = "2025-02-01T00:00:00Z"
        let after = try await authority.sign(late.bytes, by: [signer], with: companions, .sha1)
        #expect(try await verdict(after) == .rejected(.forged))
    }

    @Test("Rejects a receipt in which one bit changed")
    func changed() async throws {
        let bytes = try await authority().sign(TestPayload().bytes, .plain)
        var last = bytes
        last[last.count - 1] ^= 1
        #expect(try await verdict(last) == .rejected(.forged))
        let product = try #require(bytes.firstRange(of: Array("daily.month".utf8)))
        var other = bytes
        other[product.lowerBound] ^= 0x20
        #expect(try await verdict(other) == .rejected(.forged))
        #expect(try await verdict(bytes + [0]) == .rejected(.malformed))
        #expect(try await verdict(bytes.dropLast()) == .rejected(.malformed))
    }

    @Test("Rejects a self-signed chain, with the same names and with the real root attached")
    func selfSigned() async throws {
        let authority = try await authority()
        let root = try await Authority.certificate("Root", .root, by: nil)
        let issuer = try await Authority.certificate("Issuer", .issuer, by: root)
        let signer = try await Authority.certificate("Signer", .leaf, by: issuer)
        for companions in [
            [issuer, root], [issuer, authority.root], [issuer, root, authority.issuer, authority.root],
        ] {
            let bytes = try await authority.sign(TestPayload().bytes, by: [signer], with: companions)
            #expect(try await verdict(bytes) == .rejected(.forged))
        }
        let alone = try await Authority.certificate("Signer", .leaf, by: nil)
        #expect(try await verdict(authority.sign(TestPayload().bytes, by: [alone], with: [])) == .rejected(.forged))
    }

    @Test("Rejects a certificate that Apple issued for another purpose")
    func wrongPurpose() async throws {
        let authority = try await authority()
        let signer = try await Authority.certificate(
            "Developer", .leafOther, by: authority.issuer, key: authority.signer.key)
        #expect(try await verdict(authority.sign(TestPayload().bytes, by: [signer])) == .rejected(.forged))
        let unmarked = try await Authority.certificate(
            "Other issuer", .issuerUnmarked, by: authority.root, key: authority.issuer.key)
        let under = try await Authority.certificate("Signer", .leaf, by: unmarked, key: authority.signer.key)
        let bytes = try await authority.sign(TestPayload().bytes, by: [under], with: [unmarked, authority.root])
        #expect(try await verdict(bytes) == .rejected(.forged))
    }

    @Test("Rejects a certificate that a receipt signer issued")
    func issuedByLeaf() async throws {
        let authority = try await authority()
        let signer = try await Authority.certificate("Below", .leaf, by: authority.signer)
        let companions = [authority.signer, authority.issuer, authority.root]
        let bytes = try await authority.sign(TestPayload().bytes, by: [signer], with: companions)
        #expect(try await verdict(bytes) == .rejected(.forged))
    }

    @Test("Rejects a chain of two or four certificates with correct markers")
    func chainLength() async throws {
        let authority = try await authority()
        let direct = try await Authority.certificate("Signer", .leaf, by: authority.root, key: authority.signer.key)
        #expect(
            try await verdict(authority.sign(TestPayload().bytes, by: [direct], with: [authority.root]))
                == .rejected(.forged))
        let second = try await Authority.certificate("Second issuer", .issuer, by: authority.issuer)
        let deep = try await Authority.certificate("Signer", .leaf, by: second, key: authority.signer.key)
        let companions = [second, authority.issuer, authority.root]
        #expect(
            try await verdict(authority.sign(TestPayload().bytes, by: [deep], with: companions)) == .rejected(.forged))
    }

    @Test("Rejects a receipt without the intermediate certificate and accepts one without the root")
    func companions() async throws {
        let authority = try await authority()
        let payload = TestPayload().bytes
        #expect(try await verdict(authority.sign(payload, with: [authority.root])) == .rejected(.forged))
        #expect(try await verdict(authority.sign(payload, with: [authority.issuer])).transactions.count == 1)
    }

    @Test("Rejects two signers, even if both are Apple's")
    func twoSigners() async throws {
        let authority = try await authority()
        let second = try await Authority.certificate("Signer 2", .leaf, by: authority.issuer)
        let bytes = try await authority.sign(TestPayload().bytes, by: [authority.signer, second])
        #expect(try await verdict(bytes) == .rejected(.forged))
    }

    @Test("Rejects a receipt with detached content")
    func detached() async throws {
        #expect(try await verdict(authority().sign(TestPayload().bytes, .detached)) == .rejected(.malformed))
    }

    @Test("Rejects an MD5 signature")
    func md5() async throws {
        let authority = try await authority()
        let signer = try await Authority.certificate(
            "MD5", .leaf, by: authority.issuer, key: authority.signer.key, digest: "md5")
        #expect(try await verdict(authority.sign(TestPayload().bytes, by: [signer])) == .rejected(.forged))
    }

    @Test("Rejects a receipt without purchases as empty")
    func empty() async throws {
        var payload = TestPayload()
        payload.purchases = []
        #expect(try await verdict(authority().sign(payload.bytes)) == .rejected(.empty))
    }

    @Test("Rejects signed bytes that are not a receipt as malformed")
    func otherContent() async throws {
        #expect(try await verdict(authority().sign(Array("hello".utf8))) == .rejected(.malformed))
    }

    @Test("Rejects an Xcode receipt where production is allowed, whatever its signer")
    func xcodeInProduction() async throws {
        var payload = TestPayload()
        payload.environment = "Xcode"
        let signer = try await Authority.certificate("StoreKit Testing", .leaf, by: nil)
        let bytes = try await authority().sign(payload.bytes, by: [signer], with: [], .indefinite)
        #expect(try await verdict(bytes) == .rejected(.forged))
        #expect(try await verdict(authority().sign(payload.bytes)) == .rejected(.wrongEnvironment))
        #expect(try await verdict(bytes, environments: [.xcode]).transactions.map(\.environment) == [.xcode])
        var changed = bytes
        changed[changed.count - 20] ^= 1
        #expect(try await verdict(changed, environments: [.xcode]).transactions.isEmpty)
        payload.environment = "Production"
        let posing = try await authority().sign(payload.bytes, by: [signer], with: [])
        #expect(try await verdict(posing, environments: [.xcode]) == .rejected(.forged))
    }
}
