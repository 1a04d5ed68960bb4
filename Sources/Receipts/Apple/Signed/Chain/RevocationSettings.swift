package import OutgoingRequests
package import Settings

/// Whether Apple is asked if its certificates still hold (OCSP, RFC 6960): the key `ocsp`.
package enum RevocationMode: String, Sendable, CaseIterable {
    /// Nobody is asked; certificates have to be valid when the receipt was signed.
    case off
    /// A revoked certificate is refused; one about which nobody answers is accepted.
    case soft
    /// Nothing is accepted of which nobody says that it holds; as long as nobody answers, Apple "could not be asked".
    case hard
}

package struct RevocationSettings: Sendable {
    package var mode: RevocationMode
    package var http: OutgoingHTTPSettings

    package init(mode: RevocationMode = .off, http: OutgoingHTTPSettings = Self.http) {
        self.mode = mode
        self.http = http
    }

    /// Reads `ocsp`. The section may have more keys: whoever has it calls `finish()`.
    package init(_ section: SettingsSection) throws(SettingsError) {
        self.init(mode: try section.choice("ocsp", default: RevocationMode.off))
    }

    /// Responders are near or not at all, and their answers small.
    package static var http: OutgoingHTTPSettings {
        var settings = OutgoingHTTPSettings()
        settings.connectTimeout = 2
        settings.timeout = 4
        settings.largestAnswer = 64 << 10
        return settings
    }
}
