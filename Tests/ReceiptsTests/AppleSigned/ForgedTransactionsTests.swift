import Commerce
import Crypto
import Foundation
import JSON
import Primitives
import StoreFixtures
import SwiftASN1
import TestSupport
import Testing
import X509

@testable import Receipts

/// Tests of Pitfall 18 for StoreKit 2.
@Suite("Pitfall 18: forged signed transactions")
struct ForgedTransactionsTests {
    private func verdict(
        _ signed: String, trusting authority: SigningAuthority, environments: Set<StoreEnvironment> = [.production],
        allowing allowed: Set<StoreEnvironment>? = nil, at timestamp: Date = TestDates.now
    ) async throws -> ReceiptVerdict {
        try await SignedFormats.data(authority, environments: environments).transactions(
            signed: signed, allowing: allowed ?? environments, at: timestamp)
    }

    private func rejected(_ reason: ReceiptRejection.Reason) -> ReceiptVerdict { .rejected(ReceiptRejection(reason)) }

    @Test("Accepts a genuine transaction, which shows that the rejections below have the stated reason")
    func genuine() async throws {
        let authority = try SigningAuthority()
        let verdict = try await verdict(authority.sign(SignedFormats.transaction()), trusting: authority)
        #expect(
            verdict
                == .genuine([
                    StoreTransaction(
                        store: SignedFormats.store, id: "2000000001", original: "2000000001", product: "daily.monthly",
                        purchased: TestDates.now - 10 * TestDates.day, expires: TestDates.now + 20 * TestDates.day,
                        environment: .production, reported: TestDates.now)
                ]))
    }

    @Test("Rejects a self-signed chain that otherwise equals Apple's")
    func selfSigned() async throws {
        let signed = try SigningAuthority().sign(SignedFormats.transaction())
        #expect(try await verdict(signed, trusting: SigningAuthority()) == rejected(.forged))
    }

    @Test("Ignores the attached root and uses the pinned one")
    func sentRoot() async throws {
        let (ours, theirs) = (try SigningAuthority(), try SigningAuthority())
        let theirChain = [try theirs.leaf.der, try theirs.intermediate.der, try ours.root.der]
        let dressedUp = try theirs.sign(SignedFormats.transaction(), chain: theirChain)
        #expect(try await verdict(dressedUp, trusting: ours) == rejected(.forged))
        let ourChain = [try ours.leaf.der, try ours.intermediate.der, try theirs.root.der]
        let genuine = try await verdict(ours.sign(SignedFormats.transaction(), chain: ourChain), trusting: ours)
        #expect(genuine.transactions.count == 1)
    }

    @Test("Rejects a chain of 0, 1, 2 or 4 certificates", arguments: [0, 1, 2, 4])
    func chainLength(count: Int) async throws {
        let authority = try SigningAuthority()
        let chain = try authority.chain + [authority.root.der]
        let signed = try authority.sign(SignedFormats.transaction(), chain: Array(chain.prefix(count)))
        #expect(try await verdict(signed, trusting: authority) == rejected(.forged))
    }

    @Test("Rejects a leaf that Apple issued for another purpose")
    func wrongLeafMarker() async throws {
        for marker in [nil, [1, 2, 840, 113_635, 100, 6, 1, 2], [1, 2, 840, 113_635, 100, 6, 2, 1]]
            as [SigningAuthority.Baseline?]
        {
            var shape = SigningAuthority.Shape()
            shape.leafMarker = marker
            let authority = try SigningAuthority(shape)
            let signed = try authority.sign(SignedFormats.transaction())
            #expect(try await verdict(signed, trusting: authority) == rejected(.forged))
        }
    }

    @Test("Rejects an intermediate that Apple issued for another purpose")
    func wrongIntermediateMarker() async throws {
        for marker in [nil, [1, 2, 840, 113_635, 100, 6, 2, 6]] as [SigningAuthority.Baseline?] {
            var shape = SigningAuthority.Shape()
            shape.intermediateMarker = marker
            let authority = try SigningAuthority(shape)
            let signed = try authority.sign(SignedFormats.transaction())
            #expect(try await verdict(signed, trusting: authority) == rejected(.forged))
        }
    }

    @Test(
        "Rejects certificates used against their constraints: authority as leaf, leaf as authority, no signing")
    func wrongUse() async throws {
        var authorityAsLeaf = SigningAuthority.Shape()
        authorityAsLeaf.leafIsAuthority = true
        var leafAsAuthority = SigningAuthority.Shape()
        leafAsAuthority.intermediateIsAuthority = false
        var noSigning = SigningAuthority.Shape()
        noSigning.leafUsage = .init(keyEncipherment: true)
        for shape in [authorityAsLeaf, leafAsAuthority, noSigning] {
            let authority = try SigningAuthority(shape)
            let signed = try authority.sign(SignedFormats.transaction())
            #expect(try await verdict(signed, trusting: authority) == rejected(.forged))
        }
    }

    @Test(
        "Accepts no algorithm other than ES256",
        arguments: ["none", "None", "HS256", "RS256", "ES384", "es256", "ES256K", ""])
    func algorithm(name: String) async throws {
        let authority = try SigningAuthority()
        let signed = try authority.sign(SignedFormats.transaction(), header: ["alg": .string(name)])
        #expect(try await verdict(signed, trusting: authority) == rejected(.forged))
        // Also without a signature, as `none` allows.
        let bare = signed.split(separator: ".").prefix(2).joined(separator: ".") + "."
        #expect(try await verdict(bare, trusting: authority) == rejected(.forged))
    }

    @Test("Rejects HS256 with the leaf's public key as the secret")
    func confusedKey() async throws {
        let authority = try SigningAuthority()
        let signed = try authority.sign(SignedFormats.transaction(), header: ["alg": "HS256"])
        let input = signed.split(separator: ".").prefix(2).joined(separator: ".")
        for secret in [
            authority.leaf.key.publicKey.x963Representation, authority.leaf.key.publicKey.derRepresentation,
            Data(authority.leaf.key.publicKey.pemRepresentation.utf8),
        ] {
            let code = HMAC<SHA256>.authenticationCode(for: Data(input.utf8), using: SymmetricKey(data: secret))
            let forged = "\(input).\(Base64URL.encode(Array(code)))"
            #expect(try await verdict(forged, trusting: authority) == rejected(.forged))
        }
    }

    @Test("Rejects critical header parameters that it does not support: crit, b64", arguments: ["crit", "b64"])
    func critical(name: String) async throws {
        let authority = try SigningAuthority()
        let value: JSONValue = name == "crit" ? ["exp"] : false
        let signed = try authority.sign(SignedFormats.transaction(), header: [name: value])
        #expect(try await verdict(signed, trusting: authority) == rejected(.forged))
    }

    @Test("Rejects a changed byte in any segment", arguments: 0..<3)
    func changedByte(segment: Int) async throws {
        let authority = try SigningAuthority()
        let data = try SignedFormats.data(authority)
        let segments = try authority.sign(SignedFormats.transaction()).split(separator: ".").map { Array($0.utf8) }
        var random = SeededRandom(seed: 18 + UInt64(segment))
        for _ in 0..<40 {
            var changed = segments
            let place = Int.random(in: 0..<changed[segment].count, using: &random)
            let letters = Array("ABCXYZabcxyz0189-_".utf8).filter { $0 != changed[segment][place] }
            changed[segment][place] = letters[Int.random(in: 0..<letters.count, using: &random)]
            let text = changed.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ".")
            let verdict = try await data.transactions(signed: text, allowing: [.production], at: TestDates.now)
            #expect(verdict.transactions.isEmpty)
        }
    }

    @Test("Rejects a changed or additional last byte of the signature")
    func lastByte() async throws {
        let authority = try SigningAuthority()
        let signed = try authority.sign(SignedFormats.transaction())
        let jws = try CompactJWS(signed)
        let segments = signed.split(separator: ".")
        var bytes = jws.signature
        bytes[63] ^= 1
        let changed = "\(segments[0]).\(segments[1]).\(Base64URL.encode(bytes))"
        #expect(try await verdict(changed, trusting: authority) == rejected(.forged))
        let longer = "\(segments[0]).\(segments[1]).\(Base64URL.encode(jws.signature + [0]))"
        #expect(try await verdict(longer, trusting: authority) == rejected(.forged))
    }

    @Test("Rejects a signature by a key that does not belong to the attached chain")
    func otherKey() async throws {
        let (ours, theirs) = (try SigningAuthority(), try SigningAuthority())
        let signed = try theirs.sign(SignedFormats.transaction(), chain: ours.chain)
        #expect(try await verdict(signed, trusting: ours) == rejected(.forged))
    }

    @Test("Rejects a genuine transaction of another app")
    func otherBundle() async throws {
        let authority = try SigningAuthority()
        for bundle in ["com.example.other", "com.example.Daily", "com.example.daily ", "com.example.daily.extra"] {
            let signed = try authority.sign(SignedFormats.transaction(with: ["bundleId": .string(bundle)]))
            #expect(try await verdict(signed, trusting: authority) == rejected(.wrongApp))
        }
    }

    @Test("Rejects sandbox in production and accepts it only if the store and the publication allow it")
    func sandbox() async throws {
        let authority = try SigningAuthority()
        let signed = try authority.sign(SignedFormats.transaction(environment: "Sandbox"))
        #expect(try await verdict(signed, trusting: authority) == rejected(.wrongEnvironment))
        let both: Set<StoreEnvironment> = [.production, .sandbox]
        #expect(
            try await verdict(signed, trusting: authority, environments: both, allowing: [.production])
                == rejected(.wrongEnvironment))
        #expect(
            try await verdict(signed, trusting: authority, environments: [.production], allowing: both)
                == rejected(.wrongEnvironment))
        let accepted = try await verdict(signed, trusting: authority, environments: both)
        #expect(accepted.transactions.map(\.environment) == [.sandbox])
    }

    @Test(
        "Rejects the unsigned environments Xcode and LocalTesting if production or sandbox is allowed",
        arguments: ["Xcode", "LocalTesting"])
    func local(environment: String) async throws {
        let (ours, theirs) = (try SigningAuthority(), try SigningAuthority())
        let signed = try theirs.sign(
            SignedFormats.transaction(environment: environment), chain: [theirs.leaf.der], header: ["alg": "ES256"])
        let locals: Set<StoreEnvironment> = [.xcode, .localTesting]
        let production: Set<StoreEnvironment> = [.production]
        let sandbox: Set<StoreEnvironment> = [.sandbox]
        let pairs = [
            (production, production), (sandbox, sandbox), (locals.union(production), locals),
            (locals, locals.union(production)), (locals.union(sandbox), locals.union(sandbox)), (production, locals),
        ]
        for (environments, allowed) in pairs {
            #expect(
                try await verdict(signed, trusting: ours, environments: environments, allowing: allowed)
                    == rejected(.wrongEnvironment))
        }
        let accepted = try await verdict(signed, trusting: ours, environments: locals)
        #expect(accepted.transactions.count == 1)
        // Accepts only the allowed one of the two environments.
        let other: StoreEnvironment = environment == "Xcode" ? .localTesting : .xcode
        #expect(
            try await verdict(signed, trusting: ours, environments: [other], allowing: [other])
                == rejected(.wrongEnvironment))
    }

    @Test("Never accepts a production transaction without Apple's signature, whatever the store allows")
    func unsignedProduction() async throws {
        let (ours, theirs) = (try SigningAuthority(), try SigningAuthority())
        for environment in ["Production", "Sandbox", "production", "Staging"] {
            let signed = try theirs.sign(SignedFormats.transaction(environment: environment), chain: [theirs.leaf.der])
            for environments in [[.xcode, .localTesting], [.production, .sandbox]] as [Set<StoreEnvironment>] {
                #expect(try await verdict(signed, trusting: ours, environments: environments) == rejected(.forged))
            }
        }
    }

    @Test("Rejects a duplicate name, because parsers differ in which value they use")
    func duplicateName() async throws {
        let authority = try SigningAuthority()
        let certificates = try authority.chain.map { "\"\(Data($0).base64EncodedString())\"" }.joined(separator: ",")
        let header = #"{"alg":"ES256","x5c":[\#(certificates)]}"#
        var payload = String(decoding: JSONWriter.bytes(SignedFormats.transaction()), as: UTF8.self)
        payload = payload.dropLast() + #","bundleId":"com.example.other"}"#
        let signed = try SigningAuthority.jws(Array(header.utf8), Array(payload.utf8), by: authority.leaf.key)
        #expect(try await verdict(signed, trusting: authority) == rejected(.malformed))
    }

    @Test("Reports a refunded genuine transaction as revoked")
    func refunded() async throws {
        let authority = try SigningAuthority()
        let taken = TestDates.now - TestDates.day
        let payload = SignedFormats.transaction(with: [
            "revocationDate": TestDates.milliseconds(taken), "revocationReason": 0,
        ])
        let verdict = try await verdict(authority.sign(payload), trusting: authority)
        #expect(verdict.transactions.map(\.revoked) == [taken])
    }
}

extension SigningAuthority {
    typealias Baseline = ASN1ObjectIdentifier
}
