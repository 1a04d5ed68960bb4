import Commerce
import Crypto
import Foundation
import OutgoingRequests
import Primitives
import SwiftASN1
@_spi(FixedExpiryValidationTime) import X509

/// An error that indicates that the revocation status of a certificate is unknown although it is required.
package struct RevocationUnknown: BackendFailure, Equatable {
    package let cause = "no usable response about the revocation of Apple's certificates"

    package init() {}
}

/// A check of the revocation of Apple's certificates, with the OCSP policy of swift-certificates.
///
/// The policy's own hard mode succeeds if no responder is reachable, and fails on any other error. Gatefold must
/// distinguish “revoked” from “unknown”. Therefore the strict verification runs first: any failure fails it,
/// including a missing response. Then the lenient verification runs: only the response “revoked” fails it.
package final class RevocationCheck: Sendable {
    private let http: OutgoingHTTP
    private let isStrict: Bool
    private let cache = OCSPStatusCache()

    /// Creates a check, or returns nil if no responder is to be queried.
    package init?(_ settings: RevocationSettings) {
        guard settings.mode != .off else { return nil }
        isStrict = settings.mode == .hard
        http = OutgoingHTTP(settings.http)
    }

    /// Checks the certificates of a chain.
    ///
    /// - Throws: ``ReceiptRejection/Reason/forged`` for a revoked certificate. ``RevocationUnknown`` if the mode is
    ///   `hard` and the status is unknown.
    func check(_ chain: AppleChain, in chains: AppleChains, at timestamp: Date) async throws {
        let status = try await cache.status(of: try Self.name(of: chain), at: timestamp) { [self] in
            if await holds(chain, in: chains, isStrict: true, at: timestamp) { return .holds }
            return await holds(chain, in: chains, isStrict: false, at: timestamp) ? .unknown : .revoked
        }
        switch status {
        case .holds: return
        case .revoked: throw ReceiptRejection(.forged)
        case .unknown: if isStrict { throw RevocationUnknown() }
        }
    }

    private func holds(_ chain: AppleChain, in chains: AppleChains, isStrict: Bool, at timestamp: Date) async -> Bool {
        var verifier = Verifier(rootCertificates: chains.roots) {
            RFC5280Policy(fixedExpiryValidationTime: timestamp)
            AppleChainPolicy()
            OCSPVerifierPolicy(
                failureMode: isStrict ? .hard : .soft, requester: RevocationRequester(http: http, isStrict: isStrict),
                fixedExpiryValidationTime: timestamp)
        }
        return await chains.isValid(chain, by: &verifier)
    }

    private static func name(of chain: AppleChain) throws -> [UInt8] {
        var digest = SHA256()
        for certificate in [chain.leaf, chain.intermediate] {
            digest.update(data: try certificate.serializeAsPEM().derBytes)
        }
        return Array(digest.finalize())
    }
}
