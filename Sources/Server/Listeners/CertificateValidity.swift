import Foundation
import NIOSSL

/// The validity of a certificate chain: from the latest start to the earliest end of all certificates that are
/// sent.
struct CertificateValidity: Equatable, Sendable {
    enum Status: Equatable {
        case valid
        /// Fewer days are left than operators need to renew the certificate.
        case expiresSoon
        case expired
        case notYetValid
    }

    /// The time before its end at which a certificate is reported as ending soon: 14 days. Automatic renewal
    /// usually happens a month before the end.
    static let expiryWarningPeriod: TimeInterval = 14 * 86_400

    let begin: Date
    let end: Date

    init(begin: Date, end: Date) {
        self.begin = begin
        self.end = end
    }

    /// - Parameter chain: The certificates; not empty.
    init(_ chain: [NIOSSLCertificate]) {
        begin = Date(timeIntervalSince1970: TimeInterval(chain.map(\.notValidBefore).max() ?? 0))
        end = Date(timeIntervalSince1970: TimeInterval(chain.map(\.notValidAfter).min() ?? 0))
    }

    func status(at timestamp: Date) -> Status {
        if timestamp >= end { return .expired }
        if timestamp < begin { return .notYetValid }
        return end.timeIntervalSince(timestamp) < Self.expiryWarningPeriod ? .expiresSoon : .valid
    }

    /// Returns a sentence for the operator, or nil if the certificate is valid and does not end soon.
    func problem(at timestamp: Date) -> String? {
        switch status(at: timestamp) {
        case .valid: nil
        case .expiresSoon: "the certificate expires soon, on \(Self.text(end))"
        case .expired: "the certificate has expired, on \(Self.text(end)); clients refuse to connect"
        case .notYetValid: "the certificate is not valid before \(Self.text(begin)); clients refuse to connect"
        }
    }

    private static func text(_ date: Date) -> String { date.formatted(.iso8601) }
}
