public import Gatefold
import OutgoingRequests
public import Settings

/// The backend kind of a subscriber service over HTTP, `kind: http`.
public struct HTTPServiceKind: BackendKind {
    public static let name = "http"

    private let name: String
    private let service: HTTPService
    private let settings: OutgoingHTTPSettings

    public init(name: String, settings: SettingsSection) throws(SettingsError) {
        self.name = name
        self.settings = try OutgoingHTTPSettings(settings)
        service = try HTTPService(settings)
    }

    public var checkedProofs: Set<String>? { Set(service.proofs) }
    public var decidesEditions: Bool { service.call(.verdict) != nil }

    public func open(_ services: BackendServices) throws -> any SubscriberBackend {
        HTTPServiceBackend(name: name, service: service, http: OutgoingHTTP(settings), services: services)
    }
}
