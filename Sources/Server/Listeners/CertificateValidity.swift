import Foundation
import NIOSSL

/// When the certificates of a chain hold: from the latest begin to the earliest end of all that are sent.
struct CertificateValidity: Equatable, Sendable {
    enum Status: Equatable {
        case valid
        /// Fewer days are left than operators need to renew it.
        case endsSoon
        case ended
        case notYetBegun
    }

    /// Before its end a certificate is reported as ending soon; automatic renewal usually happens a month before.
    static let notice: TimeInterval = 14 * 86_400

    let begin: Date
    let end: Date

    init(begin: Date, end: Date) {
        self.begin = begin
        self.end = end
    }

    /// - Parameter chain: not empty.
    init(_ chain: [NIOSSLCertificate]) {
        begin = Date(timeIntervalSince1970: TimeInterval(chain.map(\.notValidBefore).max() ?? 0))
        end = Date(timeIntervalSince1970: TimeInterval(chain.map(\.notValidAfter).min() ?? 0))
    }

    func status(at moment: Date) -> Status {
        if moment >= end { return .ended }
        if moment < begin { return .notYetBegun }
        return end.timeIntervalSince(moment) < Self.notice ? .endsSoon : .valid
    }

    /// A sentence for the operator; nil where all is well.
    func problem(at moment: Date) -> String? {
        switch status(at: moment) {
        case .valid: nil
        case .endsSoon: "the certificate ends soon, on \(Self.text(end))"
        case .ended: "the certificate has expired, on \(Self.text(end)); clients refuse to connect"
        case .notYetBegun: "the certificate is not valid before \(Self.text(begin)); clients refuse to connect"
        }
    }

    private static func text(_ date: Date) -> String { date.formatted(.iso8601) }
}
