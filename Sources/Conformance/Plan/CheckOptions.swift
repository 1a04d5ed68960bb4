package import Foundation
package import NIOSSL

/// How a check is made.
package struct CheckOptions: Sendable {
    package var requestsPerSecond = 5.0
    /// How many pairs of refused sign-ins are timed; none unless asked for, because each is a wrong sign-in of a real reader.
    package var timedPairs = 0
    /// The same endpoint by way of a shared cache.
    package var through: Address?
    /// Authorities to trust in place of the machine's.
    package var roots: [NIOSSLCertificate]?
    /// Whether readers' credentials are sent to a server whose certificate is not trusted.
    package var isInsecure = false
    /// Until when a certificate should be good at least, in seconds from now.
    package var certificateNotice: TimeInterval = 21 * 86_400

    /// How long a connection and a whole answer may take, in seconds.
    package var patience: Int64 = 20

    package init() {}
}
