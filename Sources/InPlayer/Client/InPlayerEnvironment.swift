/// The addresses of InPlayer's services.
public struct InPlayerEnvironment: Sendable, Hashable {
    /// The base URL of every call, without a final slash.
    public let services: String
    /// The URL of requests for temporary notification keys.
    public let notificationKeys: String

    private init(known services: String, notificationKeys: String) {
        self.services = services
        self.notificationKeys = notificationKeys
    }

    /// The environment with real payments.
    public static let production = InPlayerEnvironment(
        known: "https://services.inplayer.com", notificationKeys: "https://notifications.inplayer.com/iot/keys")

    /// The environment for tests.
    public static let staging = InPlayerEnvironment(
        known: "https://staging-v2.inplayer.com",
        notificationKeys: "https://staging-notifications.inplayer.com/iot/keys")

    /// Creates an environment of other services with InPlayer's protocol.
    ///
    /// - Parameters:
    ///   - services: An http or https URL without a query, such as `https://gate.example.com/daily`.
    ///   - notificationKeys: The URL of requests for keys. Default: `/iot/keys` below `services`.
    /// - Returns: The environment, or nil if one of the texts is not such a URL.
    public init?(services: String, notificationKeys: String? = nil) {
        guard let base = Self.base(services), let keys = Self.base(notificationKeys ?? "\(base)/iot/keys") else {
            return nil
        }
        self.services = base
        self.notificationKeys = keys
    }

    private static func base(_ text: String) -> String? {
        var text = text[...]
        while text.hasSuffix("/") { text.removeLast() }
        guard let address = WebAddress(String(text)), address.query == nil, !text.contains("#") else { return nil }
        return String(text)
    }
}
