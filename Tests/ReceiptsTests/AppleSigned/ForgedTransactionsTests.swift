import Crypto
import Foundation
import Gatefold
import JSON
import StoreBenches
import SwiftASN1
import TestSupport
import Testing
import X509

@testable import Receipts

/// PITFALLS row 18, for StoreKit 2.
@Suite("Signed transactions that are not what they seem (PITFALLS row 18)")
struct ForgedTransactionsTests {
    private func verdict(
        _ signed: String, trusting authority: SigningAuthority, environments: Set<StoreEnvironment> = [.production],
        allowing allowed: Set<StoreEnvironment>? = nil, at moment: Date = Moments.now
    ) async throws -> ReceiptVerdict {
        try await SignedForms.data(authority, environments: environments).transactions(
            signed: signed, allowing: allowed ?? environments, at: moment)
    }

    private func refused(_ reason: ReceiptRefusal.Reason) -> ReceiptVerdict { .refused(ReceiptRefusal(reason)) }

    @Test("a genuine one is accepted, so that the refusals below have the reason they name")
    func genuine() async throws {
        let authority = try SigningAuthority()
        let verdict = try await verdict(authority.sign(SignedForms.transaction()), trusting: authority)
        #expect(
            verdict
                == .genuine([
                    StoreTransaction(
                        store: SignedForms.store, id: "2000000001", original: "2000000001", product: "daily.monthly",
                        purchased: Moments.now - 10 * Moments.day, expires: Moments.now + 20 * Moments.day,
                        environment: .production, told: Moments.now)
                ]))
    }

    @Test("a self-signed chain is forged, though it is like Apple's in everything else")
    func selfSigned() async throws {
        let signed = try SigningAuthority().sign(SignedForms.transaction())
        #expect(try await verdict(signed, trusting: SigningAuthority()) == refused(.forged))
    }

    @Test("the root that is sent along is ignored: the pinned one counts")
    func sentRoot() async throws {
        let (ours, theirs) = (try SigningAuthority(), try SigningAuthority())
        let theirChain = [try theirs.leaf.der, try theirs.intermediate.der, try ours.root.der]
        let dressedUp = try theirs.sign(SignedForms.transaction(), chain: theirChain)
        #expect(try await verdict(dressedUp, trusting: ours) == refused(.forged))
        let ourChain = [try ours.leaf.der, try ours.intermediate.der, try theirs.root.der]
        let genuine = try await verdict(ours.sign(SignedForms.transaction(), chain: ourChain), trusting: ours)
        #expect(genuine.transactions.count == 1)
    }

    @Test("a chain of 0, 1, 2 or 4 certificates is forged", arguments: [0, 1, 2, 4])
    func chainLength(count: Int) async throws {
        let authority = try SigningAuthority()
        let chain = try authority.chain + [authority.root.der]
        let signed = try authority.sign(SignedForms.transaction(), chain: Array(chain.prefix(count)))
        #expect(try await verdict(signed, trusting: authority) == refused(.forged))
    }

    @Test("a leaf that Apple issued for another purpose is forged")
    func wrongLeafMark() async throws {
        for mark in [nil, [1, 2, 840, 113_635, 100, 6, 1, 2], [1, 2, 840, 113_635, 100, 6, 2, 1]]
            as [SigningAuthority.Mark?]
        {
            var shape = SigningAuthority.Shape()
            shape.leafMark = mark
            let authority = try SigningAuthority(shape)
            let signed = try authority.sign(SignedForms.transaction())
            #expect(try await verdict(signed, trusting: authority) == refused(.forged))
        }
    }

    @Test("an intermediate that Apple issued for another purpose is forged")
    func wrongIntermediateMark() async throws {
        for mark in [nil, [1, 2, 840, 113_635, 100, 6, 2, 6]] as [SigningAuthority.Mark?] {
            var shape = SigningAuthority.Shape()
            shape.intermediateMark = mark
            let authority = try SigningAuthority(shape)
            let signed = try authority.sign(SignedForms.transaction())
            #expect(try await verdict(signed, trusting: authority) == refused(.forged))
        }
    }

    @Test(
        "certificates used for what they are not for are forged: an authority as leaf, a leaf as authority, no signing")
    func wrongUse() async throws {
        var authorityAsLeaf = SigningAuthority.Shape()
        authorityAsLeaf.leafIsAuthority = true
        var leafAsAuthority = SigningAuthority.Shape()
        leafAsAuthority.intermediateIsAuthority = false
        var noSigning = SigningAuthority.Shape()
        noSigning.leafUsage = .init(keyEncipherment: true)
        for shape in [authorityAsLeaf, leafAsAuthority, noSigning] {
            let authority = try SigningAuthority(shape)
            let signed = try authority.sign(SignedForms.transaction())
            #expect(try await verdict(signed, trusting: authority) == refused(.forged))
        }
    }

    @Test(
        "the algorithm is ES256 and nothing else",
        arguments: ["none", "None", "HS256", "RS256", "ES384", "es256", "ES256K", ""])
    func algorithm(name: String) async throws {
        let authority = try SigningAuthority()
        let signed = try authority.sign(SignedForms.transaction(), header: ["alg": .string(name)])
        #expect(try await verdict(signed, trusting: authority) == refused(.forged))
        // And with no signature at all, as `none` would have it.
        let bare = signed.split(separator: ".").prefix(2).joined(separator: ".") + "."
        #expect(try await verdict(bare, trusting: authority) == refused(.forged))
    }

    @Test("alg HS256 with the leaf's public key as the secret is forged")
    func confusedKey() async throws {
        let authority = try SigningAuthority()
        let signed = try authority.sign(SignedForms.transaction(), header: ["alg": "HS256"])
        let input = signed.split(separator: ".").prefix(2).joined(separator: ".")
        for secret in [
            authority.leaf.key.publicKey.x963Representation, authority.leaf.key.publicKey.derRepresentation,
            Data(authority.leaf.key.publicKey.pemRepresentation.utf8),
        ] {
            let code = HMAC<SHA256>.authenticationCode(for: Data(input.utf8), using: SymmetricKey(data: secret))
            let forged = "\(input).\(Base64URL.encode(Array(code)))"
            #expect(try await verdict(forged, trusting: authority) == refused(.forged))
        }
    }

    @Test("headers that ask for more than is understood are forged: crit, b64", arguments: ["crit", "b64"])
    func critical(name: String) async throws {
        let authority = try SigningAuthority()
        let value: JSONValue = name == "crit" ? ["exp"] : false
        let signed = try authority.sign(SignedForms.transaction(), header: [name: value])
        #expect(try await verdict(signed, trusting: authority) == refused(.forged))
    }

    @Test("a changed byte is never accepted, in whichever segment", arguments: 0..<3)
    func changedByte(segment: Int) async throws {
        let authority = try SigningAuthority()
        let data = try SignedForms.data(authority)
        let segments = try authority.sign(SignedForms.transaction()).split(separator: ".").map { Array($0.utf8) }
        var random = SeededRandom(seed: 18 + UInt64(segment))
        for _ in 0..<40 {
            var changed = segments
            let place = Int.random(in: 0..<changed[segment].count, using: &random)
            let letters = Array("ABCXYZabcxyz0189-_".utf8).filter { $0 != changed[segment][place] }
            changed[segment][place] = letters[Int.random(in: 0..<letters.count, using: &random)]
            let text = changed.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ".")
            let verdict = try await data.transactions(signed: text, allowing: [.production], at: Moments.now)
            #expect(verdict.transactions.isEmpty)
        }
    }

    @Test("the last byte of the signature changed")
    func lastByte() async throws {
        let authority = try SigningAuthority()
        let signed = try authority.sign(SignedForms.transaction())
        let jws = try CompactJWS(signed)
        let segments = signed.split(separator: ".")
        var bytes = jws.signature
        bytes[63] ^= 1
        let changed = "\(segments[0]).\(segments[1]).\(Base64URL.encode(bytes))"
        #expect(try await verdict(changed, trusting: authority) == refused(.forged))
        let longer = "\(segments[0]).\(segments[1]).\(Base64URL.encode(jws.signature + [0]))"
        #expect(try await verdict(longer, trusting: authority) == refused(.forged))
    }

    @Test("the signature of another key of a good chain's owner is forged")
    func otherKey() async throws {
        let (ours, theirs) = (try SigningAuthority(), try SigningAuthority())
        let signed = try theirs.sign(SignedForms.transaction(), chain: ours.chain)
        #expect(try await verdict(signed, trusting: ours) == refused(.forged))
    }

    @Test("another app's is refused, however genuine")
    func otherBundle() async throws {
        let authority = try SigningAuthority()
        for bundle in ["com.example.other", "com.example.Daily", "com.example.daily ", "com.example.daily.extra"] {
            let signed = try authority.sign(SignedForms.transaction(with: ["bundleId": .string(bundle)]))
            #expect(try await verdict(signed, trusting: authority) == refused(.wrongApp))
        }
    }

    @Test("sandbox in production is refused, and accepted only where store and publication both allow it")
    func sandbox() async throws {
        let authority = try SigningAuthority()
        let signed = try authority.sign(SignedForms.transaction(environment: "Sandbox"))
        #expect(try await verdict(signed, trusting: authority) == refused(.wrongEnvironment))
        let both: Set<StoreEnvironment> = [.production, .sandbox]
        #expect(
            try await verdict(signed, trusting: authority, environments: both, allowing: [.production])
                == refused(.wrongEnvironment))
        #expect(
            try await verdict(signed, trusting: authority, environments: [.production], allowing: both)
                == refused(.wrongEnvironment))
        let accepted = try await verdict(signed, trusting: authority, environments: both)
        #expect(accepted.transactions.map(\.environment) == [.sandbox])
    }

    @Test(
        "Xcode and LocalTesting, which Apple never signs, are refused wherever production or sandbox is in sight",
        arguments: ["Xcode", "LocalTesting"])
    func local(environment: String) async throws {
        let (ours, theirs) = (try SigningAuthority(), try SigningAuthority())
        let signed = try theirs.sign(
            SignedForms.transaction(environment: environment), chain: [theirs.leaf.der], header: ["alg": "ES256"])
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
                    == refused(.wrongEnvironment))
        }
        let accepted = try await verdict(signed, trusting: ours, environments: locals)
        #expect(accepted.transactions.count == 1)
        // Of the two only the one that is allowed.
        let other: StoreEnvironment = environment == "Xcode" ? .localTesting : .xcode
        #expect(
            try await verdict(signed, trusting: ours, environments: [other], allowing: [other])
                == refused(.wrongEnvironment))
    }

    @Test("one that claims production is never believed without Apple's signature, whatever the store allows")
    func unsignedProduction() async throws {
        let (ours, theirs) = (try SigningAuthority(), try SigningAuthority())
        for environment in ["Production", "Sandbox", "production", "Staging"] {
            let signed = try theirs.sign(SignedForms.transaction(environment: environment), chain: [theirs.leaf.der])
            for environments in [[.xcode, .localTesting], [.production, .sandbox]] as [Set<StoreEnvironment>] {
                #expect(try await verdict(signed, trusting: ours, environments: environments) == refused(.forged))
            }
        }
    }

    @Test("a duplicate name is refused: readers differ in which counts")
    func duplicateName() async throws {
        let authority = try SigningAuthority()
        let certificates = try authority.chain.map { "\"\(Data($0).base64EncodedString())\"" }.joined(separator: ",")
        let header = #"{"alg":"ES256","x5c":[\#(certificates)]}"#
        var payload = String(decoding: JSONWriter.bytes(SignedForms.transaction()), as: UTF8.self)
        payload = payload.dropLast() + #","bundleId":"com.example.other"}"#
        let signed = try SigningAuthority.jws(Array(header.utf8), Array(payload.utf8), by: authority.leaf.key)
        #expect(try await verdict(signed, trusting: authority) == refused(.malformed))
    }

    @Test("a refunded one is genuine, and says that it was taken back")
    func refunded() async throws {
        let authority = try SigningAuthority()
        let taken = Moments.now - Moments.day
        let payload = SignedForms.transaction(with: [
            "revocationDate": Moments.milliseconds(taken), "revocationReason": 0,
        ])
        let verdict = try await verdict(authority.sign(payload), trusting: authority)
        #expect(verdict.transactions.map(\.revoked) == [taken])
    }
}

extension SigningAuthority {
    typealias Mark = ASN1ObjectIdentifier
}
