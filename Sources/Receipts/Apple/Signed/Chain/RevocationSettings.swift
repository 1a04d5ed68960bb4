package import OutgoingRequests
package import Settings

/// The mode of the revocation check of Apple's certificates (OCSP, RFC 6960): the key `ocsp`.
package enum RevocationMode: String, Sendable, CaseIterable {
    /// No responder is queried. Certificates must have been valid when the receipt was signed.
    case off
    /// A revoked certificate is rejected. A certificate of unknown status is accepted.
    case soft
    /// Only a certificate with a confirmed status is accepted. While no responder is reachable, Apple counts as
    /// unavailable.
    case hard
}

package struct RevocationSettings: Sendable {
    package var mode: RevocationMode
    package var http: OutgoingHTTPSettings

    package init(mode: RevocationMode = .off, http: OutgoingHTTPSettings = Self.http) {
        self.mode = mode
        self.http = http
    }

    /// Reads `ocsp`. The section may have more keys, so the caller calls `finish()`.
    package init(_ section: SettingsSection) throws(SettingsError) {
        self.init(mode: try section.choice("ocsp", default: RevocationMode.off))
    }

    /// The HTTP settings of queries to responders. The limits are low, because responders are near and their
    /// responses are small.
    package static var http: OutgoingHTTPSettings {
        var settings = OutgoingHTTPSettings()
        settings.connectTimeout = 2
        settings.timeout = 4
        settings.maxResponseSize = 64 << 10
        return settings
    }
}
