import Foundation
import Gatefold
import PKCS7
import StoreBenches
import TestSupport
import Testing

@testable import Receipts

@Suite("Pitfall 18: unified receipts that are not what they seem", .timeLimit(.minutes(10)))
struct Pitfall18UnifiedTests {
    private typealias Authority = ReceiptAuthority

    private func authority() async throws -> Authority { try await Authority.shared.value }

    private func verdict(
        _ bytes: [UInt8], environments: Set<StoreEnvironment> = [.production], at moment: Date = AppleBench.moment
    ) async throws -> ReceiptVerdict {
        try await AppleBench.local(environments: environments)
            .verify(.of(bytes), allowing: environments, at: moment)
    }

    @Test("A sandbox receipt in production is refused, also where the store knows sandbox for other publications")
    func sandboxInProduction() async throws {
        var payload = TestPayload()
        payload.environment = "ProductionSandbox"
        let receipt = try await authority().receipt(payload)
        let store = try await AppleBench.local(environments: [.production, .sandbox])
        #expect(try await store.verdict(receipt) == .refused(.wrongEnvironment))
        #expect(
            try await AppleBench.local().verdict(receipt, allowing: [.production, .sandbox])
                == .refused(.wrongEnvironment))
        let allowed = try await store.verdict(receipt, allowing: [.production, .sandbox])
        #expect(allowed.transactions.map(\.environment) == [.sandbox])
    }

    @Test("A receipt from an environment nobody has heard of, or from none, is refused", arguments: ["Staging", nil])
    func unknownEnvironment(_ word: String?) async throws {
        var payload = TestPayload()
        payload.environment = word
        #expect(try await verdict(authority().sign(payload.bytes)) == .refused(.wrongEnvironment))
    }

    @Test(
        "A receipt of another app is refused, whatever letters it differs in",
        arguments: [
            "com.example.weekly", "com.example.Daily", "com.example.daily2", "",
        ])
    func otherBundle(_ bundle: String) async throws {
        var payload = TestPayload()
        payload.bundle = bundle
        #expect(try await verdict(authority().sign(payload.bytes)) == .refused(.wrongApp))
    }

    @Test("A receipt of another product says so: its transactions carry their product")
    func otherProduct() async throws {
        var payload = TestPayload()
        payload.purchases[0].product = "com.example.daily.crossword"
        let answer = try await verdict(authority().sign(payload.bytes))
        #expect(answer.transactions.map(\.product) == ["com.example.daily.crossword"])
    }

    @Test("A refunded purchase is told as taken back")
    func refunded() async throws {
        var payload = TestPayload()
        payload.purchases[0].cancelled = "2024-03-02T08:00:00Z"
        let answer = try await verdict(authority().sign(payload.bytes))
        #expect(answer.transactions.map(\.revoked) == [AppleBench.date("2024-03-02T08:00:00Z")])
    }

    @Test("A receipt that has ended itself is refused")
    func expiredReceipt() async throws {
        var payload = TestPayload()
        payload.expires = "2026-11-21T12:00:00Z"
        let bytes = try await authority().sign(payload.bytes)
        #expect(try await verdict(bytes) == .refused(.expired))
        #expect(try await verdict(bytes, at: AppleBench.moment.addingTimeInterval(-1)).transactions.count == 1)
    }

    @Test("A certificate that has expired since is good for what it signed before, and for nothing after")
    func expiredLeaf() async throws {
        let authority = try await authority()
        let signer = try await Authority.certificate(
            "Old", .leaf, by: authority.issuer, key: authority.signer.key,
            dates: .init(from: "20230101000000Z", to: "20240302100001Z"))
        let good = try await authority.sign(TestPayload().bytes, by: [signer])
        #expect(try await verdict(good).transactions.count == 1)
        var late = TestPayload()
        late.created = "2024-03-02T10:00:02Z"
        #expect(try await verdict(authority.sign(late.bytes, by: [signer])) == .refused(.forged))
    }

    @Test("Dating a receipt into the future makes no certificate valid")
    func future() async throws {
        let authority = try await authority()
        let signer = try await Authority.certificate(
            "Early", .leaf, by: authority.issuer, key: authority.signer.key,
            dates: .init(from: "20300101000000Z", to: "20400101000000Z"))
        var payload = TestPayload()
        payload.created = "2035-01-01T00:00:00Z"
        #expect(try await verdict(authority.sign(payload.bytes, by: [signer])) == .refused(.forged))
    }

    @Test("An expired SHA-1 authority is good for a receipt that was made before it ended")
    func expiredAuthority() async throws {
        let authority = try await authority()
        let issuer = try await Authority.certificate(
            "Old issuer", .issuer, by: authority.root, key: authority.issuer.key,
            dates: .init(from: "20150101000000Z", to: "20250124000000Z"), digest: "sha1")
        let signer = try await Authority.certificate(
            "Old signer", .leaf, by: issuer, key: authority.signer.key,
            dates: .init(from: "20151113000000Z", to: "20250124000000Z"), digest: "sha1")
        let companions = [issuer, authority.root]
        // The root is of 2020.
        let bytes = try await authority.sign(TestPayload().bytes, by: [signer], with: companions, .sha1)
        #expect(try await verdict(bytes).transactions.count == 1)
        var late = TestPayload()
        late.created = "2025-02-01T00:00:00Z"
        let after = try await authority.sign(late.bytes, by: [signer], with: companions, .sha1)
        #expect(try await verdict(after) == .refused(.forged))
    }

    @Test("One changed bit anywhere makes it another receipt, and none at all")
    func changed() async throws {
        let bytes = try await authority().sign(TestPayload().bytes, .plain)
        var last = bytes
        last[last.count - 1] ^= 1
        #expect(try await verdict(last) == .refused(.forged))
        let product = try #require(bytes.firstRange(of: Array("daily.month".utf8)))
        var other = bytes
        other[product.lowerBound] ^= 0x20
        #expect(try await verdict(other) == .refused(.forged))
        #expect(try await verdict(bytes + [0]) == .refused(.malformed))
        #expect(try await verdict(bytes.dropLast()) == .refused(.malformed))
    }

    @Test("A chain that signs itself is refused, with the same names and with the real root sent along")
    func selfSigned() async throws {
        let authority = try await authority()
        let root = try await Authority.certificate("Root", .root, by: nil)
        let issuer = try await Authority.certificate("Issuer", .issuer, by: root)
        let signer = try await Authority.certificate("Signer", .leaf, by: issuer)
        for companions in [
            [issuer, root], [issuer, authority.root], [issuer, root, authority.issuer, authority.root],
        ] {
            let bytes = try await authority.sign(TestPayload().bytes, by: [signer], with: companions)
            #expect(try await verdict(bytes) == .refused(.forged))
        }
        let alone = try await Authority.certificate("Signer", .leaf, by: nil)
        #expect(try await verdict(authority.sign(TestPayload().bytes, by: [alone], with: [])) == .refused(.forged))
    }

    @Test("A certificate that Apple issued for something else is refused")
    func wrongPurpose() async throws {
        let authority = try await authority()
        let signer = try await Authority.certificate(
            "Developer", .leafOther, by: authority.issuer, key: authority.signer.key)
        #expect(try await verdict(authority.sign(TestPayload().bytes, by: [signer])) == .refused(.forged))
        let unmarked = try await Authority.certificate(
            "Other issuer", .issuerUnmarked, by: authority.root, key: authority.issuer.key)
        let under = try await Authority.certificate("Signer", .leaf, by: unmarked, key: authority.signer.key)
        let bytes = try await authority.sign(TestPayload().bytes, by: [under], with: [unmarked, authority.root])
        #expect(try await verdict(bytes) == .refused(.forged))
    }

    @Test("A certificate that was issued by a signer of receipts is refused")
    func issuedByLeaf() async throws {
        let authority = try await authority()
        let signer = try await Authority.certificate("Below", .leaf, by: authority.signer)
        let companions = [authority.signer, authority.issuer, authority.root]
        let bytes = try await authority.sign(TestPayload().bytes, by: [signer], with: companions)
        #expect(try await verdict(bytes) == .refused(.forged))
    }

    @Test("A chain of two or of four is refused, all its marks being right")
    func chainLength() async throws {
        let authority = try await authority()
        let direct = try await Authority.certificate("Signer", .leaf, by: authority.root, key: authority.signer.key)
        #expect(
            try await verdict(authority.sign(TestPayload().bytes, by: [direct], with: [authority.root]))
                == .refused(.forged))
        let second = try await Authority.certificate("Second issuer", .issuer, by: authority.issuer)
        let deep = try await Authority.certificate("Signer", .leaf, by: second, key: authority.signer.key)
        let companions = [second, authority.issuer, authority.root]
        #expect(
            try await verdict(authority.sign(TestPayload().bytes, by: [deep], with: companions)) == .refused(.forged))
    }

    @Test("A receipt without the authority between is refused; without the root it is as good")
    func companions() async throws {
        let authority = try await authority()
        let payload = TestPayload().bytes
        #expect(try await verdict(authority.sign(payload, with: [authority.root])) == .refused(.forged))
        #expect(try await verdict(authority.sign(payload, with: [authority.issuer])).transactions.count == 1)
    }

    @Test("Two signers are refused, be both of them Apple's")
    func twoSigners() async throws {
        let authority = try await authority()
        let second = try await Authority.certificate("Signer 2", .leaf, by: authority.issuer)
        let bytes = try await authority.sign(TestPayload().bytes, by: [authority.signer, second])
        #expect(try await verdict(bytes) == .refused(.forged))
    }

    @Test("A receipt whose content is elsewhere is refused")
    func detached() async throws {
        #expect(try await verdict(authority().sign(TestPayload().bytes, .detached)) == .refused(.malformed))
    }

    @Test("Signed with MD5 is not signed")
    func md5() async throws {
        let authority = try await authority()
        let signer = try await Authority.certificate(
            "MD5", .leaf, by: authority.issuer, key: authority.signer.key, digest: "md5")
        #expect(try await verdict(authority.sign(TestPayload().bytes, by: [signer])) == .refused(.forged))
    }

    @Test("A receipt in which nothing was bought is empty")
    func empty() async throws {
        var payload = TestPayload()
        payload.purchases = []
        #expect(try await verdict(authority().sign(payload.bytes)) == .refused(.empty))
    }

    @Test("Signed bytes that are no receipt are malformed")
    func otherContent() async throws {
        #expect(try await verdict(authority().sign(Array("hello".utf8))) == .refused(.malformed))
    }

    @Test("What says it is Xcode's is refused beside production, whoever signed it")
    func xcodeInProduction() async throws {
        var payload = TestPayload()
        payload.environment = "Xcode"
        let signer = try await Authority.certificate("StoreKit Testing", .leaf, by: nil)
        let bytes = try await authority().sign(payload.bytes, by: [signer], with: [], .indefinite)
        #expect(try await verdict(bytes) == .refused(.forged))
        #expect(try await verdict(authority().sign(payload.bytes)) == .refused(.wrongEnvironment))
        #expect(try await verdict(bytes, environments: [.xcode]).transactions.map(\.environment) == [.xcode])
        var changed = bytes
        changed[changed.count - 20] ^= 1
        #expect(try await verdict(changed, environments: [.xcode]).transactions.isEmpty)
        payload.environment = "Production"
        let posing = try await authority().sign(payload.bytes, by: [signer], with: [])
        #expect(try await verdict(posing, environments: [.xcode]) == .refused(.forged))
    }
}
