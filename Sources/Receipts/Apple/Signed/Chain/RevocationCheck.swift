import Crypto
import Foundation
import Gatefold
import OutgoingRequests
import SwiftASN1
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
    private let memory = RevocationMemory()

    /// Nil where nobody is to be asked.
    package init?(_ settings: RevocationSettings) {
        guard settings.mode != .off else { return nil }
        isStrict = settings.mode == .hard
        http = OutgoingHTTP(settings.http)
    }

    /// - Throws: ``ReceiptRefusal/Reason/forged`` for a revoked certificate; ``RevocationUnknown``.
    func check(_ chain: AppleChain, in chains: AppleChains, at moment: Date) async throws {
        let standing = try await memory.standing(of: try Self.name(of: chain), at: moment) { [self] in
            if await holds(chain, in: chains, isStrict: true, at: moment) { return .holds }
            return await holds(chain, in: chains, isStrict: false, at: moment) ? .unknown : .revoked
        }
        switch standing {
        case .holds: return
        case .revoked: throw ReceiptRefusal(.forged)
        case .unknown: if isStrict { throw RevocationUnknown() }
        }
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
}
