import Foundation
import Gatefold
import InPlayer
import OutgoingRequests
import Settings

/// The accounts and items of an InPlayer merchant, `kind: inplayer`.
struct InPlayerBackendKind: BackendKind {
    static let name = "inplayer"

    private let name: String
    private let settings: InPlayerSettings
    private let http: OutgoingHTTPSettings

    init(name: String, settings: SettingsSection) throws(SettingsError) {
        self.name = name
        self.settings = try InPlayerSettings(settings)
        let section = try settings.section("http")
        http = try OutgoingHTTPSettings(section)
        // Tokens must not reach another host, and the service redirects none of its calls.
        guard http.redirects == .never else {
            throw section.error("redirects", expected: "expected `never`: the service's calls are not redirected")
        }
        try section.finish()
    }

    var checkedProofs: Set<String>? { [settings.passwordField] }
    var decidesEditions: Bool { false }

    func open(_ services: BackendServices) throws -> any SubscriberBackend {
        let http = OutgoingHTTP(http)
        return InPlayerBackend(
            name: name, settings: settings, transport: ServiceTransport { try await http.send($0) }, services: services)
    }
}
