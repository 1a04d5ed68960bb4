import Gatefold
import OutgoingRequests
import Settings

/// The settings of `kind: webhook`.
struct WebhookSettings: Sendable {
    let url: ServiceURL
    let form: WebhookForm
    let secret: Secret
    let http: OutgoingHTTPSettings

    init(_ section: SettingsSection) throws(SettingsError) {
        let expected = "an http or https URL"
        guard let url = ServiceURL(try section.requiredString("url", expected: expected)) else {
            throw section.error("url", expected: "expected \(expected)")
        }
        self.url = url
        form = try section.choice("body", default: .json)
        guard let secret = try section.secret("secret") else {
            throw section.error("secret", expected: "missing; expected {file: PATH} or {env: NAME}")
        }
        self.secret = secret
        http = try OutgoingHTTPSettings(section)
    }
}
