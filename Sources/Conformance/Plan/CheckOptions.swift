package import Foundation
package import NIOSSL

/// The options of a check.
package struct CheckOptions: Sendable {
    package var requestsPerSecond = 5.0
    /// The number of timed pairs of rejected sign-ins. Default: 0, because each pair contains a wrong sign-in of a
    /// real reader.
    package var timedPairs = 0
    /// The address of the same endpoint behind a shared cache.
    package var through: Address?
    /// The authorities to trust instead of the system's.
    package var roots: [NIOSSLCertificate]?
    /// A Boolean value that indicates whether readers' credentials are sent to a server whose certificate is not
    /// trusted. Default: false.
    package var isInsecure = false
    /// The minimum remaining validity of a certificate, in seconds. Default: 21 days.
    package var certificateExpiryWarning: TimeInterval = 21 * 86_400

    /// The time limit for a connection and for a whole response, in seconds. Default: 20 s.
    package var timeout: Int64 = 20

    package init() {}
}
