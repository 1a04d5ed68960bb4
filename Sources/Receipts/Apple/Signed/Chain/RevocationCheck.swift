import Crypto
package import Foundation
package import Gatefold
import OutgoingRequests
import SwiftASN1
import Synchronization
@_spi(FixedExpiryValidationTime) import X509

/// Nobody said whether a certificate still holds, where that has to be known.
package struct RevocationUnknown: BackendFailure, Equatable {
    package let cause = "no usable answer about the revocation of Apple's certificates"

    package init() {}
}

/// Asks whether Apple's certificates still hold, with swift-certificates' OCSP policy.
///
/// That policy's own strict mode is satisfied when nobody answers and refuses when something else is wrong, where ours has to
/// tell "revoked" from "not known". So the strict question comes first, which any failure fails, a missing answer included;
/// then the lenient one, which nothing fails but an answer that says revoked.
package final class RevocationCheck: Sendable {
    private let http: OutgoingHTTP
    private let isStrict: Bool
    private let answered = Mutex<[[UInt8]: Date]>([:])

    /// For so many seconds an answer holds; as long as in Apple's own library.
    private static let freshness: TimeInterval = 15 * 60
    private static let mostRemembered = 64

    /// Nil where nobody is to be asked.
    package init?(_ settings: RevocationSettings) {
        guard settings.mode != .off else { return nil }
        isStrict = settings.mode == .hard
        http = OutgoingHTTP(settings.http)
    }

    /// - Throws: ``ReceiptRefusal/Reason/forged`` for a revoked certificate; ``RevocationUnknown``.
    func check(_ chain: AppleChain, in chains: AppleChains, at moment: Date) async throws {
        let name = try Self.name(of: chain)
        if isFresh(name, at: moment) { return }
        if await holds(chain, in: chains, isStrict: true, at: moment) {
            remember(name, at: moment)
            return
        }
        guard await holds(chain, in: chains, isStrict: false, at: moment) else { throw ReceiptRefusal(.forged) }
        if isStrict { throw RevocationUnknown() }
    }

    private func holds(_ chain: AppleChain, in chains: AppleChains, isStrict: Bool, at moment: Date) async -> Bool {
        var verifier = Verifier(rootCertificates: chains.roots) {
            RFC5280Policy(fixedExpiryValidationTime: moment)
            AppleChainPolicy()
            OCSPVerifierPolicy(
                failureMode: isStrict ? .hard : .soft, requester: RevocationRequester(http: http, isStrict: isStrict),
                fixedExpiryValidationTime: moment)
        }
        return await chains.leads(chain, by: &verifier)
    }

    private static func name(of chain: AppleChain) throws -> [UInt8] {
        var digest = SHA256()
        for certificate in [chain.leaf, chain.intermediate] {
            digest.update(data: try certificate.serializeAsPEM().derBytes)
        }
        return Array(digest.finalize())
    }

    private func isFresh(_ name: [UInt8], at moment: Date) -> Bool {
        answered.withLock { answered in
            guard let asked = answered[name] else { return false }
            return (0..<Self.freshness).contains(moment.timeIntervalSince(asked))
        }
    }

    private func remember(_ name: [UInt8], at moment: Date) {
        answered.withLock { answered in
            if answered.count >= Self.mostRemembered { answered.removeAll() }
            answered[name] = moment
        }
    }
}
